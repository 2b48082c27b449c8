// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clientconfig

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// maxBytes bounds a file.
const maxBytes = 8 << 20

// A Config has the servers of a file.
type Config struct {
	Servers []*Server // in the order of the file
	Left    []string  // servers left out, with the reason
}

// A Server is the entry of one server for a policy. Texts are templates of a policy: ${NAME} stands for
// an environment variable, $$ for a dollar sign.
type Server struct {
	Name    string // valid in a policy
	Given   string // as in the file
	Command []string
	Env     []Variable
	Dir     string
	URL     string // instead of a command
	Headers []Variable
	Needs   []Variable `json:"-"` // the variables in the templates, with their values as the file has them: perhaps secrets
	Notes   []string   // advice for starting the server, a sentence each
}

// A Variable is a name and the template of its value.
type Variable struct{ Name, Value string }

// Options resolve the placeholders of a file.
type Options struct {
	Workspace string                                 // ${workspaceFolder}; absolute
	Home      string                                 // ${userHome}
	Variables func(envFile string) ([]string, error) // returns the names in an envFile; nil: env files are ignored
}

// A Reader reads several files, and gives each variable one meaning in all of them.
type Reader struct {
	options Options
	secrets *finder
	taken   map[string]string // values by the names of their variables
}

// NewReader makes a Reader.
func NewReader(o Options) (*Reader, error) {
	f, err := newFinder()
	if err != nil {
		return nil, err
	}
	return newReaderWith(f, o), nil
}

func newReaderWith(f *finder, o Options) *Reader {
	return &Reader{options: o, secrets: f, taken: map[string]string{}}
}

// Read reads the text of a file, of whichever client. A file without a place for servers is an error. Errors never quote the file.
func (r *Reader) Read(text []byte) (c *Config, err error) {
	defer noPanic(&err)
	entries, err := servers(text)
	if err != nil {
		return nil, err
	}
	return r.config(entries, nil), nil
}

// ReadOf is Read for a file of a known client, which may hold other settings and no server.
func (r *Reader) ReadOf(client string, text []byte) (c *Config, err error) {
	defer noPanic(&err)
	entries, left, err := named(text, client, r.options.Workspace)
	if err != nil {
		return nil, err
	}
	return r.config(entries, left), nil
}

func (r *Reader) config(entries []entry, left []string) *Config {
	c := &Config{Left: left}
	for _, e := range entries {
		s, err := r.server(e)
		if err != nil {
			c.Left = append(c.Left, fmt.Sprintf("%s: %v", strictjson.Printable(e.name, 64), err))
			continue
		}
		c.Servers = append(c.Servers, s)
	}
	return c
}

// An entry is a server in its original form.
type entry struct {
	name    string
	members []strictjson.Member // offsets are from the start of the file, or of plain
	plain   []byte              // the entry itself; nil where nobody needs it
	dialect *dialect            // nil: the file has mcpServers
	place   found               // of a dialect
}

// get returns a member, nil if it is absent or null.
func (e *entry) get(key string) *strictjson.Member {
	m := e.find(key)
	if m == nil || string(m.Raw) == "null" {
		return nil
	}
	return m
}

// commandLine returns the program of an entry and its arguments.
func (e *entry) commandLine() ([]string, error) {
	command := e.get("command")
	if command == nil {
		return nil, errors.New("it has no command")
	}
	program, err := text(command)
	if err != nil {
		return nil, err
	}
	m := e.get("args")
	if m == nil {
		return []string{program}, nil
	}
	args, err := texts(m)
	return append([]string{program}, args...), err
}

func (e *entry) find(key string) *strictjson.Member {
	i := slices.IndexFunc(e.members, func(m strictjson.Member) bool { return m.Key == key })
	if i < 0 {
		return nil
	}
	return &e.members[i]
}

var limits = strictjson.Limits{Bytes: maxBytes}

// servers finds the servers of a file: below mcpServers, below servers (VS Code), below
// both words of mcp.servers (its settings.json), or as a dialect has them.
func servers(text []byte) ([]entry, error) {
	root, err := membersAt(Plain(text), 0)
	if err != nil {
		for _, client := range []string{"codex", "goose"} {
			if list, err := dialects[client].servers(text); err == nil && len(list) > 0 {
				return list, nil
			}
		}
		return nil, Located(text, err)
	}
	none := false // there is a place for servers, and none is in it
	for _, path := range [][]string{{"mcpServers"}, {"servers"}, {"mcp", "servers"}} {
		list, found, err := below(root, path)
		if err != nil {
			return nil, Located(text, err)
		}
		none = none || found
		if len(list) == 0 {
			continue
		}
		entries := make([]entry, len(list))
		for i, m := range list {
			entries[i].name = m.Key
			if entries[i].members, err = membersAt(m.Raw, m.Offset); err != nil {
				return nil, unreadable(text, m.Key, err)
			}
		}
		return entries, nil
	}
	if list, err := dialects["opencode"].servers(text); err == nil && len(list) > 0 {
		return list, nil
	}
	if none {
		return nil, nil
	}
	return nil, errors.New(`there is no "mcpServers" and no "servers": this is no configuration of MCP servers`)
}

func below(members []strictjson.Member, path []string) (list []strictjson.Member, found bool, err error) {
	for _, key := range path {
		i := slices.IndexFunc(members, func(m strictjson.Member) bool { return m.Key == key })
		if i < 0 || string(members[i].Raw) == "null" {
			return nil, false, nil
		}
		if members, err = membersAt(members[i].Raw, members[i].Offset); err != nil {
			return nil, false, fmt.Errorf("%q cannot be read: %w", key, err)
		}
	}
	return members, true, nil
}

