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
	"github.com/toolvet/toolvet/door"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/protocol"
)

// Config says how to relay. Gate is required.
type Config struct {
	// Gate returns the gate in force. It is called for each call, so that a policy can
	// change while the server runs. It must not return nil.
	Gate func() *toolvet.Gate

	Server       string // the server's name in logs and policies; may be ""
	ValidateName string // name of the validate tool; default protocol.ToolName
	// Validation bounds the validate tool. Its Limits are those below.
	Validation validate.Config
	// Validator answers calls of the validate tool, for all servers of this Config, so that
	// a client finds its task again in another session. Default: a new one with Validation.
	Validator *validate.Validator

	// Rehearse answers for the tool "rehearse". Nil: the tool is not offered.
	Rehearse door.Rehearser

	// Limits bound each message in both directions. The defaults are those of
	// call.Limits, but 64 MiB a message.
	Limits call.Limits
	// ServerTimeout bounds requests of toolvet's own: a list of the server's tools, its own
	// validation. Default 10 s. Calls of the client are not bounded.
	ServerTimeout time.Duration
	// PrivatePrefix starts the ids of requests of toolvet's own. Default: a random one,
	// which no client guesses.
	PrivatePrefix string

	// ListTTL is how long a list of tools counts if the server does not say so itself.
	// Default: until the server says that it has changed.
	ListTTL time.Duration
	// Forgets says that the transport forgets requests that the server may still have, as
	// over HTTP when a client is cut off. An answer to an unknown request is then dropped,
	// since its changes cannot be made, and a cancellation of one is passed on.
	Forgets bool

	// Observer records calls; nil: nothing is recorded.
	Observer toolvet.Observer
	// Logger is told of refusals and faults: tool, check and place, never a value.
	// Nil discards.
	Logger *slog.Logger
}

// maxMessage is the default limit of a message: results may hold images.
const maxMessage = 64 << 20

// WithDefaults returns c with its defaults filled in. The error says what is wrong with c.
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
