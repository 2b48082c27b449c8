// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// An object reads the members of a JSON object. It keeps the first fault, so that a decoder reads everything that it
// needs and looks once. A member that is null is absent.
type object struct {
	at      string // JSON Pointer to the object
	members map[string]json.RawMessage
	fault   *error
}

// parse reads a whole input, strictly at every depth.
func parse(raw []byte) (object, error) {
	if _, err := strictjson.Parse(raw, strictjson.Limits{}); err != nil {
		return object{}, fmt.Errorf("the input of the hook: %w", err)
	}
	o := object{fault: new(error)}
	err := o.read(raw)
	return o, err
}

func (o *object) read(raw []byte) error {
	members, err := strictjson.Members(raw, strictjson.Limits{})
	if err != nil {
		if e := new(strictjson.Error); errors.As(err, &e) && e.Kind == strictjson.NotObject {
			return fmt.Errorf("the input of the hook: %smust be an object", place(o.at))
		}
		return fmt.Errorf("the input of the hook: %s%w", place(o.at), err)
	}
	o.members = make(map[string]json.RawMessage, len(members))
	for _, m := range members {
		if string(m.Raw) != "null" {
			o.members[m.Key] = m.Raw
		}
	}
	return nil
}

func place(at string) string {
	if at == "" {
		return ""
	}
	return fmt.Sprintf("%q ", at)
}

// has reports whether there is a member.
func (o object) has(key string) bool { return o.members[key] != nil }

// fail keeps a fault at a member, unless there is one already.
func (o object) fail(key, rule string) {
	if *o.fault == nil {
		*o.fault = fmt.Errorf("the input of the hook: %s%s", place(o.at+"/"+key), rule)
	}
}

// raw returns the member with one of the names: hosts renamed some. Under two names, it must be the same.
func (o object) raw(keys ...string) (string, json.RawMessage) {
	name := keys[0]
	var found json.RawMessage
	for _, key := range keys {
		switch v := o.members[key]; {
		case v == nil:
		case found == nil:
			name, found = key, v
		case string(found) != string(v):
			o.fail(key, "contradicts "+fmt.Sprintf("%q", name))
		}
	}
	return name, found
}

// text returns a string; "" if there is none.
func (o object) text(keys ...string) string {
	key, raw := o.raw(keys...)
	return o.string(key, raw)
}

func (o object) string(key string, raw json.RawMessage) (s string) {
	if raw != nil && json.Unmarshal(raw, &s) != nil {
		o.fail(key, "must be a string")
	}
	return s
}

// need is text that may not be empty.
func (o object) need(keys ...string) string {
	s := o.text(keys...)
	if s == "" {
		o.fail(keys[0], "is missing or empty")
	}
	return s
}

// texts returns an array of strings.
func (o object) texts(keys ...string) (list []string) {
	key, raw := o.raw(keys...)
	if raw == nil {
		return nil
	}
	elements, err := strictjson.Elements(raw, strictjson.Limits{})
	if err != nil {
		o.fail(key, "must be an array of strings")
	}
	for _, e := range elements {
		if e[0] != '"' {
			o.fail(key, "must be an array of strings")
			return nil
		}
		list = append(list, o.string(key, e))
	}
	return list
}

// child returns an object; without members if there is none.
func (o object) child(key string) object {
	c := object{at: o.at + "/" + key, fault: o.fault}
	if raw := o.members[key]; raw != nil {
		if err := c.read(raw); err != nil && *o.fault == nil {
			*o.fault = err
		}
	}
	return c
}

// arguments returns the arguments of a call: an object, or text that holds one. A call without any has {}.
func (o object) arguments(keys ...string) json.RawMessage {
	key, raw := o.raw(keys...)
	if raw == nil {
		return json.RawMessage("{}")
	}
	if raw[0] == '"' {
		raw = json.RawMessage(o.string(key, raw))
		if _, err := strictjson.Parse(raw, strictjson.Limits{}); err != nil {
			o.fail(key, "holds text that is refused: "+err.Error())
		}
	}
	if len(raw) == 0 || raw[0] != '{' {
		o.fail(key, "must be an object")
	}
	return raw
}

