// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// serve is a small MCP server with the tool write_file, so that the rehearsal is most of the measured work. It looks
// at every file in dirs as it starts.
func serve(dirs []string) {
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil {
				_, err = d.Info()
			}
			return err
		})
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Arguments struct{ Path, Content string }
			}
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		result := `{}`
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}`
		case "tools/list":
			result = `{"tools":[{"name":"write_file","inputSchema":{"type":"object"}}]}`
		case "tools/call":
			err := os.WriteFile(m.Params.Arguments.Path, []byte(m.Params.Arguments.Content), 0o600)
			result = fmt.Sprintf(`{"content":[],"isError":%v}`, err != nil)
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
	}
}
