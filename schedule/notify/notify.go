// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package notify tells changes of jobs' health to a webhook and to a command.
//
// A webhook is told by POST, in the form of Standard Webhooks (standardwebhooks.com): the
// headers webhook-id, webhook-timestamp and webhook-signature, which is "v1," and the base64 of
// the HMAC-SHA256 of ID.TIMESTAMP.BODY. A command reads the same JSON from standard input.
package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/toolvet/toolvet/internal/process"
	"github.com/toolvet/toolvet/schedule"
)

// A Config says who is told. Empty fields tell nobody.
type Config struct {
	Webhook    string // URL
	Secret     string // key of the signature
	Command    []string
	Supervisor []string     // see process.Command
	Logger     *slog.Logger // is told what could not be delivered; nil discards
}

const (
	queue   = 256 // alerts that wait; with more, the newest are dropped and logged
	tries   = 4   // of a webhook
	timeout = 10 * time.Second
)

// A Notifier delivers alerts, one after the other.
type Notifier struct {
	cfg    Config
	log    *slog.Logger
	client *http.Client
	alerts chan schedule.Alert
	done   chan struct{}
	ctx    context.Context
	cancel context.CancelFunc
	close  sync.Once
	pause  time.Duration // before the second try
}

// New starts a notifier. Close ends it.
func New(cfg Config) *Notifier {
	n := &Notifier{
		cfg: cfg, log: cfg.Logger, alerts: make(chan schedule.Alert, queue), done: make(chan struct{}), pause: time.Second,
		client: &http.Client{Timeout: timeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
	if n.log == nil {
		n.log = slog.New(slog.DiscardHandler)
	}
	n.ctx, n.cancel = context.WithCancel(context.Background())
	go n.run()
	return n
}

// Alert has an alert delivered. It does not wait. It must not be called after Close.
func (n *Notifier) Alert(a schedule.Alert) {
	select {
	case n.alerts <- a:
	default:
		n.log.Error("an alert is dropped: too many wait", "job", a.Name, "status", a.Status)
	}
}

// Close waits until all alerts are delivered or ctx is done.
func (n *Notifier) Close(ctx context.Context) {
	n.close.Do(func() { close(n.alerts) })
	select {
	case <-n.done:
	case <-ctx.Done():
		n.cancel()
		<-n.done
	}
	n.cancel()
}

func (n *Notifier) run() {
	defer close(n.done)
	for a := range n.alerts {
		body, err := json.Marshal(a)
		if err != nil {
			n.log.Error("an alert cannot be written", "job", a.Name, "err", err)
			continue
		}
		if n.cfg.Webhook != "" {
			n.failed(a, "the webhook", n.post(body))
		}
		if len(n.cfg.Command) > 0 {
			n.failed(a, "the command", n.command(body))
		}
	}
}

func (n *Notifier) failed(a schedule.Alert, who string, err error) {
	if err != nil {
		n.log.Error("an alert was not delivered to "+who, "job", a.Name, "status", a.Status, "err", err)
	}
}

// post tells the webhook, several times if need be; the id stays the same.
func (n *Notifier) post(body []byte) (err error) {
	id := "msg_" + rand.Text()
	for try := range tries {
		if try > 0 {
			timer := time.NewTimer(n.pause << (2 * (try - 1))) // 1, 4, 16 s
			select {
			case <-timer.C:
			case <-n.ctx.Done():
				timer.Stop()
				return err
			}
		}
		var again bool
		if again, err = n.postOnce(id, body); !again {
			return err
		}
	}
	return err
}

func (n *Notifier) postOnce(id string, body []byte) (again bool, err error) {
	r, err := http.NewRequestWithContext(n.ctx, http.MethodPost, n.cfg.Webhook, bytes.NewReader(body))
	if err != nil {
		return false, errors.New("its URL cannot be used")
	}
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("webhook-id", id)
	r.Header.Set("webhook-timestamp", stamp)
	r.Header.Set("webhook-signature", Sign(n.cfg.Secret, id, stamp, body))
	answer, err := n.client.Do(r)
	if err != nil {
		return true, errors.New("it cannot be reached") // the URL may hold a secret
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, 64<<10) // so that the connection can be used again
	switch s := answer.StatusCode; {
	case s/100 == 2:
		return false, nil
	case s/100 == 5 || s == http.StatusTooManyRequests:
		return true, fmt.Errorf("it answered with status %d", s)
	default:
		return false, fmt.Errorf("it answered with status %d", s)
	}
}

// Sign is the signature of a webhook's body.
func Sign(secret, id, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s.%s.", id, timestamp)
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// command runs the command.
func (n *Notifier) command(body []byte) error {
	p, err := process.Start(process.Command{Args: n.cfg.Command, Supervisor: n.cfg.Supervisor, Stderr: io.Discard})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(n.ctx, timeout)
	defer cancel()
	go func() { _, _ = io.Copy(io.Discard, p.Stdout()) }()
	go func() {
		_, _ = p.Stdin().Write(append(body, '\n')) // a command need not read
		p.Stdin().Close()
	}()
	select {
	case <-p.Done():
	case <-ctx.Done():
		p.Stop(ctx, process.Grace{})
		return fmt.Errorf("it was stopped after %s", timeout)
	}
	if exit := p.Exit(); exit.Code != 0 {
		return fmt.Errorf("it ended with code %d", exit.Code)
	}
	return nil
}
