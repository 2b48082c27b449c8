// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package egress

import (
	"net"
	"net/url"
	"strconv"
	"time"
)

// A Target is whom a connection is meant for.
type Target struct {
	Host string // a name, or an IP address
	Port uint16
}

func (t Target) String() string { return net.JoinHostPort(t.Host, strconv.Itoa(int(t.Port))) }

// An Attempt is a connection that a program made, or one request of HTTP on it. What it holds
// was written by the program: it may be long, strange, and hold secrets.
type Attempt struct {
	Target
	TLS        bool
	ServerName string // that TLS asked for (SNI); "": none
	Method     string // of HTTP; "": no request was understood
	URI        string // of the request: path and query
	Authority  string // that the request names: its Host
	Status     int    // of the answer; 0: none
	Sent       int64  // bytes of the request's body, or of the connection
	Received   int64  // bytes of the answer's body, or of the connection
	Passed     bool   // it has been let through to its host
	Replayed   bool   // it has been answered as it was before
	Began      time.Time
	Failed     string // why nobody answered; "": somebody did
}

// URL is what was asked for, by the host that was connected to; "" if that is not known.
func (a *Attempt) URL() string {
	if a.Method == "" {
		return ""
	}
	u := url.URL{Scheme: "http", Host: a.Target.String()}
	port := "80"
	if a.TLS {
		u.Scheme, port = "https", "443"
	}
	if strconv.Itoa(int(a.Port)) == port {
		u.Host = a.Host
		if net.ParseIP(a.Host) != nil && net.ParseIP(a.Host).To4() == nil {
			u.Host = "[" + a.Host + "]"
		}
	}
	return u.String() + a.URI
}
