// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package notify reports changes of jobs' health to a webhook and to a command.
//
// The webhook gets a POST request in the form of Standard Webhooks (standardwebhooks.com), with the headers
// webhook-id, webhook-timestamp and webhook-signature. The signature is "v1," and the base64 of the HMAC-SHA256 of
// ID.TIMESTAMP.BODY. The command reads the same JSON from standard input.
package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/schedule"
)

// A Config names the receivers. Empty fields mean none.
type Config struct {
	Webhook    string // URL
	Secret     string // key of the signature
	Command    []string
	Supervisor []string     // see process.Command
	Logger     *slog.Logger // logs alerts that a webhook refuses; nil discards
}

const timeout = 10 * time.Second // for the webhook, and for the command

// A Notifier delivers alerts. It is safe for concurrent use.
type Notifier struct {
	cfg    Config
	client *http.Client
}

// New makes a notifier.
func New(cfg Config) *Notifier {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Notifier{
		cfg:    cfg,
		client: &http.Client{Timeout: timeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// Tell delivers an alert to the receivers that have not heard it. It returns an error if a receiver should hear it
// later: the webhook did not answer or answered with 429 or 5xx, or the command failed. A webhook that refuses an alert
// with another status does not hear it again; Tell logs the refusal.
func (n *Notifier) Tell(ctx context.Context, a *schedule.Notice) error {
	body, err := json.Marshal(a.Alert)
	if err != nil {
		return err
	}
	var failed []error
	tell := func(who string, wanted bool, how func(context.Context) error) {
		if !wanted || slices.Contains(a.Told, who) {
			return
		}
		if err := how(ctx); err != nil {
			failed = append(failed, fmt.Errorf("the %s: %w", who, err))
			return
		}
		a.Told = append(a.Told, who)
	}
	tell("webhook", n.cfg.Webhook != "", func(ctx context.Context) error { return n.post(ctx, a, body) })
	tell("command", len(n.cfg.Command) > 0, func(ctx context.Context) error { return n.command(ctx, body) })
	return errors.Join(failed...)
}

// post sends an alert to the webhook. The id stays the same in every try.
func (n *Notifier) post(ctx context.Context, a *schedule.Notice, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, n.cfg.Webhook, bytes.NewReader(body))
	if err != nil {
		return errors.New("its URL cannot be used")
	}
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("webhook-id", a.ID)
	r.Header.Set("webhook-timestamp", stamp)
	r.Header.Set("webhook-signature", sign(n.cfg.Secret, a.ID, stamp, body))
	answer, err := n.client.Do(r)
	var late net.Error
	switch { // the error's own text has the URL, with a secret perhaps
	case errors.As(err, &late) && late.Timeout():
		return fmt.Errorf("it did not answer within %s", timeout)
	case err != nil:
		return errors.New("it cannot be reached")
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, 64<<10) // lets the connection be used again
	switch s := answer.StatusCode; {
	case s/100 == 2:
	case s/100 == 5 || s == http.StatusTooManyRequests:
		return fmt.Errorf("it answered with status %d", s)
	default:
		n.cfg.Logger.Error("the webhook refuses an alert", "job", a.Name, "status", s)
	}
	return nil
}

// sign returns the signature of a webhook's body.
func sign(secret, id, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s.%s.", id, timestamp)
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// command runs the command.
func (n *Notifier) command(ctx context.Context, body []byte) error {
	p, err := process.Start(process.Command{Args: n.cfg.Command, Supervisor: n.cfg.Supervisor, Stderr: io.Discard})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	go func() { _, _ = io.Copy(io.Discard, p.Stdout()) }()
	go func() {
		_, _ = p.Stdin().Write(append(body, '\n')) // the command need not read it
		p.Stdin().Close()
	}()
	select {
	case <-p.Done():
	case <-ctx.Done():
		p.Stop(ctx)
		return fmt.Errorf("it was stopped after %s", timeout)
	}
	if exit := p.Exit(); exit.Code != 0 {
		return fmt.Errorf("it ended with code %d", exit.Code)
	}
	return nil
}
