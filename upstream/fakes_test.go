// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// fakes are servers, good and bad. Each runs in a process of its own.
var fakes = map[string]func(*fake){
	"good": func(f *fake) {
		f.initialize("2025-11-25", `{"tools":{}}`)
		f.answer(f.expect("tools/list"), `{"tools":[{"name":"t","inputSchema":  {"maximum":1.0e2,"x-kept":"\u00e9"}}]}`)
		m := f.expect("tools/call")
		f.answer(m, fmt.Sprintf(`{"content":[],"echo":%s}`, m.Params.Arguments))
		f.sleep()
	},
	"old": func(f *fake) {
		f.initialize("2024-11-05", `{}`)
		f.sleep()
	},
	"future": func(f *fake) {
		f.initialize("2031-01-01", `{}`)
		f.sleep()
	},
	"modern": func(f *fake) {
		f.refuse(f.expect("initialize"), -32601, "method not found")
		for {
			m := f.next()
			switch {
			case string(m.Params.Meta["io.modelcontextprotocol/protocolVersion"]) != `"2026-07-28"`,
				m.Params.Meta["io.modelcontextprotocol/clientCapabilities"] == nil,
				m.Params.Meta["io.modelcontextprotocol/clientInfo"] == nil:
				f.refuse(m, -32602, "_meta is not as it must be")
			case m.Method == "server/discover":
				f.answer(m, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
			case m.Method == "tools/list":
				f.answer(m, page(1, 2, ""))
			}
		}
	},
	"refuses all": func(f *fake) {
		for {
			f.refuse(f.next(), -32000, "closed on \x1b[31mSundays")
		}
	},
	"modern of another age": func(f *fake) {
		f.refuse(f.expect("initialize"), -32601, "no")
		f.answer(f.expect("server/discover"), `{"supportedVersions":["2031-01-01"]}`)
		f.sleep()
	},
	"garbage first": func(f *fake) { // seen in the wild: a banner on standard output
		f.line("Server running on stdio")
		f.line("")
		f.line(`[{"jsonrpc":"2.0"}]`)
		f.initialize("2025-06-18", `{}`)
		f.answer(f.expect("tools/list"), page(1, 1, ""))
		f.sleep()
	},
	"only garbage": func(f *fake) {
		f.line("Listening on \x1b[1mport 3000")
		f.sleep()
	},
	"dies": func(f *fake) {
		fmt.Fprintln(os.Stderr, "error: API key is missing")
		os.Exit(3)
	},
	"dies after the handshake": func(f *fake) {
		f.initialize("2025-11-25", `{}`)
		f.expect("tools/list")
		os.Exit(4)
	},
	"closes its output": func(f *fake) {
		f.expect("initialize")
		os.Stdout.Close()
		f.sleep()
	},
	"closes its input": func(f *fake) {
		f.initialize("2025-11-25", `{}`)
		os.Stdin.Close()
		time.Sleep(time.Minute) // until it is ended
	},
	"hangs": func(f *fake) { f.sleep() },
	"never reads": func(f *fake) {
		f.initialize("2025-11-25", `{}`)
		time.Sleep(time.Minute) // until it is ended
	},
	"huge line": func(f *fake) {
		f.expect("initialize")
		for {
			if _, err := os.Stdout.WriteString(strings.Repeat("x", 1<<16)); err != nil {
				os.Exit(0)
			}
		}
	},
	"wrong id": func(f *fake) {
		m := f.expect("initialize")
		m.ID = []byte(`"` + string(m.ID) + `.0"`)
		f.answer(m, `{"protocolVersion":"2025-11-25"}`)
		f.sleep()
	},
	"ambiguous answer": func(f *fake) {
		m := f.expect("initialize")
		f.line(`{"jsonrpc":"2.0","id":%s,"result":{},"RESULT":{}}`, m.ID)
		f.sleep()
	},
	"result is no object": func(f *fake) {
		f.answer(f.expect("initialize"), `"yes"`)
		f.sleep()
	},
	"asks back": func(f *fake) { // and wants to hear answers before it goes on
		m := f.expect("initialize")
		f.line(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		pong := f.next()
		f.line(`{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{}}`)
		refusal := f.next()
		capabilities := `{}`
		if string(pong.ID) == "1" && string(pong.Result) == "{}" &&
			string(refusal.ID) == `"s"` && strings.Contains(string(refusal.Error), "-32601") {
			capabilities = `{"answered":true}`
		}
		f.answer(m, fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":%s}`, capabilities))
		f.sleep()
	},
	"floods": func(f *fake) { // asks without end and reads no answer
		for {
			if _, err := os.Stdout.WriteString(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"); err != nil {
				os.Exit(0)
			}
		}
	},
	"pages": func(f *fake) {
		f.initialize("2025-11-25", `{}`)
		for {
			m := f.expect("tools/list")
			n, _ := strconv.Atoi(m.Params.Cursor)
			cursor := strconv.Itoa(n + 1)
			if n == 2 {
				cursor = ""
			}
			f.answer(m, page(n*10, n*10+9, cursor))
		}
	},
	"never ends": func(f *fake) {
		f.initialize("2025-11-25", `{}`)
		for n := 0; ; n++ {
			f.answer(f.expect("tools/list"), page(n, n, fmt.Sprint("c", n)))
		}
	},
	"goes in circles": func(f *fake) {
		f.initialize("2025-11-25", `{}`)
		for n := 0; ; n++ {
			f.answer(f.expect("tools/list"), page(n, n, fmt.Sprint("c", n%2)))
		}
	},
	"too many tools": func(f *fake) {
		f.initialize("2025-11-25", `{}`)
		f.answer(f.expect("tools/list"), page(0, 10_000, ""))
		f.sleep()
	},
	"odd tools": func(f *fake) {
		f.initialize("2025-11-25", `{}`)
		f.answer(f.expect("tools/list"), `{"tools":[{"name":"good","inputSchema":{}},{"title":"nameless"},7]}`)
		f.sleep()
	},
	"no list": func(f *fake) {
		f.initialize("2025-11-25", `{}`)
		f.answer(f.expect("tools/list"), `{"tolls":[]}`)
		f.sleep()
	},
	"no tools": func(f *fake) {
		f.initialize("2025-11-25", `{}`)
		f.refuse(f.expect("tools/list"), -32601, "Method not found")
		f.sleep()
	},
}
