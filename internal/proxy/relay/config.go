// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/validate"
)

// Config configures a [Server]. Gate is required.
type Config struct {
	// Gate returns the gate in force. It runs for each call, so a policy can change while the
	// server runs. It must not return nil.
	Gate func() *toolvet.Gate

	Server       string // the server's name in logs and policies; may be ""
	ValidateName string // name of the validate tool; default protocol.ToolName
	// Validation bounds the validate tool. The Limits below replace its own.
	Validation validate.Config
	// Validator answers calls of the validate tool for all servers of this Config, so a client
	// finds its task again in another session. Default: a new one with Validation.
	Validator *validate.Validator

	// Rehearse implements the tool "rehearse". Nil: toolvet does not offer it.
	Rehearse door.Rehearser

	// Limits bound each message in both directions. The defaults are those of
	// call.Limits, but 64 MiB a message.
	Limits call.Limits
	// ServerTimeout bounds toolvet's own requests: listings of the server's tools, and its own
	// validation. It does not bound the client's calls. Default 10 s.
	ServerTimeout time.Duration
	// PrivatePrefix starts the ids of toolvet's own requests. Default: a random prefix, so that
	// no client can guess it.
	PrivatePrefix string

	// ListTTL is the life time of a list of tools to which the server gives none. Default:
	// until the server announces a change.
	ListTTL time.Duration
	// Forgets is set for a transport that forgets requests while the server may still have them,
	// as over HTTP when a client is cut off. The exchange then drops the answer to an unknown
	// request, since it cannot make its changes, and passes on the cancellation of one.
	Forgets bool

	// Observer records calls; nil: nothing is recorded.
	Observer toolvet.Observer
	// Logger logs refusals and faults: tool, check and place, never a value. Nil discards.
	Logger *slog.Logger
}

// maxMessage is the default limit of a message: results may hold images.
const maxMessage = 64 << 20

// WithDefaults returns c with its defaults filled in, or an error if c is invalid.
func (c Config) WithDefaults() (Config, error) {
	if c.Gate == nil {
		return c, errors.New("no gate")
	}
	if c.ValidateName == "" {
		c.ValidateName = protocol.ToolName
	}
	if !protocol.ValidMethod(c.ValidateName) {
		return c, fmt.Errorf("%q cannot name the validate tool: use 1 to 122 letters, digits, underscores, hyphens and dots", c.ValidateName)
	}
	if c.Limits.Bytes <= 0 {
		c.Limits.Bytes = maxMessage
	}
	if c.ServerTimeout <= 0 {
		c.ServerTimeout = 10 * time.Second
	}
	if c.PrivatePrefix == "" {
		c.PrivatePrefix = "toolvet-" + rand.Text()[:8] + "-"
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	var err error
	if c.Validator == nil {
		c.Validation.Limits = c.Limits
		c.Validator, err = validate.New(c.Validation)
	}
	return c, err
}
