// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call

import (
	"strings"
	"testing"
)

func TestCheckParams(t *testing.T) {
	t.Parallel()
	for params, want := range map[string]string{
		`{"uri":"file:///a"}`:                             "",
		`{"name":"p","arguments":{"a":"x\u0000"}}`:        "", // the check nul judges it
		`{"uri":"file:///a\u0000.txt"}`:                   `"params.uri" holds U+0000`,
		`{"ref":{"type":"ref/resource","uri":"a\u0000"}}`: `"params.ref.uri" holds U+0000`,
		`{"cursor":"\u0000"}`:                             `"params.cursor" holds U+0000`,
		`{"taskId":"t\u0000"}`:                            `"params.taskId" holds U+0000`,
		`{"requestState":"t\u0000"}`:                      `"params.requestState" holds U+0000`,
		`{"requestId":"1\u0000"}`:                         `"params.requestId" holds U+0000`,
		`{"progressToken":"1\u0000"}`:                     `"params.progressToken" holds U+0000`,
		`{"list":["a",{"b":"\u0000"}]}`:                   `"params.list.b" holds U+0000`,
		`{"_meta":{"progressToken":"a\u0000"}}`:           `"params._meta.progressToken" holds U+0000`,
		`{"_meta":{"progressToken":1.0}}`:                 `"params._meta.progressToken" must be`,
		`{"_meta":{"progressToken":9007199254740993}}`:    `"params._meta.progressToken" must be`,
		`{"_meta":{"progressToken":[1]}}`:                 `"params._meta.progressToken" must be`,
		`{"_meta":{"progressToken":9007199254740991}}`:    "",
		`{"arguments":{"a\u0000":"x"}}`:                   "a key with U+0000",
		`{"a":{"b":1,"b":2}}`:                             "given twice",
	} {
		err := CheckParams([]byte(params), Limits{})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("CheckParams(%s) = %v, want %q", params, err, want)
		}
	}
	if err := CheckParams(nil, Limits{}); err != nil {
		t.Error(err)
	}
}
