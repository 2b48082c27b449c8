// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package install

// Members of a handler, under the names of all hosts.
type handlerJSON struct {
	Type       string   `json:"type,omitempty"`
	Name       string   `json:"name,omitempty"`
	Command    string   `json:"command,omitempty"`
	Exec       string   `json:"exec,omitempty"`
	Args       []string `json:"args,omitempty"`
	Matcher    string   `json:"matcher,omitempty"`
	Timeout    int      `json:"timeout,omitempty"`
	TimeoutSec int      `json:"timeoutSec,omitempty"`
	OnFailure  string   `json:"onFailure,omitempty"`
	OnFailed   string   `json:"on_failure,omitempty"` // goose
	FailClosed bool     `json:"failClosed,omitempty"`
}

type groupJSON struct {
	Matcher string        `json:"matcher,omitempty"`
	Hooks   []handlerJSON `json:"hooks"`
}

type kiroJSON struct {
	Name    string `json:"name"`
	Trigger string `json:"trigger"`
	Action  struct {
		Type    string `json:"type"`
		Command string `json:"command"`
	} `json:"action"`
	Timeout int  `json:"timeout"`
	Enabled bool `json:"enabled"`
}

type ruleJSON struct {
	Tool   string `json:"tool"`
	Action string `json:"action"`
	To     string `json:"to"`
}
