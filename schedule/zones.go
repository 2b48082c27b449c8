// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"time"

	"github.com/toolvet/toolvet/internal/when"
)

// zonesEvery is the time between two looks at the offsets of time zones, unless Config.Poll is longer.
const zonesEvery = time.Minute

// zones computes the next runs of jobs anew when their time zones get other offsets: a government decides, and an update of
// the system brings the data. Each look reads the data from the system, like every schedule that is restored.
func (e *engine) zones(ctx context.Context) {
	began := e.now()
	known := map[string]string{}
	for {
		names, err := e.store.Zones(ctx)
		if err != nil && ctx.Err() == nil {
			e.log.Error("the store cannot list the time zones of jobs", "err", err)
		}
		changed := ""
		for _, name := range names {
			zone, err := when.LoadZone(name)
			if err != nil {
				continue // fire reports it
			}
			offsets := when.Offsets(zone, began)
			if was, seen := known[name]; seen && was != offsets {
				e.log.Warn("the offsets of a time zone have changed", "zone", name)
				changed = name
			}
			known[name] = offsets
		}
		if changed != "" {
			if err := e.realign(ctx, "the offsets of its time zone changed"); err != nil && ctx.Err() == nil {
				e.log.Error("jobs could not be set to the new offsets of their time zones", "err", err)
			}
			kick(e.wake)
		}
		if !pause(ctx, max(zonesEvery, e.cfg.Poll), nil) {
			return
		}
	}
}
