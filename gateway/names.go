// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/protocol"
)

const (
	// separator stands between the name of a server and the name of its tool. Names of servers
	// cannot contain it, so a name splits the same way whichever servers there are.
	separator = "__"
	// maxName is the longest name of a tool (2025-11-25, server/tools, Tool Names).
	maxName = 128
	// maxServerName leaves room for the tool.
	maxServerName = 64
	// scheme begins a URI that names the server of a resource: toolvet://SERVER/URI.
	scheme = "toolvet://"
)

var serverName = lazyregexp.New(`^[A-Za-z0-9.-]+(_[A-Za-z0-9.-]+)*$`)

// CheckServerName returns an error if a server's name cannot begin the names of its tools.
func CheckServerName(name string) error {
	if len(name) > maxServerName || !serverName.MatchString(name) {
		return fmt.Errorf("the server %q cannot have this name behind one endpoint: use 1 to %d letters, digits, hyphens, dots and single underscores between them", name, maxServerName)
	}
	return nil
}

var strange = lazyregexp.New(`[^A-Za-z0-9_.-]`)

// Expose returns the clients' name for a tool or prompt: SERVER__NAME. The result has at most
// 128 characters, and only letters, digits, underscores, hyphens and dots. To fit other names,
// Expose writes other characters as underscores, cuts off the end and appends an underscore
// and ten hexadecimal digits of NAME's SHA-256.
func Expose(server, name string) string {
	exposed := server + separator + name
	if protocol.ValidName(exposed) {
		return exposed
	}
	sum := sha256.Sum256([]byte(name))
	exposed = server + separator + strange.ReplaceAllString(name, "_")
	digest := "_" + hex.EncodeToString(sum[:])[:10]
	return exposed[:min(len(exposed), maxName-len(digest))] + digest
}

// split splits a name of the form SERVER__NAME or SERVER:NAME.
func split(name string) (server, own string, ok bool) {
	if server, own, ok = strings.Cut(name, ":"); ok && CheckServerName(server) == nil {
		return server, own, own != ""
	}
	server, own, ok = strings.Cut(name, separator)
	return server, own, ok && own != ""
}

// exposeURI returns the URI that names the server of a resource.
func exposeURI(server, uri string) string { return scheme + server + "/" + uri }

// splitURI splits such a URI.
func splitURI(uri string) (server, own string, ok bool) {
	rest, ok := strings.CutPrefix(uri, scheme)
	if !ok {
		return "", "", false
	}
	server, own, ok = strings.Cut(rest, "/")
	return server, own, ok && own != ""
}
