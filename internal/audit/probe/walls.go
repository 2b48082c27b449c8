// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"net"

	"github.com/toolvet/toolvet/internal/contain"
	"github.com/toolvet/toolvet/internal/machine/egress"
	"github.com/toolvet/toolvet/internal/machine/sandbox"
	"github.com/toolvet/toolvet/internal/policy"
)

// walls are those of a contained server, inside the audit's sandbox: the same view, whose changes land in layers,
// and the same judgment of each connection, which then goes to the canary.
type walls struct {
	containment policy.Containment
	guard       *egress.Guard // nil: there is no network
}

// contain has the launcher put walls around the server.
func (l *launcher) contain(c *policy.Containment) error {
	guard, _, err := contain.GuardOf(c.Network)
	l.walls = &walls{*c, guard}
	return err
}

// surround adds the view of the walls to a sandbox.
func (l *launcher) surround(config *sandbox.Config) error {
	// The audit's root stands for the places that the server may change; the machine's own are none of its business.
	view, err := contain.ViewOf(&contain.Config{Command: config.Args, Env: config.Env, Dir: config.Dir, Walls: policy.Containment{Read: l.walls.containment.Read}})
	if err != nil {
		return err
	}
	view.Layered = true
	view.Write = []string{l.world.inside("root")}
	view.Read = append(view.Read, l.world.inside("bin"))
	config.View = view
	return nil
}

// refuse closes a connection that the walls do not let through, and reports whether it did.
func (w *walls) refuse(c net.Conn, to sandbox.Target) bool {
	if w == nil || w.guard != nil && w.guard.Judge(egress.Target{Host: to.Host(), Port: to.Address.Port()}, to.Address.Addr()) == nil {
		return false
	}
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0) // the server learns it at once
	}
	c.Close()
	return true
}
