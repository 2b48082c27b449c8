// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"cmp"
	"context"
	"time"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/upstream"
)

// RemoteConfig is the way to a server that runs elsewhere. Dialer is required.
type RemoteConfig struct {
	Dialer      upstream.Dialer
	CallTimeout time.Duration // of one call; default 6 s
	Budget      time.Duration // of everything; default 2 min
}

// maxRemoteCalls bounds the calls of a remote server.
const maxRemoteCalls = 200

// RunRemote audits a server outside of any sandbox. It only makes calls that break the schema,
// and only of tools with read-only annotations and names. Everything else is skipped. An error
// means that the server could not be reached.
func RunRemote(ctx context.Context, cfg RemoteConfig) (*Result, error) {
	callTime := cmp.Or(max(cfg.CallTimeout, 0), 6*time.Second)
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(max(cfg.Budget, 0), 2*time.Minute))
	defer cancel()
	x := &experiment{cfg: Config{CallTimeout: callTime, StartTimeout: upstream.DefaultTimeout}, world: &world{at: "/data"}, limit: maxRemoteCalls}
	a := x.auditor()
	x.start = func(ctx context.Context, _ *services) (*session, error) {
		client, err := servers.Connect(ctx, cfg.Dialer, servers.Options{Timeout: upstream.DefaultTimeout})
		if err != nil {
			return nil, err
		}
		return &session{client: client}, nil
	}
	var err error
	if a.session, err = x.start(ctx, nil); err != nil {
		return nil, err
	}
	defer a.end()
	if err := a.learn(ctx); err != nil {
		return nil, err
	}
	for _, t := range a.tools {
		a.elsewhere(ctx, t)
	}
	a.note("the server runs elsewhere, without a sandbox around it: the only calls were ones that break the schemas of read-only tools")
	return &a.result, nil
}

func (a *auditor) elsewhere(ctx context.Context, t *tool) {
	for _, p := range t.parameters {
		if class := p.class(); class != "" {
			a.fact(audit.Fact{Cell: cell(t, p, class), Verdict: audit.Skipped, Why: "the server runs elsewhere, without a sandbox to contain a probe"})
		}
	}
	switch {
	case len(t.violations(a.world)) == 0:
	case t.readOnly && !t.destructive:
		a.schema(ctx, t)
	default:
		a.fact(audit.Fact{Cell: whole(t, audit.Schema), Verdict: audit.Skipped, Why: "the tool is not marked read-only, and no sandbox contains its effects"})
	}
}
