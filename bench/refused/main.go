// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Refused plays attacks and harmless values through a proxy, and counts what it stops:
//
//	go run ./bench/refused -corpora DIR -- toolvet proxy --
//
// The words behind -- are the proxy's; the command of a server that runs nothing follows them. A value is an argument of a tool that
// is named for it, and counts as stopped if the call fails. A text is the result of a tool, and counts as touched if the client gets
// anything but the text. Proxy and server run in the server's directory, so files in the proxy's words need absolute paths.
package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/upstream"
)

// A kind is a corpus and the tool that takes its values.
type kind struct {
	corpus, tool, argument, description string
	result                              bool // the value is the tool's result
}

var kinds = []kind{
	{"paths", "write_file", "path", "Writes a file below the server's directory", false},
	{"urls", "fetch", "url", "Fetches a web page", false},
	{"commands", "run_command", "command", "Runs a shell command", false},
	{"sql", "query", "sql", "Runs a read-only SQL query", false},
	{"secrets", "show", "number", "Shows a document", true},
	{"injection", "show", "number", "Shows a document", true},
}

// A row of a corpus. Rows with another expectation than these four are disputed, and left out, and so are inputs that are no text.
type row struct {
	Input  any
	Expect string
}

var attack = map[string]bool{"reject": true, "accept": false, "clean": false}

func main() {
	corpora := flag.String("corpora", "../shared/corpora", "the `DIRECTORY` with the corpora, NAME.jsonl.gz")
	n := flag.Int("n", 500, "play so many `ROWS` of each corpus and label, evenly spread")
	texts := flag.String("serve", "", "be the server that shows the texts of a `FILE`, a JSON array")
	flag.Parse()
	if *texts != "" {
		log.Fatal(serve(os.Stdin, os.Stdout, *texts))
	}
	if err := run(os.Stdout, *corpora, *n, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

// run plays every corpus and writes a table.
func run(w io.Writer, dir string, n int, proxy []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	root, err := os.MkdirTemp("", "refused")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	texts, files := filepath.Join(root, "texts.json"), filepath.Join(root, "files")
	if err := os.Mkdir(files, 0o755); err != nil {
		return err
	}
	command := slices.Concat(proxy, []string{self, "-serve", texts, files})
	if command[0], err = exec.LookPath(command[0]); err != nil {
		return err
	}
	if command[0], err = filepath.Abs(command[0]); err != nil { // it starts in the server's directory
		return err
	}
	fmt.Fprintln(w, "| values | attacks stopped | harmless stopped |\n|---|---:|---:|")
	for _, k := range kinds {
		bad, good, err := read(filepath.Join(dir, k.corpus+".jsonl.gz"), k.result)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %s ", k.corpus)
		for _, values := range [][]string{spread(bad, n), spread(good, n)} {
			file, err := json.Marshal(values)
			if err == nil {
				err = os.WriteFile(texts, file, 0o644)
			}
			var stopped int
			if err == nil {
				stopped, err = play(files, command, k, values)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", k.corpus, err)
			}
			fmt.Fprintf(w, "| %d of %d (%.1f %%) ", stopped, len(values), 100*float64(stopped)/float64(max(1, len(values))))
		}
		fmt.Fprintln(w, "|")
	}
	return nil
}

func read(name string, results bool) (bad, good []string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	for d := json.NewDecoder(z); ; {
		var r row
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			return bad, good, nil
		} else if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		text, isText := r.Input.(string)
		isAttack, certain := attack[r.Expect]
		if r.Expect == "flag" && results {
			isAttack, certain = true, true
		}
		switch {
		case !isText || !certain:
		case !isAttack && !results && filepath.IsAbs(text): // a harmless file, but not of this server
		case isAttack:
			bad = append(bad, text)
		default:
			good = append(good, text)
		}
	}
}

// spread takes n values at equal distances.
func spread(values []string, n int) (some []string) {
	for i := range min(n, len(values)) {
		some = append(some, values[i*len(values)/min(n, len(values))])
	}
	return some
}

// play counts the values that the proxy stops. A proxy that ends is started again, and has stopped the value.
func play(dir string, command []string, k kind, values []string) (stopped int, err error) {
	ctx := context.Background()
	var c servers.Client
	defer func() {
		if c != nil {
			c.Close(ctx)
		}
	}()
	for i, value := range values {
		if c == nil {
			if c, err = servers.Connect(ctx, upstream.Command{Args: command, Dir: dir}, servers.Options{}); err != nil {
				return 0, err
			}
			if _, _, err := c.Tools(ctx); err != nil { // as every client asks
				return 0, err
			}
		}
		sent, want := any(value), "ran"
		if k.result {
			sent, want = i, value
		}
		whole, err := runs(ctx, c, k, sent, want)
		if !whole {
			stopped++
		}
		if gone := (*upstream.GoneError)(nil); errors.As(err, &gone) {
			c.Close(ctx)
			c = nil
		}
	}
	return stopped, nil
}

// runs reports whether a call ran, and its result reached the client as the server wrote it.
func runs(ctx context.Context, c servers.Client, k kind, value any, want string) (whole bool, err error) {
	arguments, err := json.Marshal(map[string]any{k.argument: value})
	if err != nil {
		return false, err
	}
	raw, err := c.Call(ctx, k.tool, arguments)
	if err != nil {
		return false, err
	}
	var result struct {
		IsError bool
		Content []struct{ Text string }
	}
	err = json.Unmarshal(raw, &result)
	return err == nil && !result.IsError && len(result.Content) == 1 && result.Content[0].Text == want, err
}

// serve is the server: it runs nothing. The tool show gives a text by its number.
func serve(r io.Reader, w io.Writer, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var texts []string
	if err := json.Unmarshal(text, &texts); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	var tools []any
	listed := map[string]bool{}
	for _, k := range kinds {
		if !listed[k.tool] {
			listed[k.tool] = true
			tools = append(tools, map[string]any{"name": k.tool, "description": k.description, "inputSchema": map[string]any{
				"type": "object", "required": []string{k.argument}, "properties": map[string]any{k.argument: map[string]any{"type": map[bool]string{false: "string", true: "integer"}[k.result]}},
			}})
		}
	}
	out := json.NewEncoder(w)
	for d := json.NewDecoder(bufio.NewReader(r)); ; {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name      string
				Arguments struct{ Number int }
			}
		}
		if err := d.Decode(&m); err != nil {
			return err
		}
		var result any = map[string]any{}
		switch m.Method {
		case "initialize":
			result = map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]any{"name": "refused", "version": "1"}}
		case "tools/list":
			result = map[string]any{"tools": tools}
		case "tools/call":
			text := "ran"
			if i := m.Params.Arguments.Number; m.Params.Name == "show" && i >= 0 && i < len(texts) {
				text = texts[i]
			}
			result = map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}}
		}
		if m.ID != nil {
			if err := out.Encode(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result}); err != nil {
				return err
			}
		}
	}
}
