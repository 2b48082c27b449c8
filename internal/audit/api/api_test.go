// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/machine/egress"
)

// ask returns the answer to a request in a line: its status, media type and body; "none": there is none.
func ask(t testing.TB, a Answerer, target egress.Target, method, path string) string {
	t.Helper()
	server := &egress.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !a.Answer(w, r) {
			http.Error(w, "none", http.StatusTeapot)
		}
	})}
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go server.Serve(far, target)
		return near, nil
	}}}
	request, err := http.NewRequestWithContext(t.Context(), method, "http://"+target.Host+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode == http.StatusTeapot {
		return "none"
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s %s", answer.StatusCode, answer.Header.Get("Content-Type"), body))
}

func file(t testing.TB, text string) *File {
	t.Helper()
	f, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const document1 = `
openapi: 3.0.3
servers: [{url: "https://api.example.com/v1/"}, {url: "http://localhost:3000"}]
paths:
  /items:
    get:
      responses:
        default: {description: error}
        "200": {content: {text/csv: {example: a}, application/json: {examples: {b: {value: [2]}, a: {value: [1]}}}}}
    delete: {responses: {"204": {description: gone}}}
    post: {responses: {"4XX": {content: {application/problem+json: {schema: {type: object, properties: {title: {type: string}}}}}}}}
  /items/{id}:
    parameters: [{name: id, in: path}]
    get: {responses: {"2XX": {content: {application/json: {schema: {type: string, format: uuid}}}}}}
  /items/first:
    get: {responses: {"200": {content: {application/json: {example: {first: true}}}}}}
  /text:
    get: {responses: {"200": {content: {text/plain: {schema: {type: string, maxLength: 3}}}}}}
  /shared:
    $ref: "#/x-paths/shared"
  /files/{path}:
    servers: [{url: /}]
    get: {responses: {"200": {$ref: "#/components/responses/file"}}}
x-paths: {shared: {get: {responses: {"200": {content: {application/json: {example: 1}}}}}}}
components: {responses: {file: {content: {application/json: {example: f}}}}}
`

func TestOpenAPI(t *testing.T) {
	t.Parallel()
	a := file(t, document1).Answerer()
	api := egress.Target{Host: "api.example.com", Port: 443}
	for _, tt := range []struct {
		target             egress.Target
		method, path, want string
	}{
		{api, "GET", "/v1/items", "200 application/json [1]"},
		{api, "GET", "/v1/items/?page=2", "200 application/json [1]"},
		{api, "DELETE", "/v1/items", "204"},
		{api, "POST", "/v1/items", `400 application/problem+json {"title":"audit"}`},
		{api, "PUT", "/v1/items", "none"},
		{api, "GET", "/v1/items/a%2Fb", `200 application/json "4f6b9c1e-7a3d-4c2b-9d8e-1f2a3b4c5d6e"`},
		{api, "GET", "/v1/items/first", `200 application/json {"first":true}`},
		{api, "GET", "/v1/text", "200 text/plain aud"},
		{api, "GET", "/v1/shared", "200 application/json 1"},
		{api, "GET", "/items", "none"},
		{egress.Target{Host: "api.example.com", Port: 8443}, "GET", "/v1/items", "none"},
		{egress.Target{Host: "api.example.org", Port: 443}, "GET", "/v1/items", "none"},
		{egress.Target{Host: "127.0.0.1", Port: 3000}, "GET", "/items", "200 application/json [1]"},
		{egress.Target{Host: "127.0.0.1", Port: 80}, "GET", "/items", "none"},
		{egress.Target{Host: "files.example.org", Port: 80}, "GET", "/files/a/b.txt", `200 application/json "f"`},
	} {
		if got := ask(t, a, tt.target, tt.method, tt.path); got != tt.want {
			t.Errorf("%s %s %s: got %s, want %s", tt.method, tt.target, tt.path, got, tt.want)
		}
	}
	if diff := cmp.Diff([]uint16{3000}, file(t, document1).Ports()); diff != "" {
		t.Error(diff)
	}
}

func TestSample(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{"type": "integer", "minimum": 2.5}`:                                                                                    `3`,
		`{"type": "number", "maximum": 0}`:                                                                                       `0`,
		`{"type": ["null", "boolean"]}`:                                                                                          `true`,
		`{"type": "string", "enum": ["b", "a"]}`:                                                                                 `"b"`,
		`{"type": "string", "pattern": "^[0-9]{3}$"}`:                                                                            `"111"`,
		`{"type": "array", "minItems": 2, "items": {"type": "integer"}}`:                                                         `[1,1]`,
		`{"type": "array", "maxItems": 0, "items": {"type": "integer"}}`:                                                         `[]`,
		`{"properties": {"a": {"const": 7}, "b": {"default": "x"}}}`:                                                             `{"a":7,"b":"x"}`,
		`{"type": "object", "additionalProperties": {"type": "integer"}}`:                                                        `{"audit":1}`,
		`{"oneOf": [{"type": "null"}, {"type": "object", "example": {"a":1}}]}`:                                                  `{"a":1}`,
		`{"allOf": [{"$ref": "#/x/named"}, {"properties": {"id": {"type": "integer"}}}], "properties": {"own": {"example": 1}}}`: `{"id":1,"name":"audit","own":1}`,
		`{"$ref": "#/x/tree"}`:                                                                                                   `{"children":[],"name":"audit"}`,
		`{"$ref": "#/x/endless"}`:                                                                                                `{}`,
		`{"$ref": "#/x/itself"}`:                                                                                                 `{}`,
		`{"$ref": "#/x/none"}`:                                                                                                   `{}`,
		`{"$ref": "other.yaml#/a"}`:                                                                                              `{}`,
	} {
		var root, s any
		for text, to := range map[string]any{
			`{"x": {"named": {"type": "object", "properties": {"name": {"type": "string"}}}, "itself": {"$ref": "#/x/itself"},
				"tree": {"type": "object", "required": ["children"], "properties": {"name": {"type": "string"}, "parent": {"$ref": "#/x/tree"}, "children": {"type": "array", "items": {"$ref": "#/x/tree"}}}},
				"endless": {"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#/x/endless"}}}}}`: &root,
			schema: &s,
		} {
			if err := json.Unmarshal([]byte(text), to); err != nil {
				t.Fatal(err)
			}
		}
		got, err := json.Marshal((&document{root: root}).sample(s))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s %v, want %s", schema, got, err, want)
		}
	}
}

// TestSampleBounds has schemas whose values would be endless.
func TestSampleBounds(t *testing.T) {
	t.Parallel()
	wide := map[string]any{"type": "string", "example": strings.Repeat("x", 1000)}
	for range 20 {
		wide = map[string]any{"type": "array", "minItems": 1e9, "items": wide}
	}
	members := map[string]any{"type": "string", "minLength": 9000.0}
	for range 20 {
		properties := map[string]any{}
		for i := range 50 {
			properties[fmt.Sprint("p", i)] = members
		}
		members = map[string]any{"type": "object", "properties": properties}
	}
	for _, schema := range []map[string]any{wide, members} {
		raw, err := json.Marshal((&document{}).sample(schema))
		if err != nil || len(raw) > 2*maxSize {
			t.Errorf("%d bytes: %v", len(raw), err)
		}
	}
}

// endless is a reader without an end.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	return len(b), nil
}

func TestFaults(t *testing.T) {
	t.Parallel()
	const head = "openapi: 3.1.0\n"
	for _, tt := range []struct{ text, want string }{
		{"", "neither"}, {"{", "neither"}, {"[]", "neither"}, {`"a"`, "neither"}, {"{}", "neither"}, {"# a\n", "neither"},
		{`{"log": {"entries": []}}`, "empty"},
		{`{"log": {"entries": [{"request": {"method": "GET", "url": "/a"}, "response": {"status": 200}}]}}`, "entry 1: the request has no method and absolute URL"},
		{`{"swagger": "2.0", "paths": {}}`, "Swagger 2"}, {`{"openapi": "2.0"}`, "not of version 3"}, {`{"openapi": "3.0.0"}`, "without operations"},
		{"a: [", "it is not YAML"}, {"a: b: c", "it is not YAML: line 1"}, {head + "a: &x 1\nb: *x\n", "anchors"},
		{head + "a: " + strings.Repeat("[", 100_000), "nested deeper"}, {head + strings.Repeat("- ", 100_000), "nested deeper"},
		{head + "paths: {" + strings.Repeat("a: 1, ", 10_000) + "}", "a mapping has more"},
		{head + "paths:\n" + strings.Repeat("  a: 1\n", 10_000), "a mapping has more"},
		{head + "a: [" + strings.Repeat("1, ", 200_000) + "]", "words and marks"},
		{head + "a: " + strings.Repeat("x", 5<<20), "give it as JSON"},
		{`{"openapi": "3.0.0", "x": ` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}", "depth"},
		{`{"openapi": "3.0.0", "servers": [{"url": "https://a b/"}], "paths": {"/a": {"get": {}}}}`, `paths: "/a": get: servers: 0: the url is not valid`},
		{`{"openapi": "3.0.0", "servers": [{"url": "https://a_!/"}], "paths": {"/a": {"get": {}}}}`, "no valid host"},
	} {
		if _, err := Read(strings.NewReader(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.60q: got %v, want %s", tt.text, err, tt.want)
		}
	}
	if _, err := Read(endless{}); err == nil || !strings.Contains(err.Error(), "larger than 64 MB") {
		t.Errorf("got %v", err)
	}
}

// TestAgain holds that each session hears recorded answers from the first one on.
func TestAgain(t *testing.T) {
	t.Parallel()
	const entry = `{"request": {"method": "GET", "url": "http://a.example/x"}, "response": {"status": %d, "content": {}}}`
	f := file(t, `{"log": {"entries": [`+fmt.Sprintf(entry, 202)+","+fmt.Sprintf(entry, 200)+`]}}`)
	for range 2 {
		a := f.Answerer()
		for _, want := range []string{"202", "200", "200"} {
			if got := ask(t, a, egress.Target{Host: "a.example", Port: 80}, "GET", "/x"); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
	}
}

// FuzzRead holds that any text is read or refused, and that a document answers the same each time, with JSON where it says so.
func FuzzRead(f *testing.F) {
	f.Add(document1)
	f.Add(`{"log": {"entries": [{"request": {"method": "GET", "url": "http://a.example/x"}, "response": {"status": 200, "content": {}}}]}}`)
	f.Add(`{"openapi": "3.0.0", "paths": {"/a/{b}": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#"}}}}}}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		root, err := readYAML(text)
		if err != nil {
			return
		}
		d, err := newDocument(root)
		if err != nil {
			return
		}
		for i := range d.operations {
			_, kind, body := d.response(&d.operations[i])
			_, _, again := d.response(&d.operations[i])
			if string(body) != string(again) || body != nil && isJSON(kind) && !json.Valid(body) {
				t.Errorf("%s: %s", body, again)
			}
		}
	})
}
