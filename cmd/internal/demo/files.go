// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// JobsFile is the file in the root that schedule_backup appends a line to for each job.
const JobsFile = "backups.jsonl"

// maxRead bounds a file.
const maxRead = 1 << 20

// arguments are read as in a careless script: a value of the wrong type counts as missing, and nothing
// is checked.
type arguments map[string]any

func (a arguments) text(name, otherwise string) string {
	if s, ok := a[name].(string); ok {
		return s
	}
	return otherwise
}

// files implements the tools, on the files below a root.
type files struct{ root *os.Root }

func (f files) handlers() map[string]func(arguments) (string, error) {
	return map[string]func(arguments) (string, error){
		"list_directory":  f.list,
		"read_text_file":  f.read,
		"write_text_file": f.write,
		"schedule_backup": f.schedule,
	}
}

func (f files) list(args arguments) (string, error) {
	dir, err := f.root.Open(args.text("path", "."))
	if err != nil {
		return "", err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return "", err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e.Name())
		if e.IsDir() {
			b.WriteByte('/')
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

func (f files) read(args arguments) (string, error) {
	file, err := f.root.Open(args.text("path", ""))
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxRead+1))
	if err != nil {
		return "", err
	}
	if len(data) > maxRead {
		return "", errors.New("the file is larger than 1 MiB")
	}
	head, ok := args["head"].(float64)
	if !ok {
		return string(data), nil
	}
	lines := strings.SplitAfter(string(data), "\n")
	return strings.Join(lines[:min(len(lines), max(0, int(head)))], ""), nil
}

func (f files) write(args arguments) (string, error) {
	flags := os.O_WRONLY | os.O_CREATE
	switch args.text("mode", "create") {
	case "create":
		flags |= os.O_EXCL
	case "append":
		flags |= os.O_APPEND
	default: // an unknown mode overwrites
		flags |= os.O_TRUNC
	}
	if err := f.put(args.text("path", ""), flags, args.text("content", "")); err != nil {
		return "", err
	}
	return "written", nil
}

// schedule accepts any job. An impossible one fails only when it is due.
func (f files) schedule(args arguments) (string, error) {
	job, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	if err := f.put(JobsFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND, string(job)+"\n"); err != nil {
		return "", err
	}
	return fmt.Sprintf("backup of %v scheduled (%v)", args["path"], args["schedule"]), nil
}

func (f files) put(path string, flags int, text string) error {
	file, err := f.root.OpenFile(path, flags, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}
