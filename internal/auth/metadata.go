// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// wellKnown is the place of the documents (RFC 9728, section 3).
const wellKnown = "/.well-known/oauth-protected-resource"

// maxPath bounds the part of a request's path that an answer repeats, in bytes.
const maxPath = 1024

// A resourceURL is the identifier of the resource. The zero one has no identifier.
//
// Clients disagree about the identifier: the official Go client wants a document about exactly the URL that it was
// given, while the TypeScript client accepts that or a URL above. So each URL below the resource has a document and
// an identifier of its own: below /mcp, there may be /mcp/files.
type resourceURL struct {
	id     string // as the policy writes it
	origin string // its scheme, host and port
	path   string // without a slash at its end
}

func newResourceURL(id string) (resourceURL, error) {
	if id == "" {
		return resourceURL{}, nil
	}
	u, err := url.Parse(id)
	if err != nil || u.Host == "" {
		return resourceURL{}, fmt.Errorf("the resource of the policy is no URL")
	}
	return resourceURL{id: id, origin: u.Scheme + "://" + u.Host, path: strings.TrimSuffix(u.EscapedPath(), "/")}, nil
}

// below reports whether a path is that of the resource or below it. Behind a proxy that rewrites paths, no path may
// be.
func (r resourceURL) below(path string) bool {
	return len(path) <= maxPath && (path == r.path || strings.HasPrefix(path, r.path+"/"))
}

// at returns the identifier for a path.
func (r resourceURL) at(path string) string {
	if r.id == "" || !r.below(path) || path == r.path || path == r.path+"/" {
		return r.id
	}
	return r.origin + path
}

// metadata returns the URL of the document about the resource at u, or "".
func (r resourceURL) metadata(u *url.URL) string {
	path := u.EscapedPath()
	switch {
	case r.id == "":
		return ""
	case !r.below(path), path == "/":
		path = r.path
	}
	return r.origin + wellKnown + path
}

// described returns the identifier in the document at u.
func (r resourceURL) described(u *url.URL) (id string, ok bool) {
	path, ok := strings.CutPrefix(u.EscapedPath(), wellKnown)
	switch {
	case !ok || r.id == "":
		return "", false
	case path == "":
		return r.id, true
	}
	return r.at(path), r.below(path)
}

// describe answers with the document (RFC 9728, section 2). It is public.
func (r *Resource) describe(w http.ResponseWriter, req *http.Request, id string) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Headers", "MCP-Protocol-Version")
	switch req.Method {
	case http.MethodOptions:
		w.WriteHeader(http.StatusNoContent)
		return
	case http.MethodGet, http.MethodHead:
	default:
		h.Set("Allow", "GET, HEAD, OPTIONS")
		http.Error(w, "only GET, HEAD and OPTIONS", http.StatusMethodNotAllowed)
		return
	}
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "public, max-age=60")
	err := json.NewEncoder(w).Encode(struct {
		Resource string   `json:"resource"`
		Issuers  []string `json:"authorization_servers,omitempty"`
		Scopes   []string `json:"scopes_supported,omitempty"`
		Methods  []string `json:"bearer_methods_supported"`
	}{id, r.names, r.scopes, []string{"header"}})
	if err != nil {
		r.log.Debug("a document was not read", "err", err)
	}
}
