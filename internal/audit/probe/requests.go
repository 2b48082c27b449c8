// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// An answeredBy says who answered a request for no page of the audit.
type answeredBy string

const (
	byFile    answeredBy = "file"
	byNothing answeredBy = "nothing" // with a made-up answer
	byNobody  answeredBy = "nobody"  // with an error, 404
)

// requests are the different requests, by who answered them. How often a server asks may depend on the time; what
// it asks for does not.
type requests map[answeredBy]map[string]bool

// maxDifferent bounds the memory for a server that asks for ever new pages.
const maxDifferent = 10_000

// answered notes who answered a request.
func (c *canary) answered(host string, r *http.Request, by answeredBy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked[by] == nil {
		c.asked[by] = map[string]bool{}
	}
	line := withoutTokens(r.Method + " " + host + r.URL.RequestURI())
	if by == byNothing { // the rest may be another each time, as with the requests that a browser makes for itself
		line = host
	}
	if len(c.asked[by]) < maxDifferent {
		c.asked[by][line] = true
	}
}

// requested returns the different requests that somebody answered, sorted.
func (c *canary) requested(by answeredBy) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.asked[by]))
}

// noteRequests tells of the services that stand-ins answered for, and how many requests those for APIs answered.
func (a *auditor) noteRequests() {
	a.canary.mu.Lock()
	services := slices.Sorted(maps.Keys(a.canary.spoke))
	a.canary.mu.Unlock()
	if len(services) > 0 {
		a.note("stand-ins answered for services: %s", strings.Join(services, ", "))
	}
	if a.cfg.Replay == nil {
		if list := a.canary.requested(byNothing); len(list) > 0 {
			a.note("requests to services got made-up answers: %s (--replay FILE answers as the real ones)", examples(list))
		}
		return
	}
	a.note("the file of --replay answered %s", different(len(a.canary.requested(byFile))))
	if missed := a.canary.requested(byNobody); len(missed) > 0 {
		a.note("the file of --replay has no answer to %s: %s", different(len(missed)), examples(missed))
	}
}

func different(n int) string {
	switch {
	case n == 1:
		return "1 request"
	case n >= maxDifferent:
		return fmt.Sprintf("%d different requests or more", maxDifferent)
	}
	return fmt.Sprintf("%d different requests", n)
}

// examples shows the first requests of a list, which the server chose.
func examples(list []string) string {
	const most = 3
	shown := list[:min(len(list), most)]
	for i := range shown {
		shown[i] = strictjson.Printable(shown[i], 128)
	}
	text := strings.Join(shown, ", ")
	if len(list) > most {
		text += " …"
	}
	return text
}
