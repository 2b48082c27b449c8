// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// An ownership tells the server of a URI. The first server to list the URI owns it. If none
// does, the first server with a matching template owns it; failing that, the only server with
// resources.
type ownership struct {
	uris      map[string]*peer
	templates map[string]*peer
	matches   []match
	only      *peer
}

type match struct {
	*regexp.Regexp
	peer *peer
}

// ownership returns the ownership of the moment.
func (p *pool) ownership(ctx context.Context) *ownership {
	p.mu.Lock()
	known := p.owned
	p.mu.Unlock()
	if known != nil {
		return known
	}
	o := &ownership{uris: map[string]*peer{}, templates: map[string]*peer{}}
	count := 0
	resources, templates := p.parts(ctx, servers.Resources, (*peer).remembered), p.parts(ctx, servers.ResourceTemplates, (*peer).remembered)
	complete := true
	for i, part := range resources {
		if p.g.featuresOf(part.name).resources {
			o.only = part.peer
			count++
		}
		for _, e := range part.entries {
			if o.uris[e.own] == nil {
				o.uris[e.own] = part.peer
			}
		}
		complete = complete && part.known && templates[i].known
	}
	for _, part := range templates {
		for _, e := range part.entries {
			if o.templates[e.own] == nil {
				o.templates[e.own] = part.peer
			}
			if e.match != nil {
				o.matches = append(o.matches, match{e.match, part.peer})
			}
		}
	}
	if count != 1 {
		o.only = nil
	}
	if complete {
		p.mu.Lock()
		p.owned = o
		p.mu.Unlock()
	}
	return o
}

// of returns the server of a URI, or nil.
func (o *ownership) of(uri string) *peer {
	if p := o.uris[uri]; p != nil {
		return p
	}
	for _, m := range o.matches {
		if m.MatchString(uri) {
			return m.peer
		}
	}
	return o.only
}

// entry returns the server of an entry in a merged list.
func (o *ownership) entry(list servers.List, own string) *peer {
	if list == servers.ResourceTemplates {
		return o.templates[own]
	}
	return o.uris[own]
}

// maxTemplate bounds the templates that are matched, in bytes.
const maxTemplate = 2048

var expression = lazyregexp.New(`\{([+#./;?&]?)[^{}]*\}`)

// matcher returns a regular expression for the URIs of a template (RFC 6570). It returns nil
// if the template is too long or no expression can be made.
func matcher(template string) *regexp.Regexp {
	if len(template) > maxTemplate {
		return nil
	}
	var b strings.Builder
	b.WriteString("^")
	end := 0
	for _, at := range expression.FindAllStringSubmatchIndex(template, -1) {
		b.WriteString(regexp.QuoteMeta(template[end:at[0]]))
		switch template[at[2]:at[3]] {
		case "+", "#":
			b.WriteString(".*")
		case "?", "&":
			b.WriteString("([?&].*)?")
		case "/", ".", ";":
			b.WriteString("([/.;].*)?")
		default:
			b.WriteString("[^/?#]*")
		}
		end = at[1]
	}
	b.WriteString(regexp.QuoteMeta(template[end:]))
	b.WriteString("$")
	re, err := regexp.Compile(b.String())
	if err != nil {
		return nil
	}
	return re
}

// locate finds the server of a resource, and the server's own URI for it.
func (p *pool) locate(ctx context.Context, uri string) (target, error) {
	if server, own, ok := splitURI(uri); ok {
		if peer := p.named(server); peer != nil {
			return target{peer, own}, nil
		}
	}
	if peer := p.ownership(ctx).of(uri); peer != nil {
		return target{peer, uri}, nil
	}
	return target{}, fmt.Errorf("no server lists this resource, or a template for it: say whose it is, as %sSERVER/URI", scheme)
}

// locateTemplate finds the server of a template.
func (p *pool) locateTemplate(ctx context.Context, template string) (target, error) {
	if peer := p.ownership(ctx).templates[template]; peer != nil {
		return target{peer, template}, nil
	}
	return p.locate(ctx, template)
}

// linked makes the server's URIs in a result usable for the client: it puts the server into
// each URI that would otherwise lead elsewhere. URIs stand in the contents of resources, in
// content blocks and in the messages of prompts.
func (p *pool) linked(ctx context.Context, from *peer, result *splice.Document) error {
	if !bytes.Contains(result.Text(), []byte(`"uri"`)) {
		return nil
	}
	owned := p.ownership(ctx)
	expose := func(value []byte) ([]byte, error) {
		var uri string
		if value == nil || json.Unmarshal(value, &uri) != nil || owned.of(uri) == from {
			return nil, nil
		}
		return quoted(exposeURI(from.name, uri)), nil
	}
	block := func(b []byte) ([]byte, error) {
		switch string(splice.Get(b, wide, "type")) {
		case `"resource_link"`:
			return splice.Edit(b, wide, []string{"uri"}, expose)
		case `"resource"`:
			return splice.Edit(b, wide, []string{"resource", "uri"}, expose)
		}
		return nil, nil
	}
	for _, place := range []struct {
		key    string
		change func([]byte) ([]byte, error)
	}{
		{"contents", func(c []byte) ([]byte, error) { return splice.Edit(c, wide, []string{"uri"}, expose) }},
		{"content", block},
		{"messages", func(m []byte) ([]byte, error) {
			return splice.Edit(m, wide, []string{"content"}, func(b []byte) ([]byte, error) {
				if len(b) == 0 || b[0] != '{' {
					return nil, nil
				}
				return block(b)
			})
		}},
	} {
		err := result.Edit(func(list []byte) ([]byte, error) {
			if len(list) == 0 || list[0] != '[' {
				return nil, nil
			}
			return splice.Each(list, wide, func(e []byte) ([]byte, error) {
				if _, err := strictjson.Members(e, wide); err != nil {
					return nil, nil // not an object: nothing to change
				}
				return place.change(e)
			})
		}, place.key)
		if err != nil {
			return err
		}
	}
	return nil
}
