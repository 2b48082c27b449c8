// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/internal/machine/egress"
)

// Plausible answers every request with made-up content, the same each time: an array for the path of a collection, an object
// for that of an item, with the members that many APIs have. Of the request, it repeats its host, and a plain identifier at the end of the path, which
// is no random name of the audit. So no attack comes back in an answer, and no evidence.
type Plausible struct{}

// moment is the time of all that is made up.
const moment = "2026-01-01T00:00:00Z"

// madeUpName is the name of all that is made up.
const madeUpName = "audit"

var (
	plural = regexp.MustCompile(`^[A-Za-z][A-Za-z_-]*[^iusIUS_-]s$`)
	notAll = regexp.MustCompile(`(?i)(^|[_-])(news|https|sms|dns|tls|aws|alias|canvas|settings|credentials|stats|statistics|preferences)$`)
	lister = regexp.MustCompile(`(?i)(^|[._-])(list|search|query|find|lookup|all|feed|index)$|^(list|search|query|find)[A-Z]`)
	// plainID is an identifier that an answer may repeat. The random names of the audit are longer.
	plainID = regexp.MustCompile(`^(?:[A-Za-z0-9_-]{1,25}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$`)
	version = regexp.MustCompile(`^v?[0-9]+(\.[0-9]+)*$`)
)

