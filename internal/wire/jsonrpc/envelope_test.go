// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"errors"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

func TestDecodeEnvelope(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ line, id, method string }{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "1", "ping"},
		{`{"jsonrpc":"2.0","id":"a","method":"tools\/call","params":{}}`, `"a"`, "tools/call"},
		{`{"jsonrpc":"2.0","method":"notifications/x","params":[1]}`, "", "notifications/x"},
		{`{"result":{"x":{"a":1,"a":2}},"jsonrpc":"2.0","id":-5}`, "-5", ""},
		{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":""}}`, "", ""},
		{`{"jsonrpc":"2.0","id":9007199254740991,"method":"m","vendor":{}}`, "9007199254740991", "m"},
		{`{"jsonrpc":"2.0","id":-9007199254740991,"method":"m"}`, "-9007199254740991", "m"},
		{`{"jsonrpc":"2.0","id":"9007199254740993","method":"m"}`, `"9007199254740993"`, "m"},
		{`{"jsonrpc":"2.0","id":"\\u0000","method":"m","params":{"a":"\u0000"}}`, `"\\u0000"`, "m"},
	} {
		m, err := DecodeEnvelope([]byte(tt.line), strictjson.Limits{})
		if err != nil || string(m.ID) != tt.id || m.Method != tt.method {
			t.Errorf("DecodeEnvelope(%s) = id %s, method %q, %v", tt.line, m.ID, m.Method, err)
		}
		if want := tt.id != "" && tt.method != ""; m.IsRequest() != want {
			t.Errorf("IsRequest(%s) = %v", tt.line, !want)
		}
	}
}

func TestDecodeEnvelopeRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line string
		code int
		id   string // a request with a usable id
		want string // in the message
	}{
		{`nope`, ParseError, "", "value is expected"},
		{``, ParseError, "", "value is expected"},
		{`5`, InvalidRequest, "", "not a JSON object"},
		{`{"jsonrpc":"2.0","id":3,"method":`, ParseError, "3", "value is expected"},
		{`{"jsonrpc":"2.0","id":3,"method":"x"} {}`, ParseError, "3", "after the end"},
		{`{"id":3,"method":"x"}`, InvalidRequest, "3", `"jsonrpc" is missing`},
		{`{"jsonrpc":"1.0","id":3,"method":"x"}`, InvalidRequest, "3", `must be "2.0"`},
		{`{"jsonrpc":"2.0","id":3}`, InvalidRequest, "3", `no "method"`},
		{`{"jsonrpc":"2.0","id":3,"method":""}`, InvalidRequest, "3", "not empty"},
		{`{"jsonrpc":"2.0","id":3,"method":5}`, InvalidRequest, "3", "must be a string"},
		{`{"jsonrpc":"2.0","id":1.5,"method":"x"}`, InvalidRequest, "", "string or an integer"},
		{`{"jsonrpc":"2.0","id":1e3,"method":"x"}`, InvalidRequest, "", "string or an integer"},
		{`{"jsonrpc":"2.0","id":-0,"method":"x"}`, InvalidRequest, "", "string or an integer"},
		{`{"jsonrpc":"2.0","id":1.0,"method":"x"}`, InvalidRequest, "", "string or an integer"},
		{`{"jsonrpc":"2.0","id":9007199254740992,"method":"x"}`, InvalidRequest, "", "within ±9007199254740991"},
		{`{"jsonrpc":"2.0","id":-9007199254740992,"method":"x"}`, InvalidRequest, "", "within ±9007199254740991"},
		{`{"jsonrpc":"2.0","id":9007199254740993,"result":{}}`, InvalidRequest, "", "within ±9007199254740991"},
		{`{"jsonrpc":"2.0","id":"1\u0000","method":"x"}`, InvalidRequest, "", "without U+0000"},
		{`{"jsonrpc":"2.0","id":"1\u0000","result":{}}`, InvalidRequest, "", "without U+0000"},
		{`{"jsonrpc":"2.0","id":3,"method":"ping\u0000"}`, InvalidRequest, "3", `"method" holds U+0000`},
		{`{"jsonrpc":"2.0","id":3,"method\u0000":"tools/call","method":"ping"}`, InvalidRequest, "3", "a key with U+0000"},
		{`{"jsonrpc":"2.0","id":3,"result":{"a":[{"b\u0000c":1}]}}`, InvalidRequest, "3", "a key with U+0000"},
		{`{"jsonrpc":"2.0","id":true,"method":"x"}`, InvalidRequest, "", "string or an integer"},
		{`{"jsonrpc":"2.0","id":["\ud800"],"method":"x"}`, InvalidRequest, "", "string or an integer"},
		{`{"jsonrpc":"2.0","id":"\ud800","method":"x"}`, InvalidRequest, "", "string or an integer"},
		{`{"jsonrpc":"2.0","id":null,"method":"x"}`, InvalidRequest, "", "must not be null"},
		{`{"jsonrpc":"2.0","id":3,"method":"notifications/cancelled","params":{"requestId":1}}`, InvalidRequest, "3", "is a notification"},
		{`{"jsonrpc":"2.0","id":3,"method":"x","result":null}`, InvalidRequest, "3", "at once"},
		{`{"jsonrpc":"2.0","id":3,"method":"x","method":"y"}`, InvalidRequest, "3", "given twice"},
		{`{"jsonrpc":"2.0","id":3,"id":4,"method":"x"}`, InvalidRequest, "", "given twice"},
		{`{"jsonrpc":"2.0","id":3,"method":"x","METHOD":"y"}`, InvalidRequest, "3", `take for "method"`},
		{`{"jsonrpc":"2.0","id":3,"method":"x","Params":{}}`, InvalidRequest, "3", `take for "params"`},
		{`{"JSONRPC":"2.0","id":3,"method":"x"}`, InvalidRequest, "3", `take for "jsonrpc"`},
		{"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"x\",\"param\u017f\":{}}", InvalidRequest, "3", `take for "params"`},
		{`{"jsonrpc":"2.0","id":3,"method":"x","params":` + strings.Repeat("[", 300), InvalidRequest, "3", "nests deeper"},
	} {
		m, err := DecodeEnvelope([]byte(tt.line), strictjson.Limits{})
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("DecodeEnvelope(%.60s) = %v, want an *Error", tt.line, err)
			continue
		}
		if e.Code != tt.code || string(m.ID) != tt.id || !strings.Contains(e.Message, tt.want) {
			t.Errorf("DecodeEnvelope(%.60s):\n got %d, id %q, %s\nwant %d, id %q, …%s…", tt.line, e.Code, m.ID, e.Message, tt.code, tt.id, tt.want)
		}
		if m.Method != "" || m.Params != nil {
			t.Errorf("DecodeEnvelope(%.60s) gives more than an id beside its error", tt.line)
		}
	}
}

