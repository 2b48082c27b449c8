// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/internal/jsonpointer"
	"github.com/toolvet/toolvet/internal/machine/egress"
)

// Bounds of a document.
const (
	maxOperations = 20_000
	maxReferences = 20 // that lead to one another
)

// A document is an OpenAPI 3 document. It answers each operation with its example, or with plausible values for its schema.
type document struct {
	root       any
	operations []operation // those with fewer parameters in their paths first
	ports      []uint16    // of this machine
}

// An operation is one method of a path at a server.
type operation struct {
	method     string
	hosts      []egress.Host // nil: any
	template   string
	parameters int
	path       *regexp.Regexp // each parameter is a part of the path between slashes
	loose      *regexp.Regexp // the last one may contain slashes; nil: it is not at the end
	responses  map[string]any
}

var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

func newDocument(root any) (*document, error) {
	top, _ := root.(map[string]any)
	version, swagger := top["openapi"], top["swagger"]
	switch {
	case swagger != nil:
		return nil, errors.New("it is a Swagger 2 document: convert it to OpenAPI 3")
	case version == nil:
		return nil, errNeither
	case !strings.HasPrefix(fmt.Sprint(version), "3"):
		return nil, errors.New("it is an OpenAPI document, but not of version 3")
	}
	d := &document{root: root}
	paths, _ := top["paths"].(map[string]any)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item := d.object(paths[path])
		for _, method := range methods {
			op := d.object(item[method])
			if op == nil {
				continue
			}
			servers := top["servers"]
			for _, own := range []any{item["servers"], op["servers"]} {
				if own != nil {
					servers = own
				}
			}
			if err := d.add(method, path, servers, op); err != nil {
				return nil, fmt.Errorf("paths: %s: %s: %w", strconv.Quote(path), method, err)
			}
		}
	}
	if len(d.operations) == 0 {
		return nil, errors.New("it is an OpenAPI document without operations below paths")
	}
	slices.SortStableFunc(d.operations, func(a, b operation) int { return cmp.Compare(a.parameters, b.parameters) })
	slices.Sort(d.ports)
	d.ports = slices.Compact(d.ports)
	return d, nil
}

// add adds an operation, once for each server.
func (d *document) add(method, path string, servers any, op map[string]any) error {
	list, _ := servers.([]any)
	if len(list) == 0 {
		list = []any{map[string]any{"url": "/"}}
	}
	for i, v := range list {
		if len(d.operations) >= maxOperations {
			return fmt.Errorf("there are more than %d operations before", maxOperations)
		}
		base, hosts, err := d.server(v)
		if err != nil {
			return fmt.Errorf("servers: %d: %w", i, err)
		}
		o := operation{method: strings.ToUpper(method), hosts: hosts, template: base + path, responses: d.object(op["responses"])}
		if err := o.compile(); err != nil {
			return err
		}
		d.operations = append(d.operations, o)
	}
	return nil
}

// variable finds a variable of a server's URL, or a parameter of a path.
var variable = regexp.MustCompile(`\{[^{}/]*\}`)

// server returns the path and the host of a server's URL. A relative one may have any host.
func (d *document) server(v any) (base string, hosts []egress.Host, err error) {
	s := d.object(v)
	text, _ := s["url"].(string)
	variables, _ := s["variables"].(map[string]any)
	text = variable.ReplaceAllStringFunc(text, func(name string) string {
		value, _ := d.object(variables[strings.Trim(name, "{}")])["default"].(string)
		return value
	})
	u, err := url.Parse(text)
	if err != nil {
		return "", nil, errors.New("the url is not valid")
	}
	if base = strings.TrimRight(u.EscapedPath(), "/"); u.Host == "" {
		return base, nil, nil
	}
	host, port := u.Hostname(), u.Port()
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || port == "" && isLoopback(host) {
		port = cmp.Or(port, map[string]string{"http": "80"}[u.Scheme], "443")
	}
	if port != "" {
		host = net.JoinHostPort(host, port)
	}
	hosts, local, err := egress.ParseHosts([]string{host})
	if err != nil {
		return "", nil, errors.New("the url has no valid host")
	}
	d.ports = append(d.ports, local...)
	return base, hosts, nil
}

func isLoopback(host string) bool { ip := net.ParseIP(host); return ip != nil && ip.IsLoopback() }