// Answer implements [Answerer].
func (Plausible) Answer(w http.ResponseWriter, r *http.Request) bool {
	kind, body := plausible(r)
	w.Header().Set("Content-Type", kind)
	status := http.StatusOK
	if segment := last(r); r.Method == http.MethodPost && isPlural(segment) {
		status = http.StatusCreated
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone
	return true
}

// plausible is the content of an answer, of the first type that the request accepts.
func plausible(r *http.Request) (kind string, body []byte) {
	for _, accepted := range strings.Split(strings.Join(r.Header.Values("Accept"), ","), ",") {
		t, _, err := mime.ParseMediaType(accepted)
		switch {
		case err != nil || t == "*/*":
			continue
		case isJSON(t) || t == "application/*":
			return t, madeUpJSON(r)
		}
		if body, ok := other(t); ok {
			if strings.HasPrefix(t, "image/") {
				t = "image/png"
			}
			return t, body
		}
	}
	if t := files[strings.ToLower(path.Ext(r.URL.Path))]; t != "" && r.Method == http.MethodGet {
		if body, ok := other(t); ok {
			return t, body
		}
	}
	return "application/json", madeUpJSON(r)
}

// files are types of content by the extension of a path.
var files = map[string]string{
	".txt": "text/plain", ".md": "text/plain", ".csv": "text/csv", ".log": "text/plain", ".html": "text/html", ".htm": "text/html", ".xml": "text/xml", ".rss": "text/xml",
	".png": "image/png", ".jpg": "image/png", ".jpeg": "image/png", ".gif": "image/png", ".webp": "image/png", ".ico": "image/png",
	".bin": "application/octet-stream", ".zip": "application/zip", ".pdf": "application/pdf",
}

// pixel is the smallest picture.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// other is content of a type other than JSON.
func other(kind string) ([]byte, bool) {
	switch {
	case kind == "text/html" || kind == "application/xhtml+xml":
		return []byte("<!doctype html><html><head><title>" + madeUpName + "</title></head><body><p>A plain page.</p></body></html>"), true
	case kind == "text/xml" || kind == "application/xml" || strings.HasSuffix(kind, "+xml"):
		return []byte("<?xml version=\"1.0\"?><" + madeUpName + "><id>1</id><name>" + madeUpName + "</name></" + madeUpName + ">"), true
	case strings.HasPrefix(kind, "text/"):
		return []byte("A plain text.\n"), true
	case strings.HasPrefix(kind, "image/"):
		raw, err := base64.StdEncoding.DecodeString(pixel)
		return raw, err == nil
	case kind == "application/octet-stream" || kind == "application/pdf" || kind == "application/zip":
		return []byte("A plain file.\n"), true
	}
	return nil, false
}

// last is the last part of a request's path, without the extension of JSON.
func last(r *http.Request) string { return strings.TrimSuffix(path.Base(r.URL.Path), ".json") }

func isPlural(segment string) bool {
	return plural.MatchString(segment) && !notAll.MatchString(segment) && !version.MatchString(segment)
}

func madeUpJSON(r *http.Request) []byte {
	segment := last(r)
	var answer any
	switch later := laterPage(r); {
	case isPlural(segment) && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		answer = []any{object(r, 1)}
		if later {
			answer = []any{}
		}
	case lister.MatchString(segment):
		list := page(object(r, 1), !later)
		list["data"] = list["items"]
		answer = list
	default:
		var id any = 1
		if n, err := strconv.ParseInt(segment, 10, 53); err == nil {
			id = n
		} else if plainID.MatchString(segment) && strings.ContainsAny(segment, "0123456789") && !version.MatchString(segment) {
			id = segment
		}
		answer = page(object(r, id), !later)
	}
	raw, err := json.Marshal(answer)
	if err != nil { // it has only plain values
		return []byte("{}")
	}
	return raw
}

// laterPage reports whether a request asks for what comes after the first page. There is no more.
func laterPage(r *http.Request) bool {
	for name, values := range r.URL.Query() {
		value := values[0]
		n, err := strconv.Atoi(value)
		switch strings.ToLower(strings.NewReplacer("_", "", "-", "", "[", "", "]", "").Replace(name)) {
		case "page", "pagenumber", "pageindex":
			if err == nil && n > 1 {
				return true
			}
		case "offset", "start", "startat", "skip", "from", "startindex":
			if err == nil && n > 1 {
				return true
			}
		case "cursor", "after", "startingafter", "pagetoken", "nexttoken", "continuationtoken", "nextcursor", "startcursor":
			if value != "" {
				return true
			}
		}
	}
	return false
}

// object is an item with the members that many APIs have.
func object(r *http.Request, id any) map[string]any {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	base := scheme + "://" + egress.TargetOf(r.Context()).Host
	person := map[string]any{"id": 1, "name": madeUpName, "login": madeUpName, "username": madeUpName, "email": madeUpName + "@example.org", "type": "User"}
	o := map[string]any{
		"active": true, "author": person, "branch": "main", "default_branch": "main", "enabled": true, "owner": person, "private": false, "user": person,
		"email": madeUpName + "@example.org", "expires_in": 3600, "token_type": "Bearer",
		"size": 14, "version": "1.0.0", "status": "completed", "state": "open", "type": "file",
		"path": madeUpName + ".txt", "mime_type": "text/plain", "mimeType": "text/plain", "labels": []any{}, "tags": []any{},
	}
	for names, value := range map[string]any{
		"id key":                            id,
		"name title slug label login":       madeUpName,
		"username display_name displayName": madeUpName,
		"filename file_name fileName file":  madeUpName + ".txt",
		"description text message summary":  "A plain text.",
		"content body":                      "A plain text.",
		"created_at createdAt created date": moment,
		"updated_at updatedAt updated":      moment,
		"token access_token accessToken session session_id sessionId refresh_token": "audit-0123456789abcdef",
		"url html_url web_url webUrl download_url downloadUrl href link":            base + "/files/" + madeUpName + ".txt",
	} {
		for _, name := range strings.Fields(names) {
			o[name] = value
		}
	}
	return o
}

// page is an object that is at once the page of a list, and the envelope of an item.
func page(item map[string]any, full bool) map[string]any {
	list, n := []any{}, 0
	if full {
		list, n = []any{item}, 1
	}
	o := maps.Clone(item)
	maps.Copy(o, map[string]any{
		"ok": true, "success": true, "error": nil, "items": list, "results": list, "values": list, "records": list, "entries": list, "result": item, "data": item,
		"count": n, "total": n, "total_count": n, "totalCount": n, "next": nil, "next_page": nil, "next_cursor": nil, "nextPageToken": nil, "nextCursor": nil, "has_more": false, "hasMore": false,
	})
	return o
}
