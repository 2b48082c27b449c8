// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package egress

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// An archive has the requests and answers of an HTTP Archive (HAR 1.2). Browsers, mitmproxy and others
// write such files.
type archive struct {
	Log struct {
		Version string  `json:"version"`
		Creator creator `json:"creator"`
		Entries []entry `json:"entries"`
	} `json:"log"`
}

type creator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type entry struct {
	Request struct {
		Method string `json:"method"`
		URL    string `json:"url"`
	} `json:"request"`
	Response struct {
		Status  int      `json:"status"`
		Headers []header `json:"headers"`
		Content struct {
			MimeType string `json:"mimeType"`
			Text     string `json:"text,omitempty"`
			Encoding string `json:"encoding,omitempty"` // "base64" or none
		} `json:"content"`
	} `json:"response"`
}

type header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Bounds of recordings.
const (
	maxArchive  = 64 << 20 // bytes of one
	maxRecorded = 8 << 20  // bytes of an answer's body
)

// An answer is a recorded answer.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// A Replay answers requests with the recorded answers for their method and URL. Several answers are
// given in order, and then the last one repeatedly.
type Replay struct {
	mu      sync.Mutex
	answers map[string][]answer
}

// ReadReplay reads an HTTP Archive (HAR 1.2).
func ReadReplay(r io.Reader) (*Replay, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxArchive+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > maxArchive {
		return nil, fmt.Errorf("it is larger than %d bytes", maxArchive)
	}
	var a archive
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("it is no HTTP Archive (HAR 1.2): %w", err)
	}
	if len(a.Log.Entries) == 0 {
		return nil, errors.New("it is no HTTP Archive (HAR 1.2), or an empty one: no log.entries")
	}
	replay := &Replay{answers: map[string][]answer{}}
	for i := range a.Log.Entries {
		e := &a.Log.Entries[i]
		recorded, err := e.answer()
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		}
		key, err := keyOf(e.Request.Method, e.Request.URL)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		}
		replay.answers[key] = append(replay.answers[key], recorded)
	}
	return replay, nil
}

// Ports returns the ports of this machine with recorded answers.
func (p *Replay) Ports() []uint16 {
	p.mu.Lock()
	defer p.mu.Unlock()
	var ports []uint16
	for key := range p.answers {
		_, address, _ := strings.Cut(key, " ")
		u, err := url.Parse(address)
		if err != nil || u.Hostname() != thisMachine {
			continue
		}
		port, err := strconv.ParseUint(cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme]), 10, 16)
		if err == nil && !slices.Contains(ports, uint16(port)) {
			ports = append(ports, uint16(port))
		}
	}
	return ports
}

// keyOf returns the key for the answers to a request.
func keyOf(method, address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || method == "" {
		return "", errors.New("the request has no method and absolute URL")
	}
	host := canonical(u.Hostname())
	if p := u.Port(); p != "" && (u.Scheme != "http" || p != "80") && (u.Scheme != "https" || p != "443") {
		host += ":" + p
	}
	return strings.ToUpper(method) + " " + u.Scheme + "://" + host + u.RequestURI(), nil
}

func (e *entry) answer() (answer, error) {
	r := &e.Response
	if r.Status < 200 || r.Status > 599 {
		return answer{}, errors.New("the answer's status is not between 200 and 599")
	}
	a := answer{status: r.Status, header: http.Header{}, body: []byte(r.Content.Text)}
	if r.Content.Encoding == "base64" {
		var err error
		if a.body, err = base64.StdEncoding.DecodeString(r.Content.Text); err != nil {
			return answer{}, fmt.Errorf("the answer's content: %w", err)
		}
	}
	for _, h := range r.Headers {
		if !ofConnection[http.CanonicalHeaderKey(h.Name)] && !strings.HasPrefix(h.Name, ":") {
			a.header.Add(h.Name, h.Value)
		}
	}
	if a.header.Get("Content-Type") == "" && r.Content.MimeType != "" {
		a.header.Set("Content-Type", r.Content.MimeType)
	}
	return a, nil
}