// compile makes the expressions for the path.
func (o *operation) compile() (err error) {
	var b strings.Builder
	end := 0
	for _, at := range variable.FindAllStringIndex(o.template, -1) {
		b.WriteString(regexp.QuoteMeta(o.template[end:at[0]]))
		b.WriteString("[^/]+")
		end = at[1]
		o.parameters++
	}
	b.WriteString(regexp.QuoteMeta(strings.TrimRight(o.template[end:], "/")))
	text := b.String()
	if o.path, err = regexp.Compile("^" + text + "/?$"); err != nil {
		return errors.New("the path is not valid")
	}
	if before, ok := strings.CutSuffix(text, "[^/]+"); ok {
		o.loose, err = regexp.Compile("^" + before + ".+$")
	}
	return err
}

// find returns the operation of a request, or nil. An operation whose path has fewer parameters comes before others.
func (d *document) find(r *http.Request) *operation {
	target := egress.TargetOf(r.Context())
	for _, loose := range []bool{false, true} {
		for i := range d.operations {
			o := &d.operations[i]
			path := o.path
			if loose {
				path = o.loose
			}
			if path == nil || o.method != r.Method || o.hosts != nil && !egress.Covered(o.hosts, target) {
				continue
			}
			if path.MatchString(r.URL.EscapedPath()) || path.MatchString(r.URL.Path) {
				return o
			}
		}
	}
	return nil
}

// Answer implements [Answerer].
func (d *document) Answer(w http.ResponseWriter, r *http.Request) bool {
	o := d.find(r)
	if o == nil {
		return false
	}
	status, kind, body := d.response(o)
	if body != nil {
		w.Header().Set("Content-Type", kind)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone
	return true
}

// response returns the answer of an operation: of success, if it has one.
func (d *document) response(o *operation) (status int, kind string, body []byte) {
	code := ""
	for _, c := range slices.Sorted(maps.Keys(o.responses)) {
		if strings.HasPrefix(c, "2") || code == "" && c == "default" {
			code = c
			break
		}
	}
	if code == "" && len(o.responses) > 0 {
		code = slices.Sorted(maps.Keys(o.responses))[0]
	}
	status, err := strconv.Atoi(strings.NewReplacer("X", "0", "x", "0").Replace(code))
	if err != nil || status < 200 || status > 599 {
		status = http.StatusOK
	}
	content, _ := d.object(o.responses[code])["content"].(map[string]any)
	if status == http.StatusNoContent || status == http.StatusNotModified || len(content) == 0 {
		return status, "", nil
	}
	kind = preferred(slices.Sorted(maps.Keys(content)))
	body = d.body(kind, d.object(content[kind]))
	return status, strings.ReplaceAll(kind, "*", "plain"), body
}

// preferred returns a media type of JSON, or else the first one.
func preferred(kinds []string) string {
	for _, k := range kinds {
		if isJSON(k) {
			return k
		}
	}
	return kinds[0]
}

func isJSON(kind string) bool {
	t, _, err := mime.ParseMediaType(kind)
	return err == nil && (t == "application/json" || t == "text/json" || strings.HasSuffix(t, "+json"))
}

// body returns the content of a media type: its example, or a value for its schema.
func (d *document) body(kind string, media map[string]any) []byte {
	v, ok := media["example"]
	examples, _ := media["examples"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(examples)) {
		if ok {
			break
		}
		v, ok = d.object(examples[name])["value"]
	}
	if !ok {
		v = d.sample(media["schema"])
	}
	if text, ok := v.(string); ok && !isJSON(kind) {
		return []byte(text)
	}
	raw, err := json.Marshal(v)
	if err != nil { // it was read from JSON
		return nil
	}
	return raw
}

// object returns an object. It follows references ($ref). Nil: there is none.
func (d *document) object(v any) map[string]any {
	for range maxReferences {
		object, _ := v.(map[string]any)
		name, ok := object["$ref"].(string)
		if !ok {
			return object
		}
		if v, ok = d.at(name); !ok {
			return nil
		}
	}
	return nil
}

// at returns what a reference within the document leads to.
func (d *document) at(reference string) (any, bool) {
	text, ok := strings.CutPrefix(reference, "#")
	fragment, err := url.PathUnescape(text)
	if !ok || err != nil || fragment != "" && fragment[0] != '/' {
		return nil, false
	}
	v := d.root
	for _, step := range strings.Split(fragment, "/")[1:] {
		switch at := v.(type) {
		case map[string]any:
			if v, ok = at[jsonpointer.Unescape(step)]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}
