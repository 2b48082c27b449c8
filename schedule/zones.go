// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"time"

	"github.com/toolvet/toolvet/schedule/when"
)

// zonesEvery is how often the rules of time zones are looked at.
const zonesEvery = time.Minute

// zones has the next runs of jobs computed anew when the rules of their time zones change: a
// government decides, and the system brings the data up to date. Each look reads them from the
// system, as every schedule does that is restored.
func (e *engine) zones(ctx context.Context) {
	began := e.now()
	known := map[string]string{}
	for {
		names, err := e.store.Zones(ctx)
		if err != nil && ctx.Err() == nil {
			e.log.Error("the store does not say which time zones jobs have", "err", err)
		}
		changed := ""
		for _, name := range names {
			zone, err := when.LoadZone(name)
			if err != nil {
				continue // fire says so
			}
			rules := when.Rules(zone, began)
			if was, seen := known[name]; seen && was != rules {
				e.log.Warn("the rules of a time zone have changed", "zone", name)
				changed = name
			}
			known[name] = rules
		}
		if changed != "" {
			if err := e.realign(ctx, "the rules of its time zone changed"); err != nil && ctx.Err() == nil {
				e.log.Error("jobs could not be set to the rules of their time zones", "err", err)
			}
			kick(e.wake)
		}
		if !pause(ctx, zonesEvery, nil) {
			return
		}
	}
}
