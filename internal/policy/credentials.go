// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"net/textproto"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"golang.org/x/net/http/httpguts"
)

// Credentials authenticate toolvet to a server. They are unrelated to the credentials that a
// client shows toolvet. A server may be shown several: an API key beside a token, say.
type Credentials struct {
	Headers     map[string]string // values by the header's name
	HeaderFiles map[string]string // files that hold the values, by the header's name
	Client      *ClientCredentials
}

// ClientCredentials ask an authorization server for tokens in toolvet's own name (OAuth 2.1,
// section 4.2).
type ClientCredentials struct {
	TokenURL     string
	ClientID     string
	ClientSecret string
	SecretFile   string // holds the secret, where ClientSecret does not
	Scopes       []string
	Resource     string            // the resource indicator (RFC 8707); "": the server's URL
	Parameters   map[string]string // more of them, such as the audience that some servers want
	InBody       bool              // the secret goes into the body, not into a Basic header
}

// framing are headers that say how a message is sent, and so are not for a policy to set.
var framing = []string{"Connection", "Content-Length", "Content-Type", "Host", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// readCredentials shows no line in its errors: it may hold a secret.
func readCredentials(d *decoder, n ast.Node) *Credentials {
	before := len(d.errs)
	c := &Credentials{Headers: map[string]string{}, HeaderFiles: map[string]string{}}
	c.read(d, n)
	for _, e := range d.errs[before:] {
		e.Source = ""
	}
	return c
}

func (c *Credentials) read(d *decoder, n ast.Node) {
	seen := map[string]bool{}
	headers := func(n ast.Node, read func(name string, n ast.Node)) {
		entries, _ := d.entries(n, "headers by name")
		for _, e := range entries {
			name, problem := headerName(e.key)
			if problem == "" && seen[name] {
				problem = "the header is given twice"
			}
			if problem != "" {
				d.errorf(e.at, "%s", problem)
				continue
			}
			seen[name] = true
			read(name, e.value)
		}
	}
	d.object(n, "the credentials",
		field{key: "header", read: func(n ast.Node) {
			headers(n, func(name string, n ast.Node) { c.Headers[name] = d.headerValue(n) })
		}},
		field{key: "header_file", read: func(n ast.Node) {
			headers(n, func(name string, n ast.Node) { c.HeaderFiles[name] = d.beside(n) })
		}},
		field{key: "client_credentials", read: func(n ast.Node) { c.Client = readClientCredentials(d, n) }},
	)
	switch {
	case c.Client != nil && seen["Authorization"]:
		d.errorf(positionOf(n), "client_credentials are shown in the header Authorization, which is given, too")
	case c.Client == nil && len(seen) == 0:
		d.errorf(positionOf(n), "the credentials are empty: they have header, header_file or client_credentials")
	}
}

func headerName(key string) (name, problem string) {
	name = textproto.CanonicalMIMEHeaderKey(key)
	switch {
	case !httpguts.ValidHeaderFieldName(key):
		return "", "is not the name of a header"
	case slices.Contains(framing, name), strings.HasPrefix(name, "Mcp-"):
		return "", "the header belongs to the transport, and is no credential"
	}
	return name, ""
}

const badHeaderValue = "is no value of a header: it is empty, or holds line breaks, control characters or white space around it"

func validHeaderValue(v string) bool {
	return v != "" && httpguts.ValidHeaderFieldValue(v) && v == strings.TrimSpace(v)
}

func (d *decoder) headerValue(n ast.Node) string {
	v, ok := d.text(n)
	if ok && !validHeaderValue(v) {
		d.errorf(positionOf(n), badHeaderValue)
	}
	return v
}

// HeaderCredentials makes the credentials of a server that no policy describes: headers for the server at a URL, under the rules for
// those of a policy. The error shows no value.
func HeaderCredentials(url string, headers map[string]string) (*Credentials, error) {
	if problem := secureURL(url); problem != "" {
		return nil, fmt.Errorf("the url of a server %s, where there are credentials", problem)
	}
	c := &Credentials{Headers: map[string]string{}}
	for key, value := range headers {
		name, problem := headerName(key)
		if problem == "" && !validHeaderValue(value) {
			problem = badHeaderValue
		}
		if problem != "" {
			return nil, fmt.Errorf("%s as a header: %s", quote(key), problem)
		}
		c.Headers[name] = value
	}
	return c, nil
}

func readClientCredentials(d *decoder, n ast.Node) *ClientCredentials {
	c := &ClientCredentials{}
	text := func(into *string) func(n ast.Node) { return func(n ast.Node) { *into, _ = d.text(n) } }
	d.object(n, "client_credentials",
		field{key: "token_url", required: true, read: func(n ast.Node) { c.TokenURL = d.secureURL(n) }},
		field{key: "client_id", required: true, read: text(&c.ClientID)},
		field{key: "client_secret", read: text(&c.ClientSecret)},
		field{key: "client_secret_file", read: func(n ast.Node) { c.SecretFile = d.beside(n) }},
		field{key: "scopes", read: func(n ast.Node) { c.Scopes = d.scopes(n) }},
		field{key: "resource", read: func(n ast.Node) { c.Resource = d.secureURL(n) }},
		field{key: "parameters", read: func(n ast.Node) { c.Parameters = d.parameters(n) }},
		field{key: "secret_in", read: func(n ast.Node) {
			c.InBody = oneOf(d, n, choice[bool]{"header", false}, choice[bool]{"body", true})
		}},
	)
	if (c.ClientSecret == "") == (c.SecretFile == "") {
		d.errorf(positionOf(n), "client_credentials have either client_secret or client_secret_file, and neither is empty")
	}
	return c
}

// fixed are parameters of a token request that have a key of their own, or one value only.
var fixed = []string{"grant_type", "client_id", "client_secret", "scope", "resource"}

func (d *decoder) parameters(n ast.Node) map[string]string {
	entries, _ := d.entries(n, "parameters by name")
	list := make(map[string]string, len(entries))
	for _, e := range entries {
		if slices.Contains(fixed, e.key) {
			d.errorf(e.at, "%s is not for parameters to set", quote(e.key))
		}
		list[e.key], _ = d.text(e.value)
	}
	return list
}
