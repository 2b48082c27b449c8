// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package contain

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/machine/sandbox"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "as-sandbox":
			os.Exit(sandbox.Run(os.Args[2:]))
		case "as-server":
			serve(os.Args[2])
			return
		}
	}
	os.Exit(m.Run())
}

// serve is a server with a hole for each kind of attack: it takes calls as lines of JSON, and answers each by a line.
// Relative paths begin in its root.
func serve(root string) {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var c struct{ Tool, Argument, Text string }
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			panic(err)
		}
		answer, err := hole(root, c.Tool, c.Argument, c.Text)
		if err != nil {
			answer = "failed: " + err.Error()
		}
		fmt.Println(strings.ReplaceAll(answer, "\n", " "))
	}
}

func hole(root, tool, argument, text string) (string, error) {
	path := argument
	if !filepath.IsAbs(path) {
		path = root + "/" + argument // not cleaned
	}
	switch tool {
	case "read":
		raw, err := os.ReadFile(path)
		return string(raw), err
	case "write":
		return "written", os.WriteFile(path, []byte(text), 0o644)
	case "link":
		return "linked", os.Symlink(text, path)
	case "rename":
		return "renamed", os.Rename(path, text)
	case "shell":
		out, err := exec.Command("/bin/sh", "-c", "echo "+argument).CombinedOutput()
		return string(out), err
	case "fetch":
		answer, err := (&http.Client{Timeout: 10 * time.Second}).Get(argument)
		if err != nil {
			return "", err
		}
		defer answer.Body.Close()
		raw, err := io.ReadAll(answer.Body)
		return string(raw), err
	case "send":
		conn, err := net.DialTimeout("tcp", argument, 10*time.Second)
		if err != nil {
			return "", err
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, text+"\n"); err != nil {
			return "", err
		}
		return bufio.NewReader(conn).ReadString('\n')
	case "ask": // a socket of this machine
		conn, err := net.Dial("unix", argument)
		if err != nil {
			return "", err
		}
		defer conn.Close()
		return bufio.NewReader(conn).ReadString('\n')
	case "environment":
		return os.Getenv(argument), nil
	}
	return "", fmt.Errorf("no tool %s", tool)
}
