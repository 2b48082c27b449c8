// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package egress

import (
	"net"
	"net/url"
	"strconv"
	"time"
)

// A Target is the intended peer of a connection.
type Target struct {
	Host string // a name, or an IP address
	Port uint16
}

func (t Target) String() string { return net.JoinHostPort(t.Host, strconv.Itoa(int(t.Port))) }

// An Attempt is a connection of a program, or one HTTP request on it. The program has chosen its
// content, which may be long, strange and secret.
type Attempt struct {
	Target
	TLS        bool
	ServerName string // from TLS (SNI); "" for none
	Method     string // of HTTP; "" without a valid request
	URI        string // path and query of the request
	Authority  string // the Host of the request
	Status     int    // of the answer; 0 for none
	Sent       int64  // bytes of the request's body, or of the connection
	Received   int64  // bytes of the answer's body, or of the connection
	Passed     bool   // passed through to its host
	Replayed   bool   // answered from a recording
	Began      time.Time
	Failed     string // the reason for no answer; "" if there was one
}

// URL returns the requested URL at the host of the connection; "" if it is unknown.
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
