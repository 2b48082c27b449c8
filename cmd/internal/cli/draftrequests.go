// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/listed"
)

// draftRequests writes demands on what a client asks for besides tools: on the URIs of resources, if
// the server lists resources or templates, and on the arguments of its prompts.
func draftRequests(b *bytes.Buffer, checks enforce.Checks, catalogs map[string]*call.Catalog) {
	var drafted bytes.Buffer
	resources := draftResources(&drafted, catalogs[listed.Resources], catalogs[listed.Templates])
	prompts := draftPrompts(&drafted, checks, catalogs[listed.Prompts])
	if resources || prompts {
		b.WriteString("    requests:\n")
	}
	b.Write(drafted.Bytes())
}

// untriedRule refuses the requests that an audit does not try: a prompt may run a command just as a tool does. It names no server, so that it
// also holds for one that a person gives another name.
const untriedRule = `# an audit tries tools alone, so the server's own methods, prompts and resources are refused: take out those that you have looked at
checks: {known-method: {severity: error}}
rules:
  - {name: untried, effect: deny, requests: [prompts/get, completion/complete, resources/read, resources/subscribe], message: an audit tries tools alone}
`

// rule returns the words that add a rule to the draft.
func (d *drafting) rule(text string) string {
	if d.audited {
		return "add to rules: - " + text
	}
	return "rules: [" + text + "]"
}

// draftResources reports whether it wrote any demand besides comments.
func draftResources(b *bytes.Buffer, lists ...*call.Catalog) bool {
	schemes := map[string]bool{}
	open := "" // a template whose scheme the client chooses
	for _, list := range lists {
		if list == nil {
			continue
		}
		for _, uri := range list.Names() {
			scheme, _, ok := strings.Cut(uri, ":")
			if !ok || strings.Contains(scheme, "{") {
				open = uri
				continue
			}
			schemes[strings.ToLower(scheme)] = true
		}
	}
	switch {
	case open != "":
		fmt.Fprintf(b, "      # resources/read: the template %s leaves the scheme to the client: say which schemes it may have\n", oneLine(open, maxDescription))
		return false
	case len(schemes) == 0:
		return false
	}
	demand := fmt.Sprintf("{arguments: {uri: {uri: {schemes: %s}}}}", texts(slices.Sorted(maps.Keys(schemes))))
	b.WriteString("      # guess: URIs of the schemes that the server lists\n")
	if schemes["file"] {
		b.WriteString("      # tighten: path: {within: [/srv/data]} beside uri, for the paths of file: URIs\n")
	}
	for _, method := range []string{"resources/read", "resources/subscribe"} {
		fmt.Fprintf(b, "      %s: %s\n", method, demand)
	}
	return true
}

// draftPrompts writes one demand for each name of an argument, because the params of prompts/get hold
// the arguments of whichever prompt is wanted. Where two prompts mean different things by a name, no
// demand is written. It reports whether it wrote any besides comments.
func draftPrompts(b *bytes.Buffer, checks enforce.Checks, prompts *call.Catalog) bool {
	guesses := map[string]infer.Guess{} // by address
	of := map[string]string{}           // the prompt of each guess
	own := new(drafting)                // which gives its advice once more, for prompts
	if prompts == nil {
		return false
	}
	var remarks, demands bytes.Buffer
	remark := func(prompt, address, what string) {
		fmt.Fprintf(&remarks, "      # prompts/get: the argument %s of the prompt %s %s\n", oneLine(address, maxDescription), oneLine(prompt, maxDescription), what)
	}
	for _, name := range prompts.Names() {
		for _, g := range infer.Tool(asTool(prompts.Tool(name))) {
			before, known := guesses[g.Address]
			switch {
			case !isRule(checks, g.Kind):
				remark(name, g.Address, fmt.Sprintf("is probably %s, which no rule demands anything of yet", g.Kind))
			case !known:
				guesses[g.Address], of[g.Address] = g, name
			case before.Kind != g.Kind && before.Kind != "":
				remark(name, g.Address, fmt.Sprintf("is probably %s, but that of %s %s", g.Kind, oneLine(of[g.Address], maxDescription), before.Kind))
				guesses[g.Address] = infer.Guess{}
			}
		}
	}
	for _, address := range slices.Sorted(maps.Keys(guesses)) {
		if g := guesses[address]; g.Kind != "" {
			own.guess(&demands, g, "{}", "")
		}
	}
	b.Write(remarks.Bytes())
	if demands.Len() > 0 {
		b.WriteString("      prompts/get:\n        arguments:\n")
		b.Write(demands.Bytes())
	}
	return demands.Len() > 0
}

// asTool describes the params of prompts/get for a prompt.
func asTool(prompt *call.Tool) *call.Tool {
	var p struct {
		Description string `json:"description"`
		Arguments   []struct {
			Name        string `json:"name"`
			Description string `json:"description"`
		} `json:"arguments"`
	}
	_ = json.Unmarshal(prompt.Raw, &p) // a part of another type is left out alone, and hides no other
	properties := map[string]any{}
	for _, a := range p.Arguments {
		properties[a.Name] = map[string]any{"type": "string", "description": a.Description}
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": map[string]any{"arguments": map[string]any{"type": "object", "properties": properties}}})
	if err != nil { // impossible: these are strings
		return &call.Tool{Name: prompt.Name}
	}
	return &call.Tool{Name: prompt.Name, Description: p.Description, InputSchema: schema}
}
