// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package stdio_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkValidate100 validates 100 calls over the proxy's pipes: one after the other, all
// sent at once, and in one batch. The calls differ each time, so that no verdict is one that
// was kept; "kept" is a batch whose verdicts all were.
func BenchmarkValidate100(b *testing.B) {
	p := behind(b, configure(newGate(b), as("as-sdk-server", "2025-11-25")))
	n := 0
	id := func() string { n++; return strconv.Itoa(n) }
	request := func(tool, arguments string) (string, string) {
		i := id()
		return i, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, i, tool, arguments)
	}
	call := func() string { return fmt.Sprintf(`{"tool":"echo","arguments":{"message":%q}}`, id()) }
	i := id()
	p.ask(i, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}`, i))
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	valid := func(line string) {
		if !strings.Contains(line, `"valid":true`) || strings.Contains(line, `"valid":false`) {
			b.Fatal(line)
		}
	}
	b.Run("one by one", func(b *testing.B) {
		for b.Loop() {
			for range 100 {
				i, line := request("validate", call())
				valid(string(p.ask(i, line).Result))
			}
		}
	})
	b.Run("at once", func(b *testing.B) {
		for b.Loop() {
			lines := make([]string, 100)
			for j := range lines {
				_, lines[j] = request("validate", call())
			}
			p.send(lines...)
			for range lines {
				line, err := p.next()
				if err != nil {
					b.Fatal(err)
				}
				valid(line)
			}
		}
	})
	batch := func(next func() string) string {
		calls := make([]string, 100)
		for j := range calls {
			calls[j] = next()
		}
		return `{"calls":[` + strings.Join(calls, ",") + `]}`
	}
	b.Run("batch", func(b *testing.B) {
		for b.Loop() {
			i, line := request("validate_batch", batch(call))
			valid(string(p.ask(i, line).Result))
		}
	})
	b.Run("kept", func(b *testing.B) {
		same := batch(call)
		for b.Loop() {
			i, line := request("validate_batch", same)
			valid(string(p.ask(i, line).Result))
		}
	})
}
