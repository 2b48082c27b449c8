// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/limit"
)

// Rehearsal selects the calls to rehearse before they are made. Package rehearse carries it out.
// The zero Rehearsal has none.
type Rehearsal struct {
	Allow   bool             `policy:"allow" doc:"true: a proxy offers the tool rehearse, with which a client has calls rehearsed; default: false"`
	Before  []string         `policy:"before" doc:"calls that are rehearsed before they are made, as server:tool, such as files:move_*; * stands for any characters"`
	Effects []Effect         `policy:"effects" doc:"what these calls may do, judged from the rehearsal"`
	Env     []string         `policy:"env" doc:"variables of toolvet's environment that a rehearsed server has beside PATH, HOME and others without secrets: NAME or PREFIX_*"`
	Network RehearsalNetwork `policy:"network" doc:"what a rehearsed server reaches; default: nothing, and what it would send is told"`
}

// A RehearsalNetwork is the network of a rehearsed server. The zero value is nothing.
type RehearsalNetwork struct {
	Replay       string   `policy:"replay" doc:"an HTTP Archive (HAR), from which requests are answered by their method and URL"`
	Allow        []string `policy:"allow" doc:"hosts on the internet that are reached for real: HOST, HOST:PORT or *.HOST; without a port, 80 and 443"`
	AllowPrivate []string `policy:"allow_private" doc:"the same, for hosts of a private network and for localhost:PORT"`
	// Record is an HTTP Archive for the answers of allowed hosts. No policy sets it.
	Record string
}

// An Effect limits what calls may do.
type Effect struct {
	Name        string   `policy:"name" doc:"name of the limit, in messages"`
	Tools       []string `policy:"tools" doc:"calls that it holds for, as server:tool; default all"`
	NoDeletes   bool     `policy:"no_deletes" doc:"true: nothing that is there may be deleted or moved away"`
	Below       []string `policy:"below" doc:"directories, as absolute paths, outside which nothing may change; default anywhere"`
	MaxChanges  int      `policy:"max_changes" doc:"how many files and directories may change; default any number"`
	NoNetwork   bool     `policy:"no_network" doc:"true: no connection may be tried"`
	NoProcesses bool     `policy:"no_processes" doc:"true: no other program may be started"`
}

var (
	variableName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*\*?$`)
	anyHost      = lazyregexp.New(`^\*(:[0-9]{1,5})?$`)
	hostName     = lazyregexp.New(`^(\*\.)?[A-Za-z0-9][A-Za-z0-9._-]*(:[0-9]{1,5})?$|^\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?$`)
)

// Covers reports whether the effect holds for a tool of a server.
func (e *Effect) Covers(server, tool string) bool {
	return len(e.Tools) == 0 || limit.Match(e.Tools, server, tool)
}

// Covers reports whether calls of a server's tool are rehearsed.
func (r *Rehearsal) Covers(server, tool string) bool { return limit.Match(r.Before, server, tool) }

// Problems says what is wrong, by the names of the fields in a policy.
func (r *Rehearsal) Problems() []check.Problem {
	var list []check.Problem
	add := func(field, format string, args ...any) {
		list = append(list, check.Problem{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	patterns := func(field string, texts []string) {
		for _, text := range texts {
			if err := limit.CheckPattern(text); err != nil {
				add(field, "%v", err)
			}
		}
	}
	patterns("before", r.Before)
	for _, name := range r.Env {
		if !variableName.MatchString(name) {
			add("env", "must hold names of variables, such as API_KEY or AWS_*")
		}
	}
	for _, host := range slices.Concat(r.Network.Allow, r.Network.AllowPrivate) {
		if !hostName.MatchString(host) {
			add("network", "must name hosts as HOST, HOST:PORT or *.HOST")
		}
	}
	if r.Network.Replay != "" && len(r.Network.Allow)+len(r.Network.AllowPrivate) > 0 {
		add("network", "either replays answers or lets hosts through, not both")
	}
	only := len(r.Env) > 0 || len(r.Network.Allow)+len(r.Network.AllowPrivate) > 0 || r.Network.Replay != ""
	if len(r.Before) == 0 && !r.Allow && !only {
		add("before", "is missing: name the calls to rehearse, such as files:*, or allow the tool rehearse")
	}
	for i, e := range r.Effects {
		patterns("effects", e.Tools)
		if e.Name == "" {
			add("effects", "effect %d needs a name, for messages", i+1)
		}
		if e.MaxChanges < 0 {
			add("effects", "max_changes must not be negative")
		}
		for _, dir := range e.Below {
			if !filepath.IsAbs(dir) {
				add("effects", "below must hold absolute paths")
			}
		}
		if !e.NoDeletes && len(e.Below) == 0 && e.MaxChanges == 0 && !e.NoNetwork && !e.NoProcesses {
			add("effects", "effect %d demands nothing", i+1)
		}
	}
	return list
}
