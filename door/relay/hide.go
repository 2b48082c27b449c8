// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"bytes"
	"fmt"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// hide takes the tools that the session may not see, or whose definitions a model may not
// read, out of a page of tools/list. It returns how many entries are left. Definitions that
// cannot be read are taken out, too: nobody can say whether they may be seen.
func (p *Exchange) hide(line []byte, page *listing) (changed []byte, left int, err error) {
	gate, session := p.gate(), p.caller.session(nil)
	hidden := 0
	changed, err = splice.Edit(line, p.limits, []string{"result", "tools"}, func(list []byte) ([]byte, error) {
		entries, err := strictjson.Elements(list, p.limits)
		if err != nil {
			return nil, err
		}
		var kept [][]byte
		for i, t := range page.inOrder(entries, p.limits) {
			if t != nil && gate.Lists(p.ctx, &call.Call{Server: p.cfg.Server, Name: t.Name, Tool: t, Session: session}) {
				kept = append(kept, entries[i])
			}
		}
		left, hidden = len(kept), len(entries)-len(kept)
		if hidden == 0 {
			return nil, nil
		}
		return fmt.Appendf(nil, "[%s]", bytes.Join(kept, []byte(","))), nil
	})
	if err != nil || hidden == 0 || p.meta.Load() == nil {
		return changed, left, err
	}
	// What one session sees is not for another (2026-07-28, server/utilities/caching).
	changed, err = splice.Edit(changed, p.limits, []string{"result", "cacheScope"}, func([]byte) ([]byte, error) { return []byte(`"private"`), nil })
	return changed, left, err
}
