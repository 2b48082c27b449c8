// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clientconfig

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A Wrap is how toolvet runs a server of a file.
type Wrap struct {
	Words []string   // the program and its arguments, before the server's command if it has one
	Env   []Variable // of the program, in addition to the server's, as the file would have it
}

// Behind puts the servers of a file behind a program. It calls wrap with the name of each server; nil leaves it unchanged. The words of
// a server with a command end with "--". Every other byte of the file stays, including comments and the values of environment
// variables. Behind returns the names of the changed servers. left names the servers of wrap that stay, with the reason.
func Behind(file []byte, wrap func(name string) *Wrap) (changed []byte, names, left []string, err error) {
	defer noPanic(&err)
	plain := Plain(file)
	entries, err := servers(file)
	if err != nil {
		return nil, nil, nil, err
	}
	var edits []edit
	var texts []placed
	for _, e := range entries {
		if e.dialect == nil {
			e.plain = plain
		}
		with := wrap(e.name)
		if with == nil || isToolvet(e) {
			continue
		}
		more, err := e.wrapped(with)
		if err == nil && e.dialect != nil {
			var one placed
			if one, err = e.dialect.behind(file, &e, more); err == nil {
				texts = append(texts, one)
			}
		}
		if err != nil {
			left = append(left, fmt.Sprintf("%s: %v", strictjson.Printable(e.name, 64), err))
			continue
		}
		edits, names = append(edits, more...), append(names, e.name) // the edits of a dialect are in its texts
	}
	if len(entries) > 0 && entries[0].dialect != nil {
		changed, err = entries[0].dialect.applied(file, texts)
		return changed, names, left, err
	}
	return apply(file, edits), names, left, nil
}

func (e *entry) wrapped(with *Wrap) ([]edit, error) {
	command, address, err := e.reach()
	if err != nil {
		return nil, err
	}
	if command == nil {
		if err := e.onlyURL(); err != nil {
			return nil, err
		}
		return e.bridge(address, with.Words, with.Env)
	}
	more, err := e.environment(with.Env)
	if err != nil {
		return nil, err
	}
	edits, err := e.behind(command, append(slices.Clone(with.Words), "--"))
	if err != nil {
		return nil, err
	}
	if e.find("env") == nil && len(more) > 0 {
		edits[0].text = slices.Concat(edits[0].text, []byte(", "), more[0].text)
		return edits, nil
	}
	return append(edits, more...), nil
}

// environment returns what adds variables to env. The whole member, which has no place yet, if the entry has no env.
func (e *entry) environment(add []Variable) ([]edit, error) {
	m := e.find("env")
	var known []Variable
	if m != nil && string(m.Raw) != "null" {
		var err error
		if known, err = pairs(m); err != nil {
			return nil, err
		}
	}
	var list []Variable
	for _, v := range add {
		i := slices.IndexFunc(known, func(k Variable) bool { return k.Name == v.Name })
		switch {
		case i < 0:
			list = append(list, v)
		case known[i].Value != v.Value:
			return nil, fmt.Errorf("its variable %s has two meanings", v.Name)
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	if len(known) == 0 {
		text, err := object(list)
		if err != nil || m == nil {
			return []edit{{text: text}}, err
		}
		return []edit{e.whole(m, text)}, nil
	}
	text, err := variables(list)
	if err != nil {
		return nil, err
	}
	return []edit{{m.Offset + 1, 0, append(text, ", "...)}}, nil
}

// An edit replaces a part of a file.
type edit struct {
	offset, length int
	text           []byte
}

func apply(file []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(b.offset, a.offset) })
	file = bytes.Clone(file)
	for _, e := range edits {
		file = slices.Concat(file[:e.offset], e.text, file[e.offset+e.length:])
	}
	return file
}

// behind returns the edits for one server; nil if it is already behind toolvet.
func (e *entry) behind(command *strictjson.Member, words []string) ([]edit, error) {
	program, err := text(command)
	if err != nil {
		return nil, err
	}
	var given []string
	var elements [][]byte
	args := e.get("args")
	if args != nil {
		if given, err = texts(args); err != nil {
			return nil, err
		}
		if elements, err = strictjson.Elements(args.Raw, limits); err != nil {
			return nil, err
		}
	}
	if isProxy(program, given) {
		return nil, nil
	}
	first, err := quote(words[0])
	if err != nil {
		return nil, err
	}
	var list [][]byte
	for _, word := range words[1:] {
		q, err := quote(word)
		if err != nil {
			return nil, err
		}
		list = append(list, q)
	}
	list = append(append(list, command.Raw), elements...)
	all := slices.Concat([]byte("["), bytes.Join(list, []byte(", ")), []byte("]"))
	edits := []edit{{command.Offset, len(command.Raw), first}}
	if args = e.find("args"); args != nil { // null as well
		return append(edits, edit{args.Offset, len(args.Raw), all}), nil
	}
	edits[0].text = slices.Concat(first, []byte(`, "args": `), all)
	return edits, nil
}

// quote writes a text in JSON, and does not escape <, > and &.
func quote(s string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(s)
	return bytes.TrimSpace(b.Bytes()), err
}

// Commands returns the words that start each server of a client's file, none for one with a URL. The servers that Claude Code keeps for a project count
// too, if the project is the workspace, an absolute path.
func Commands(file []byte, client, workspace string) (commands map[string][]string, err error) {
	defer noPanic(&err)
	entries, _, err := named(file, client, workspace)
	if err != nil {
		return nil, err
	}
	commands = map[string][]string{}
	for _, e := range entries {
		words, err := e.commandLine()
		if err != nil { // it has a URL, or is broken
			words = nil
		}
		commands[e.name] = words
	}
	return commands, nil
}

// named returns all servers of a client's file, and says which it cannot read. A file without servers is no error.
func named(file []byte, client, workspace string) (entries []entry, left []string, err error) {
	if d := dialects[client]; d != nil {
		entries, err = d.servers(file)
		return entries, nil, err
	}
	top, err := membersAt(Plain(file), 0)
	if err != nil {
		return nil, nil, Located(file, err)
	}
	for _, keys := range roots(client, workspace) {
		list, _, err := below(top, keys)
		if err != nil { // the other servers do not suffer from it
			left = append(left, Located(file, err).Error())
			continue
		}
		for _, m := range list {
			e := entry{name: m.Key}
			if e.members, err = membersAt(m.Raw, m.Offset); err != nil {
				left = append(left, unreadable(file, m.Key, err).Error())
				continue
			}
			entries = append(entries, e)
		}
	}
	return entries, left, nil
}