func TestIDKey(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		one, other string
		same       bool
	}{
		{`"a"`, `"\u0061"`, true},
		{`1`, `"1"`, true}, // the SDKs in TypeScript and Python take the one for the other
		{`1`, `"\u0031"`, true},
		{`-7`, `"-7"`, true},
		{`1`, `"1.0"`, false},
		{`1`, `" 1 "`, false},
		{`1`, `"0x1"`, false},
		{`1`, `"01"`, false},
		{`1`, `"+1"`, false},
		{`0`, `"-0"`, false},
		{`0`, `""`, false},
		{`1`, `1.0`, false},
		{`9007199254740993`, `"9007199254740993"`, false},
		{`"9007199254740993"`, `"9007199254740992"`, false},
		{`1`, `"١"`, false},
		{`null`, `"null"`, false},
	} {
		if same := IDKey([]byte(tt.one)) == IDKey([]byte(tt.other)); same != tt.same {
			t.Errorf("IDKey(%s) == IDKey(%s) is %v", tt.one, tt.other, same)
		}
	}
}

func TestRecover(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"id":7,`:                            "7",
		`{"a":{"id":1},"id" : "x\"y" , "b":`:  `"x\"y"`,
		`{"a":"\"id\":5","id":-3}`:            "-3",
		`{"a":["id",{"id":1}],"method":"id"}`: "",
		`{"id":1,"id":2}`:                     "",
		`{"id":{"id":1}}`:                     "",
		`{"id":1.5}`:                          "",
		`{"id":nul`:                           "",
		`{"id":01}`:                           "",
		`[{"id":1}]`:                          "",
		`"id"`:                                "",
		``:                                    "",
		`{"id":"` + strings.Repeat("x", 5000) + `"}`:        "",
		`{"x":"` + strings.Repeat("x", 90000) + `","id":4}`: "4",
		`{"id":4} {"id":5}`:                                 "4",
	} {
		if got := Recover(strings.NewReader(text)).ID; string(got) != want {
			t.Errorf("Recover(%.50s) = %q, want %q", text, got, want)
		}
	}
}

func TestRecoverMethod(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"id":1,"method":"x","params":NaN}`:      true,
		`{"params":{"a":[1]},"id":1,"method" : 5`: true,
		`{"id":1,"result":{"method":"x"}}`:        false,
		`{"id":"method","result":NaN}`:            false,
		``:                                        false,
	} {
		if got := Recover(strings.NewReader(text)).Method; got != want {
			t.Errorf("Recover(%s).Method = %v", text, got)
		}
	}
}

// FuzzRecover: of a message that can be read, Recover finds the very id.
func FuzzRecover(f *testing.F) {
	for _, seed := range []string{`{"jsonrpc":"2.0","id":1,"method":"x","params":{"id":2}}`, `{"id":"\u0061","jsonrpc":"2.0","result":{}}`, `{"id":`, `[]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Recover(strings.NewReader(text)).ID
		m, err := DecodeEnvelope([]byte(text), strictjson.Limits{})
		if err == nil && len(m.ID) < maxID && !strings.Contains(text, `\u0069`) && !strings.Contains(text, `\u0064`) && string(got) != string(m.ID) {
			t.Errorf("Recover(%q) = %q, want %q", text, got, m.ID)
		}
	})
}