// ofConnection lists headers of a connection rather than an answer. In an archive, the content is
// already decoded.
var ofConnection = map[string]bool{
	"Connection": true, "Content-Encoding": true, "Content-Length": true, "Keep-Alive": true, "Proxy-Connection": true,
	"Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true, "Alt-Svc": true,
}

// Again returns a replay of the same answers from the beginning, unless p has given any: then from there on.
func (p *Replay) Again() *Replay {
	p.mu.Lock()
	defer p.mu.Unlock()
	return &Replay{answers: maps.Clone(p.answers)}
}

// ServeHTTP implements http.Handler. It refuses requests without a recorded answer.
func (p *Replay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.Answer(w, r) {
		return
	}
	noteOf(r.Context()).Failed = "no answer was recorded"
	http.Error(w, "toolvet: no answer was recorded for this request, and nothing was sent", http.StatusForbidden)
}

// Answer answers a request of a [Server] if an answer was recorded. Otherwise it does nothing and returns false.
func (p *Replay) Answer(w http.ResponseWriter, r *http.Request) bool {
	note := noteOf(r.Context())
	key, err := keyOf(note.Method, note.URL())
	if err != nil {
		return false
	}
	a, ok := p.next(key)
	if !ok {
		return false
	}
	note.Replayed = true
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // the client may be gone
	return true
}

func (p *Replay) next(key string) (answer, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.answers[key]
	if len(list) == 0 {
		return answer{}, false
	}
	if len(list) > 1 {
		p.answers[key] = list[1:]
	}
	return list[0], true
}

// A Recording keeps answers without cookies. Of requests it keeps only the method and URL. Its methods
// are safe for concurrent use.
type Recording struct {
	mu      sync.Mutex
	archive archive
	size    int
	missing int
}

func (c *Recording) add(method, address string, status int, h http.Header, body []byte, whole bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size += len(body); !whole || c.size > maxArchive/2 { // base64 is larger
		c.missing++
		return
	}
	var e entry
	e.Request.Method, e.Request.URL, e.Response.Status = method, address, status
	e.Response.Headers = []header{}
	for name, values := range h {
		for _, v := range values {
			if !ofConnection[name] && name != "Set-Cookie" {
				e.Response.Headers = append(e.Response.Headers, header{name, v})
			}
		}
	}
	e.Response.Content.MimeType = h.Get("Content-Type")
	if e.Response.Content.Text = string(body); !utf8.Valid(body) {
		e.Response.Content.Text, e.Response.Content.Encoding = base64.StdEncoding.EncodeToString(body), "base64"
	}
	c.archive.Log.Entries = append(c.archive.Log.Entries, e)
}

// Write writes the recording as an HTTP Archive (HAR 1.2). It returns the number of missing answers,
// which were too large or did not end.
func (c *Recording) Write(w io.Writer) (missing int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.archive.Log.Version, c.archive.Log.Creator = "1.2", creator{"toolvet", "1"}
	if c.archive.Log.Entries == nil {
		c.archive.Log.Entries = []entry{}
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", " ")
	encoder.SetEscapeHTML(false)
	return c.missing, encoder.Encode(&c.archive)
}

// A recorder adds the answers of a transport to a recording.
type recorder struct {
	http.RoundTripper
	to *Recording
}

func (r recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	request.Header.Del("Accept-Encoding") // answers are kept without an encoding
	response, err := r.RoundTripper.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	url, method := noteOf(request.Context()).URL(), request.Method
	response.Body = &kept{ReadCloser: response.Body, done: func(body []byte, whole bool) {
		r.to.add(method, url, response.StatusCode, response.Header, body, whole)
	}}
	return response, nil
}

// A kept body is recorded once it has been read.
type kept struct {
	io.ReadCloser
	seen  bytes.Buffer
	whole bool
	done  func(body []byte, whole bool)
	once  sync.Once
}

func (k *kept) Read(b []byte) (int, error) {
	n, err := k.ReadCloser.Read(b)
	if k.seen.Len() <= maxRecorded {
		k.seen.Write(b[:n])
	}
	if err == io.EOF {
		k.whole = k.seen.Len() <= maxRecorded
	}
	return n, err
}

func (k *kept) Close() error {
	k.once.Do(func() { k.done(k.seen.Bytes(), k.whole) })
	return k.ReadCloser.Close()
}
