// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package link is what a hook and the resident judge say to each other: one request and one reply a connection, each a message of package
// fast, over a Unix socket that only its user can reach.
package link

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/fast"
)

// maxMessage bounds a message, in bytes.
const maxMessage = 2 * fast.MaxPayload

// The arguments of the program that make it the resident judge, and a judge of one request, on standard input and output.
const (
	ResidentArgument = "hook-judge"
	OnceFlag         = "--once"
)

// Grace is how long a judge that ends lets its last answers take.
const Grace = 5 * time.Second

// A Request asks the judge about one event of a host.
type Request struct {
	Host    string
	Policy  string            // the absolute name of the policy's file; "" for none
	Preset  string            // overrides the policy's preset
	Dir     string            // the hook's working directory
	Env     map[string]string // what the host tells in variables
	Marks   string            // of the hook's environment; see [fast.Marks]
	Payload []byte            // what the host tells on standard input
	Timeout time.Duration     // the time that is left for the answer
}

// Getenv returns a variable of the request.
func (r *Request) Getenv(name string) string { return r.Env[name] }

// Has reports whether the hook's environment has a variable of this mark; see [fast.Mark].
func (r *Request) Has(mark uint64) bool {
	for at := 0; at+8 <= len(r.Marks); at += 8 {
		if binary.BigEndian.Uint64([]byte(r.Marks[at:])) == mark {
			return true
		}
	}
	return false
}

// Variables returns those of an environment that a request tells.
func Variables(environ []string) map[string]string {
	list := map[string]string{}
	for _, v := range environ {
		if name, value, ok := strings.Cut(v, "="); ok && fast.Told(name) {
			list[name] = value
		}
	}
	return list
}

// WriteRequest writes a request.
func WriteRequest(w io.Writer, r *Request) error {
	fields := []string{r.Host, r.Policy, r.Preset, r.Dir, string(binary.BigEndian.AppendUint64(nil, uint64(r.Timeout))), r.Marks, string(r.Payload)}
	for name, value := range r.Env {
		fields = append(fields, name+"="+value)
	}
	_, err := w.Write(fast.Message(fields...))
	return err
}

// ErrEnd is the error of ReadRequest for the message of [End].
var ErrEnd = errors.New("the judge is to end")

// ReadRequest reads a request up to the end of in.
func ReadRequest(in io.Reader) (*Request, error) {
	fields, err := read(in)
	if err != nil {
		return nil, err
	}
	if len(fields) == 0 {
		return nil, ErrEnd
	}
	if len(fields) <= fast.Payload || len(fields[fast.Timeout]) != 8 {
		return nil, errors.New("the request lacks fields")
	}
	return &Request{
		Host: fields[fast.Host], Policy: fields[fast.Policy], Preset: fields[fast.Preset], Dir: fields[fast.WorkDir], Marks: fields[fast.Environ], Payload: []byte(fields[fast.Payload]),
		Timeout: time.Duration(binary.BigEndian.Uint64([]byte(fields[fast.Timeout]))), Env: Variables(fields[fast.Payload+1:]),
	}, nil
}

// WriteReply writes a reply.
func WriteReply(w io.Writer, r hook.Reply) error {
	_, err := w.Write(fast.Message(string(r.Stdout), string(r.Stderr), string([]byte{byte(r.Exit)})))
	return err
}

// ReadReply reads a reply up to the end of in. A reply that is cut off is an error.
func ReadReply(in io.Reader) (hook.Reply, error) {
	fields, err := read(in)
	if err != nil {
		return hook.Reply{}, err
	}
	if len(fields) != 3 || len(fields[2]) != 1 {
		return hook.Reply{}, errors.New("the reply lacks fields")
	}
	return hook.Reply{Stdout: []byte(fields[0]), Stderr: []byte(fields[1]), Exit: int(fields[2][0])}, nil
}

func read(in io.Reader) ([]string, error) {
	raw, err := io.ReadAll(io.LimitReader(in, maxMessage+1))
	switch {
	case err != nil:
		return nil, err
	case len(raw) > maxMessage:
		return nil, fmt.Errorf("the message is larger than %d MiB", maxMessage>>20)
	}
	return fast.Fields(raw)
}

// Ask sends a request to the judge at an address, and waits for its reply.
func Ask(ctx context.Context, address string, request *Request) (reply hook.Reply, err error) {
	err = exchange(ctx, address, func(conn *net.UnixConn) error { return WriteRequest(conn, request) }, func(conn *net.UnixConn) error {
		reply, err = ReadReply(conn)
		return err
	})
	return reply, err
}

// End has the judge at an address end, and waits until it has understood. Requests that the judge has already taken get their answers.
func End(ctx context.Context, address string) error {
	return exchange(ctx, address, func(conn *net.UnixConn) error {
		_, err := conn.Write(fast.Message())
		return err
	}, func(conn *net.UnixConn) error {
		_, err := io.Copy(io.Discard, conn)
		return err
	})
}

// exchange sends one message to the judge at an address, and receives its reply.
func exchange(ctx context.Context, address string, send, receive func(*net.UnixConn) error) error {
	var d net.Dialer
	dialed, err := d.DialContext(ctx, "unix", address)
	if err != nil {
		return err
	}
	conn := dialed.(*net.UnixConn)
	defer conn.Close()
	if end, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(end) // a connection of a Unix socket takes one
	}
	if err := send(conn); err != nil {
		return err
	}
	if err := conn.CloseWrite(); err != nil {
		return err
	}
	return receive(conn)
}