func membersAt(object []byte, offset int) ([]strictjson.Member, error) {
	members, err := strictjson.Members(object, limits)
	for i := range members {
		members[i].Offset += offset
	}
	return members, moved(err, offset)
}

func text(m *strictjson.Member) (string, error) {
	v, err := strictjson.Parse(m.Raw, limits)
	s, ok := v.(string)
	if err != nil || !ok {
		return "", fmt.Errorf("%q is no text", m.Key)
	}
	return s, nil
}

func texts(m *strictjson.Member) ([]string, error) {
	v, err := strictjson.Parse(m.Raw, limits)
	list, ok := v.([]any)
	out := make([]string, len(list))
	for i, e := range list {
		s, isText := e.(string)
		out[i], ok = s, ok && isText
	}
	if err != nil || !ok {
		return nil, fmt.Errorf("%q is no list of texts", m.Key)
	}
	return out, nil
}

// pairs reads an object of texts; numbers and booleans keep their spelling.
func pairs(m *strictjson.Member) ([]Variable, error) {
	members, err := strictjson.Members(m.Raw, limits)
	if err != nil {
		return nil, fmt.Errorf("%q is no object", m.Key)
	}
	list := make([]Variable, len(members))
	for i, v := range members {
		list[i] = Variable{v.Key, string(v.Raw)}
		switch v.Raw[0] {
		case '"':
			if list[i].Value, err = text(&v); err != nil {
				return nil, err
			}
		case '{', '[', 'n':
			return nil, fmt.Errorf("%q has a value other than text", m.Key)
		}
	}
	return list, nil
}

// server makes the templates of an entry.
func (r *Reader) server(e entry) (*Server, error) {
	s := &Server{Name: nameFor(e.name), Given: e.name}
	kind := "stdio"
	if m := e.address(); m != nil {
		kind = "http"
	}
	if m := e.get("type"); m != nil {
		var err error
		if kind, err = text(m); err != nil {
			return nil, err
		}
	}
	w := &words{Reader: r, server: s, own: map[string]string{}}
	var err error
	if m := e.get("env"); m != nil {
		list, err := pairs(m)
		if err != nil {
			return nil, err
		}
		for _, v := range list {
			w.own[v.Name] = v.Value
		}
	}
	switch kind {
	case "stdio", "local":
		err = w.stdio(&e)
	case "http", "streamable-http", "streamableHttp":
		err = w.http(&e)
	case "sse":
		return nil, errors.New("it is reached by HTTP+SSE, which MCP has replaced in 2025: ask for its Streamable HTTP endpoint")
	default:
		return nil, errors.New("its type is unknown")
	}
	return s, err
}

func (w *words) stdio(e *entry) error {
	command := e.get("command")
	if command == nil {
		return errors.New("it has neither a command nor a url")
	}
	program, err := text(command)
	if err != nil {
		return err
	}
	var args []string
	if m := e.get("args"); m != nil {
		if args, err = texts(m); err != nil {
			return err
		}
	}
	if isToolvet(*e) {
		return errors.New("it is behind toolvet already")
	}
	w.server.Command = append([]string{w.replace(program)}, w.arguments(args)...)
	if m := e.get("cwd"); m != nil {
		dir, err := text(m)
		if err != nil {
			return err
		}
		w.server.Dir = w.directory(dir)
	}
	if err := w.envFile(e); err != nil {
		return err
	}
	if m := e.get("env"); m != nil {
		list, err := pairs(m)
		if err != nil {
			return err
		}
		for _, v := range list {
			w.setEnv(Variable{v.Name, w.value(v.Name, v.Value)})
		}
	}
	return nil
}

// address returns the member with the URL of a server; nil if there is none.
func (e *entry) address() *strictjson.Member {
	for _, key := range []string{"url", "httpUrl", "serverUrl"} {
		if m := e.get(key); m != nil {
			return m
		}
	}
	return nil
}

func (w *words) http(e *entry) error {
	m := e.address()
	if m == nil {
		return errors.New("it has no url")
	}
	url, err := text(m)
	if err != nil {
		return err
	}
	w.server.URL = w.url(url)
	if m := e.get("headers"); m != nil {
		list, err := pairs(m)
		if err != nil {
			return err
		}
		for _, v := range list {
			if slices.Contains(ownHeaders, strings.ToLower(v.Name)) {
				continue
			}
			w.server.Headers = append(w.server.Headers, Variable{v.Name, w.header(v.Name, v.Value)})
		}
	}
	return nil
}

// maxName is the longest name of a server for "toolvet serve", in bytes.
const maxName = 64

var underscores = lazyregexp.New(`__+`)

// nameFor makes a valid name for a policy. "toolvet serve" puts it before names of tools, so it has no colon,
// only visible characters, and single underscores inside.
func nameFor(given string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_.-", r) {
			return r
		}
		return '-'
	}, given)
	name = strings.Trim(underscores.ReplaceAllString(name, "_"), "-_")
	if name = strings.TrimRight(name[:min(len(name), maxName)], "-_"); name == "" {
		return "server"
	}
	return name
}

// isProxy reports whether a command is "toolvet proxy".
func isProxy(program string, args []string) bool {
	base := filepath.Base(strings.ReplaceAll(program, `\`, "/"))
	return strings.TrimSuffix(base, ".exe") == "toolvet" && len(args) > 0 && args[0] == "proxy"
}