// withMembers makes arguments from members of o, in this order, for hosts that spread them over the input.
func (o object) withMembers(keys ...string) json.RawMessage {
	var b strings.Builder
	b.WriteByte('{')
	for _, key := range keys {
		if v := o.members[key]; v != nil {
			if b.Len() > 1 {
				b.WriteByte(',')
			}
			name, _ := json.Marshal(key)
			b.Write(name)
			b.WriteByte(':')
			b.Write(v)
		}
	}
	b.WriteByte('}')
	return json.RawMessage(b.String())
}

// kinds are the events of all hosts, in lower case without separators: "PreToolUse", "preToolUse" and "pre_tool_use" are
// one. A host whose event of such a name is something else says so itself.
var kinds = map[string]Kind{
	"pretooluse":           BeforeTool, // Claude Code and its mirrors, Copilot, Cursor, goose, Kiro, Cline
	"preskillshellcommand": BeforeTool, // Claude Code: a shell command within the text of a skill
	"beforetool":           BeforeTool, // Gemini CLI
	"beforeshellexecution": BeforeTool, // Cursor
	"beforemcpexecution":   BeforeTool,
	"beforereadfile":       BeforeTool,
	"beforetabfileread":    BeforeTool,
	"preruncommand":        BeforeTool, // Windsurf
	"prewritecode":         BeforeTool,
	"prereadcode":          BeforeTool,
	"premcptooluse":        BeforeTool,
	"toolcall":             BeforeTool, // Cline, Pi
	"toolexecutebefore":    BeforeTool, // OpenCode
	"beforetoolcall":       BeforeTool, // OpenClaw

	"posttooluse":         AfterTool,
	"posttoolusefailure":  AfterTool,
	"aftertool":           AfterTool,
	"aftershellexecution": AfterTool,
	"aftermcpexecution":   AfterTool,
	"afterfileedit":       AfterTool,
	"aftertabfileedit":    AfterTool,
	"postruncommand":      AfterTool,
	"postwritecode":       AfterTool,
	"postreadcode":        AfterTool,
	"postmcptooluse":      AfterTool,
	"toolresult":          AfterTool,
	"toolexecuteafter":    AfterTool,

	"userpromptsubmit":    Prompt,
	"userpromptsubmitted": Prompt,
	"beforeagent":         Prompt,
	"beforesubmitprompt":  Prompt,
	"preuserprompt":       Prompt,
	"promptsubmit":        Prompt,

	"sessionstart":    SessionStart,
	"agentspawn":      SessionStart, // Kiro
	"taskstart":       SessionStart, // Cline
	"agentstart":      SessionStart,
	"sessionend":      SessionEnd,
	"sessionshutdown": SessionEnd,
	"taskcomplete":    SessionEnd,
	"subagentstart":   SubagentStart,
	"subagentstop":    SubagentEnd,
}

var separators = strings.NewReplacer("_", "", ".", "", "-", "")

// kindOf returns the kind of an event with a name.
func kindOf(name string) Kind {
	if k, ok := kinds[strings.ToLower(separators.Replace(name))]; ok {
		return k
	}
	return Other
}

// kindWithPermission is kindOf for hosts whose event PermissionRequest can be answered.
func kindWithPermission(name string) Kind {
	if name == "PermissionRequest" || name == "permissionRequest" {
		return Permission
	}
	return kindOf(name)
}

// split takes an MCP tool's name apart: PREFIX server SEPARATOR tool. known is the server's name if the host tells it,
// since a name alone may be cut in two ways.
func split(e *Event, prefix, separator, known string) {
	rest, ok := strings.CutPrefix(e.Tool, prefix)
	if !ok {
		return
	}
	if known != "" {
		if tool, ok := strings.CutPrefix(rest, Plain(known)+separator); ok && tool != "" {
			e.Server, e.MCPTool = known, tool
			return
		}
	}
	if server, tool, ok := strings.Cut(rest, separator); ok && server != "" && tool != "" {
		e.Server, e.MCPTool = server, tool
	}
}

// Plain is how hosts write a server's name within the name of a tool.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, s)
}

// one returns a list of s, unless s is empty.
func one(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// sentence returns s as a sentence.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}
