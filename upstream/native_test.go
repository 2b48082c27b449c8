// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import "testing"

func TestNativeValidation(t *testing.T) {
	t.Parallel()
	for capabilities, want := range map[string]string{
		``:                                       "",
		`{}`:                                     "",
		`[]`:                                     "",
		`{"experimental":{"toolValidation":{}}}`: "", // "supported" is missing
		`{"experimental":{"toolValidation":{"supported":true}}}`:                                         "validate",
		`{"experimental":{"toolValidation":{"supported":true,"method":"check"}}}`:                        "check",
		`{"experimental":{"toolValidation":{"supported":false,"method":"check"}}}`:                       "",
		`{"experimental":{"toolValidation":true}}`:                                                       "",
		`{"experimental":{"toolValidation":null}}`:                                                       "",
		`{"experimental":{"toolValidation":{"method":7}}}`:                                               "",
		`{"toolValidation":{"supported":true}}`:                                                          "",
		`{"extensions":{"io.github.toolvet/tool-validation":{"supported":true,"method":"dry_run"}}}`:     "dry_run",
		`{"extensions":{"com.example/tool-validation":{"supported":true}}}`:                              "",
		`{"experimental":{"x":1},"extensions":{"io.github.toolvet/tool-validation":{"supported":true}}}`: "validate",
	} {
		c := &client{capabilities: []byte(capabilities)}
		got, ok := c.NativeValidation()
		if got != want || ok != (want != "") {
			t.Errorf("%s: got %q, %t, want %q", capabilities, got, ok, want)
		}
	}
}
