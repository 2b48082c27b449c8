// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// File is the usual name of a lock file.
const File = "toolvet.lock"

// version is that of the file's format.
const version = "1"

// maxBytes is the size of the largest lock file.
const maxBytes = 64 << 20

// Load reads a lock file. If there is none, the error is an [os.ErrNotExist].
func Load(file string) (*Lock, error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("reading the lock: %w; 'toolvet lock' writes it", err)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the lock: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading the lock: %w", err)
	}
	l, err := parseLock(data)
	if err != nil {
		return nil, fmt.Errorf("the lock %s cannot be used: %w; restore it, or remove it and lock the tools anew", file, err)
	}
	return l, nil
}

// parseLock reads the text of a lock file. It refuses what [Lock.encode] does not write: unknown
// keys, and definitions that do not match their digests.
func parseLock(data []byte) (*Lock, error) {
	v, err := strictjson.Parse(data, strictjson.Limits{Bytes: maxBytes, Depth: strictjson.DefaultDepth + 4})
	if err != nil {
		return nil, err
	}
	file, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("the file is not an object")
	}
	keys := []string{"servers", "version"}
	for _, list := range allLists[1:] {
		if _, ok := file[sectionOf(list)]; ok {
			keys = append(keys, sectionOf(list))
		}
	}
	if file, err = members(v, "", keys...); err != nil {
		return nil, err
	}
	if file["version"] != json.Number(version) {
		return nil, errors.New(`"/version" is not ` + version + `, which is what this toolvet reads`)
	}
	l := &Lock{lists: map[string]servers{}}
	for _, list := range allLists {
		v, ok := file[sectionOf(list)]
		if !ok {
			continue
		}
		if l.lists[list], err = parseSection(list, v); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func parseSection(list string, v any) (servers, error) {
	pointer := "/" + sectionOf(list)
	object, err := members(v, pointer)
	if err != nil {
		return nil, err
	}
	section := servers{}
	for _, name := range sortedKeys(object) {
		if section[name], err = parseServer(list, object[name], below(pointer, name)); err != nil {
			return nil, err
		}
	}
	return section, nil
}

func parseServer(list string, v any, pointer string) (map[string]*pinned, error) {
	object, err := members(v, pointer)
	if err != nil {
		return nil, err
	}
	tools := make(map[string]*pinned, len(object))
	for _, name := range sortedKeys(object) {
		if tools[name], err = parsePinned(list, name, object[name], below(pointer, name)); err != nil {
			return nil, err
		}
	}
	return tools, nil
}

func parsePinned(list, name string, v any, pointer string) (*pinned, error) {
	object, err := members(v, pointer, "definition", "digest")
	if err != nil {
		return nil, err
	}
	definition, err := members(object["definition"], pointer+"/definition")
	if err != nil {
		return nil, err
	}
	if definition[keyOf(list)] != name {
		return nil, fmt.Errorf("%s is not the definition of %s of this name", place(pointer+"/definition"), article[list])
	}
	p := &pinned{digest: digestOf(definition), definition: definition}
	if object["digest"] != p.digest {
		return nil, fmt.Errorf("%s is not the digest of the definition beside it: one of them was edited", place(pointer+"/digest"))
	}
	return p, nil
}

// members reads an object, which has just these keys if there are any.
func members(v any, pointer string, keys ...string) (map[string]any, error) {
	object, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s is not an object", place(pointer))
	}
	for _, key := range keys {
		if _, ok := object[key]; !ok {
			return nil, fmt.Errorf("%s has no %q", place(pointer), key)
		}
	}
	if len(keys) > 0 && len(object) > len(keys) {
		return nil, fmt.Errorf("%s has keys beside %q", place(pointer), keys)
	}
	return object, nil
}

func place(pointer string) string {
	if pointer == "" {
		return "the file"
	}
	return `"` + Visible(pointer) + `"`
}

// encode writes the lock as JSON: sorted and indented for diffs in version control, and with
// escapes for invisible characters. The error says that it would be larger than 64 MiB.
func (l *Lock) encode() ([]byte, error) {
	file := map[string]any{"version": json.Number(version), sectionOf(Tools): map[string]any{}}
	for list, servers := range l.lists {
		section := map[string]any{}
		for server, entries := range servers {
			object := map[string]any{}
			for name, p := range entries {
				object[name] = map[string]any{"digest": p.digest, "definition": p.definition}
			}
			section[server] = object
		}
		file[sectionOf(list)] = section
	}
	w := writer{people: true, limit: maxBytes}
	w.value(file, 0)
	w.buf = append(w.buf, '\n')
	if len(w.buf) > maxBytes {
		return nil, fmt.Errorf("the lock would be larger than %d MiB", maxBytes>>20)
	}
	return w.buf, nil
}

// Write writes the lock to a file with the mode 0644, all of it or nothing. The old content is
// replaced; if it is a link, the file that it leads to is.
func (l *Lock) Write(file string) error {
	text, err := l.encode()
	if err != nil {
		return fmt.Errorf("writing the lock: %w", err)
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	if err := replace(file, text); err != nil {
		return fmt.Errorf("writing the lock: %w", err)
	}
	return nil
}

func replace(file string, text []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(text)
	err = errors.Join(err, temporary.Chmod(0o644), temporary.Sync(), temporary.Close())
	if err != nil {
		return err
	}
	return os.Rename(temporary.Name(), file)
}
