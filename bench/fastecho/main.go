// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Fastecho is an MCP server, over stdio or HTTP, that costs next to nothing, so that a benchmark measures the proxy in front of
// it. It reads no more of a request than it needs, and trusts it. Its tool echo returns the argument message. Its
// tool text returns the content of FILE, repeated or cut to the argument bytes.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
)

const schema = `{"type":"object","properties":{"message":{"type":"string","description":"what to give back"},"path":{"type":"string","description":"a file"}},"required":["message"]}`

type server struct {
	list  []byte
	file  string
	texts map[int][]byte // as JSON, by size
}

func main() {
	tools := flag.Int("tools", 0, "list so many `TOOLS` besides echo and text")
	file := flag.String("file", "", "the `FILE` with the text of the tool text")
	listen := flag.String("listen", "", "serve HTTP at `ADDRESS`, not stdio")
	flag.Parse()
	s := &server{file: *file, texts: map[int][]byte{}}
	list := []string{
		`{"name":"echo","description":"Gives back what it is sent","inputSchema":` + schema + `}`,
		`{"name":"text","description":"Gives a text","inputSchema":{"type":"object","properties":{"bytes":{"type":"integer"}}}}`,
	}
	for i := range *tools {
		list = append(list, fmt.Sprintf(`{"name":"tool_%d","description":"Reads file number %d and returns its text, line by line.","inputSchema":%s}`, i, i, schema))
	}
	s.list = []byte(`{"tools":[` + strings.Join(list, ",") + `]}`)
	if *listen != "" {
		log.Fatal(http.ListenAndServe(*listen, s))
	}
	r := bufio.NewReaderSize(os.Stdin, 64<<10)
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if err == bufio.ErrBufferFull {
			continue
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		if answer := s.answer(line); answer != nil {
			if _, err := os.Stdout.Write(answer); err != nil {
				return
			}
		}
		line = line[:0]
	}
}

// ServeHTTP answers a message with JSON. The tool text is for stdio alone, since calls share its texts.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "only POST", http.StatusMethodNotAllowed)
		return
	}
	message, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	answer := s.answer(message)
	if answer == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	_, _ = w.Write(answer)
}

// answer returns the answer to a request, nil to a notification.
func (s *server) answer(line []byte) []byte {
	id := after(line, `"id":`)
	if id == nil {
		return nil
	}
	id = id[:bytes.IndexAny(id, ",}")]
	var result []byte
	switch {
	case has(line, `"tools/call"`):
		result = s.call(line)
	case has(line, `"tools/list"`):
		result = s.list
	case has(line, `"initialize"`):
		result = []byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"fastecho","version":"1"}}`)
	default:
		result = []byte(`{}`)
	}
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":`), result, []byte("}\n"))
}

func (s *server) call(line []byte) []byte {
	message := []byte(`""`)
	if text := after(line, `"message":"`); text != nil {
		end := bytes.Index(text, []byte(`"`))
		for end > 0 && text[end-1] == '\\' && !bytes.HasSuffix(text[:end], []byte(`\\`)) {
			end += 1 + bytes.Index(text[end+1:], []byte(`"`))
		}
		message = slices.Concat([]byte(`"Echo: `), text[:end], []byte(`"`))
	} else if text := after(line, `"bytes":`); text != nil {
		size, _ := strconv.Atoi(string(text[:bytes.IndexAny(text, ",}")]))
		message = s.text(size)
	}
	return slices.Concat([]byte(`{"content":[{"type":"text","text":`), message, []byte(`}]}`))
}

func (s *server) text(size int) []byte {
	if s.texts[size] == nil {
		raw, err := os.ReadFile(s.file)
		if err != nil {
			log.Fatal(err)
		}
		text := bytes.Repeat(raw, size/len(raw)+1)[:size]
		if s.texts[size], err = json.Marshal(strings.ToValidUTF8(string(text), "")); err != nil {
			log.Fatal(err)
		}
	}
	return s.texts[size]
}

// near is where a proxy writes the members of a message that are not its params: at its begin, or its end.
const near = 300

func has(line []byte, what string) bool {
	return bytes.Contains(line[:min(len(line), near)], []byte(what)) || bytes.Contains(line[max(0, len(line)-near):], []byte(what))
}

// after returns what follows a text for the first time, nil if it is missing.
func after(line []byte, what string) []byte {
	if i := bytes.Index(line, []byte(what)); i >= 0 {
		return line[i+len(what):]
	}
	return nil
}
