// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strconv"

	"github.com/toolvet/toolvet/internal/auth"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
)

// listen opens the listener for clients. It comes before everything that leaves a trace, such as the log: a port that is taken
// changes nothing.
func listen(ctx context.Context, address string) (net.Listener, error) {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, fmt.Errorf("cannot listen: %w", CheckListen(address, nil))
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, enforce.WithHint(fmt.Errorf("cannot listen: %w", err), "choose another address with --listen, and change authorization.resource with it")
	}
	return l, nil
}

// CheckListen is [auth.CheckListen] with advice.
func CheckListen(address string, a *policy.Authorization) error {
	err := auth.CheckListen(address, a)
	switch _, _, bad := net.SplitHostPort(address); {
	case err == nil:
		return nil
	case bad == nil:
		return enforce.WithHint(err, "https://github.com/toolvet/toolvet/blob/main/docs/authorization.md shows how to add it")
	}
	return enforce.WithHint(err, "%s", lonePort("listen", address, 8080))
}

// lonePort advises how to write the address of a flag that is not HOST:PORT.
func lonePort(flag, address string, example uint64) string {
	if port, err := strconv.ParseUint(address, 10, 16); err == nil {
		return fmt.Sprintf("did you mean --%s 127.0.0.1:%d?", flag, port)
	}
	return fmt.Sprintf("write the port behind the host, such as --%s 127.0.0.1:%d", flag, example)
}

// place is the address of a listener as clients can write it: a listener at all addresses of this machine has none of its own.
func place(l net.Listener) string {
	address, ok := l.Addr().(*net.TCPAddr)
	if !ok || !address.IP.IsUnspecified() {
		return l.Addr().String()
	}
	name, err := os.Hostname()
	if err != nil {
		name = "localhost"
	}
	return net.JoinHostPort(name, strconv.Itoa(address.Port))
}

// tellResource warns if clients are told a URL of this machine at which toolvet does not listen: they refuse to send a token
// elsewhere (RFC 9728, section 3.3). A URL of another host may be that of a reverse proxy in front of toolvet.
func tellResource(stderr io.Writer, l net.Listener, path string, a *policy.Authorization) {
	if a == nil {
		return
	}
	u, err := url.Parse(a.Resource)
	if err != nil || u.Scheme != "http" || !policy.Loopback(u.Hostname()) {
		return
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if given := u.Port(); err != nil || given == port || given == "" && port == "80" {
		if u.Path == path {
			return
		}
	}
	fmt.Fprintf(stderr, "toolvet: warning: the policy tells clients to use %s, but toolvet listens at port %s, path %s: correct authorization.resource, or --listen\n", a.Resource, port, path)
}
