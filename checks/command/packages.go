// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// withoutPackages takes the calls out of JavaScript whose function is a package's of the project: require('x').f(. Modules of Node.js
// itself stay, and packages that start programs or reach the network.
func (s source) withoutPackages(l *language, code string) string {
	texts := s.texts()
	if code != s.code { // texts are not where they were
		return code
	}
	var b builder
	at := 0
	for _, m := range packageCalls.FindAllStringSubmatchIndex(code, maxCommands) {
		n := strings.Count(code[:m[0]], `""`)
		if n >= len(texts) {
			return code
		}
		name, scoped, _ := cut(texts[n], "/")
		if texts[n] == "" || name == ".." || name == "" || strings.ContainsAny(texts[n], `:\\`) || among(name, builtinModules) || among(name, l.foreign) || hasPrefix(name, "@") && scoped == "" {
			continue
		}
		b.put(code[at:m[0]])
		b.put(`from("",`)
		at = m[1]
	}
	b.put(code[at:])
	return b.String()
}

var packageCalls = lazyregexp.New(`\brequire\s*\(\s*""\s*\)\s*\.\s*[a-zA-Z]\w*\s*\(`)

// builtinModules are those of Node.js itself.
const builtinModules = "assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http http2 https inspector module net os path perf_hooks process punycode querystring " +
	"readline repl sea sqlite stream string_decoder sys test timers tls trace_events tty url util v8 vm wasi worker_threads zlib"
