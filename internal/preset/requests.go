// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package preset

import (
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/checks/uri"
	"github.com/toolvet/toolvet/checks/url"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/policy"
)

// StandardRequest makes demands on a request other than tools/call. A file: URI of a resource is
// judged as a path, an http: URI as a URL, and no URI may climb. The arguments of prompts, of
// completions and of unknown methods are judged as [Standard] judges the arguments of tools.
// The error is [call.ErrShape].
func StandardRequest(c *call.Call) ([]policy.Argument, error) {
	return request(c, standardDemands, lenientURL(c.Tool))
}

// StrictRequest is StandardRequest with the demands of [Strict].
func StrictRequest(c *call.Call) ([]policy.Argument, error) {
	return request(c, strictDemands, new(url.Options))
}

// StandardPart judges a part of a request as [Standard] judges the arguments of tools. The error is [call.ErrShape].
func StandardPart(p call.Part) ([]policy.Argument, error) { return shaped(p.Shape, standardDemands) }

// StrictPart is StandardPart with the demands of [Strict].
func StrictPart(p call.Part) ([]policy.Argument, error) { return shaped(p.Shape, strictDemands) }

// shaped makes demands on values that their client describes itself.
func shaped(shape func() (*call.Tool, error), demands func(*subject, infer.Guess) []policy.Demand) ([]policy.Argument, error) {
	t, err := shape()
	if err != nil {
		return nil, err
	}
	return arguments(t, demands), nil
}

// lax is f without its errors: a preset that only observes refuses nothing.
func lax[T any](f func(T) ([]policy.Argument, error)) func(T) ([]policy.Argument, error) {
	return func(of T) ([]policy.Argument, error) {
		list, _ := f(of)
		return list, nil
	}
}

func request(c *call.Call, demands func(*subject, infer.Guess) []policy.Demand, web *url.Options) ([]policy.Argument, error) {
	switch c.Method {
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		return resource("/uri", c.Arguments["uri"], web), nil
	case "elicitation/create":
		if c.Arguments["url"] == nil {
			return nil, nil
		}
		// A person opens it, in a browser or in whatever program its scheme belongs to. So it must be a
		// whole URL of the web, and may lead to this machine unless the preset is strict.
		opened := *web
		opened.Guess, opened.Schemes, opened.Userinfo = false, nil, false
		return []policy.Argument{{Address: "/url", Inferred: "the user is asked to open it", Demands: []policy.Demand{demand(url.Demand, &opened), plain()}}}, nil
	case "completion/complete":
		return completion(c, web)
	case "prompts/get":
		return shaped(c.Shape, demands)
	}
	if c.KnownMethod() {
		return nil, nil
	}
	return shaped(c.Shape, demands)
}

// resource makes the demands on the URI of a resource, by its scheme.
func resource(address string, value any, web *url.Options) []policy.Argument {
	text, _ := value.(string)
	scheme, _, _ := strings.Cut(text, ":")
	a := policy.Argument{Address: address, URI: true, Inferred: "it is the URI of a resource", Demands: []policy.Demand{demand(uri.Demand, new(uri.Options))}}
	switch strings.ToLower(scheme) {
	case "file":
		a.Demands = append(a.Demands, demand(path.Demand, new(path.Options)))
	case "http", "https", "ws", "wss", "ftp":
		a.Demands = append(a.Demands, demand(url.Demand, web), plain())
	default:
		a.Demands = append(a.Demands, plain())
	}
	return []policy.Argument{a}
}

// completion makes the demands on a text that is still being written, and on what is known
// already. So Standard's demands hold, whichever preset is in force.
func completion(c *call.Call, web *url.Options) ([]policy.Argument, error) {
	var list []policy.Argument
	argument, _ := c.Arguments["argument"].(map[string]any)
	name, _ := argument["name"].(string)
	written := "/argument/" + check.EscapePointer(name)
	guessed, err := shaped(c.Shape, standardDemands)
	for _, a := range guessed {
		if a.Address == written {
			a.Address = "/argument/value"
		}
		list = append(list, a)
	}
	ref, _ := c.Arguments["ref"].(map[string]any)
	if template, ok := ref["uri"].(string); ok && !strings.Contains(template, "{") {
		list = append(list, resource("/ref/uri", template, web)...)
	}
	return list, err
}
