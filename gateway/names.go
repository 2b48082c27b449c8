// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/toolvet/toolvet/protocol"
)

const (
	// separator stands between the name of a server and that of its tool. Names of servers
	// do not hold it, so that a name has one meaning whichever servers there are.
	separator = "__"
	// maxName is the longest name of a tool (2025-11-25, server/tools, Tool Names).
	maxName = 128
	// maxServerName leaves room for the tool.
	maxServerName = 64
	// scheme begins the URI of a resource of a certain server: toolvet://SERVER/URI.
	scheme = "toolvet://"
)

var serverName = regexp.MustCompile(`^[A-Za-z0-9.-]+(_[A-Za-z0-9.-]+)*$`)

// CheckServerName reports a name of a server that the names of its tools cannot begin with.
func CheckServerName(name string) error {
	if len(name) > maxServerName || !serverName.MatchString(name) {
		return fmt.Errorf("the server %q cannot have this name behind one endpoint: use 1 to %d letters, digits, hyphens, dots and single underscores between them", name, maxServerName)
	}
	return nil
}

var strange = regexp.MustCompile(`[^A-Za-z0-9_.-]`)

// Expose is the name that clients know a tool or prompt by: SERVER__NAME. Where that is longer
// than 128 characters, or has others than letters, digits, underscores, hyphens and dots, those
// become underscores, the end is cut off, and ten digits of the name's SHA-256 take its
// place.
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

// split takes a name apart that names its server, in the form SERVER__NAME or SERVER:NAME.
func split(name string) (server, own string, ok bool) {
	if server, own, ok = strings.Cut(name, ":"); ok && CheckServerName(server) == nil {
		return server, own, own != ""
	}
	server, own, ok = strings.Cut(name, separator)
	return server, own, ok && own != ""
}

// exposeURI is the URI of a resource of a certain server.
func exposeURI(server, uri string) string { return scheme + server + "/" + uri }

// splitURI takes such a URI apart.
func splitURI(uri string) (server, own string, ok bool) {
	rest, ok := strings.CutPrefix(uri, scheme)
	if !ok {
		return "", "", false
	}
	server, own, ok = strings.Cut(rest, "/")
	return server, own, ok && own != ""
}
