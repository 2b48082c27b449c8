// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clientconfig

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Behind puts the servers of a file behind a program. It calls wrap with the name of each server that
// has a command, and puts the result before the command; nil leaves the server unchanged. Every other
// byte of the file stays, including comments and the values of environment variables. Behind returns
// the names of the changed servers.
func Behind(file []byte, wrap func(name string) []string) (changed []byte, names []string, err error) {
	entries, err := servers(file)
	if err != nil {
		return nil, nil, err
	}
	var edits []edit
	for _, e := range entries {
		command := e.get("command")
		if command == nil {
			continue
		}
		words := wrap(e.name)
		if len(words) == 0 {
			continue
		}
		more, err := e.behind(command, words)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", strictjson.Printable(e.name, 64), err)
		}
		if more != nil {
			edits, names = append(edits, more...), append(names, e.name)
		}
	}
	return apply(file, edits), names, nil
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

// Proxied returns the names of the servers of a file, and for each whether "toolvet proxy" runs it: by the program's bare name or absolute path,
// because a relative one may lead to any program.
func Proxied(file []byte) (map[string]bool, error) {
	entries, err := servers(file)
	if err != nil {
		return nil, err
	}
	list := make(map[string]bool, len(entries))
	for _, e := range entries {
		list[e.name] = e.proxied()
	}
	return list, nil
}

func (e *entry) proxied() bool {
	command, args := e.get("command"), e.get("args")
	if command == nil || args == nil {
		return false
	}
	program, err := text(command)
	if err != nil || strings.ContainsAny(program, `/\`) && !filepath.IsAbs(program) {
		return false
	}
	words, err := texts(args)
	return err == nil && isProxy(program, words)
}
