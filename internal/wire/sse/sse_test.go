// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sse_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/toolvet/toolvet/internal/wire/sse"
)

var withoutRaw = cmpopts.IgnoreFields(sse.Event{}, "Raw")

// read reads a whole stream: all events, what is left over, and the error at the end.
func read(r io.Reader, limit int) (events []sse.Event, rest []byte, lastID string, err error) {
	in := sse.NewReader(r, limit)
	for {
		e, err := in.Next()
		if err != nil {
			return events, e.Raw, in.LastID(), err
		}
		events = append(events, e)
	}
}

// dispatched are the events that have something to say.
func dispatched(events []sse.Event) (all []sse.Event) {
	for _, e := range events {
		if !cmp.Equal(e, sse.Event{}, withoutRaw) {
			all = append(all, e)
		}
	}
	return all
}

func data(s string) sse.Event { return sse.Event{Data: []byte(s)} }

func TestReader(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		want     []sse.Event
		lastID   string
		err      error
	}{
		{name: "nothing"},
		{name: "data", in: "data: a\n\n", want: []sse.Event{data("a")}},
		{name: "one space goes", in: "data:  a \n\ndata:b\n\n", want: []sse.Event{data(" a "), data("b")}},
		{name: "lines are joined", in: "data: a\ndata\ndata:b\n\n", want: []sse.Event{data("a\n\nb")}},
		{name: "empty data", in: "id: 7\ndata:\n\n", want: []sse.Event{{ID: "7", HasID: true, Data: []byte{}}}, lastID: "7"},
		{name: "CR", in: "data: a\rdata: b\r\rdata: c\r\r", want: []sse.Event{data("a\nb"), data("c")}},
		{name: "CRLF", in: "data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", want: []sse.Event{data("a\nb"), data("c")}},
		{name: "mixed ends", in: "data: a\r\ndata: b\n\rdata: c\n\n", want: []sse.Event{data("a\nb"), data("c")}},
		{name: "byte order mark", in: "\uFEFFdata: a\n\n\uFEFFdata: b\n\n", want: []sse.Event{data("a")}},
		{name: "comments", in: ": hello\n\n:\r\ndata: a\n: inside\ndata: b\n\n", want: []sse.Event{data("a\nb")}},
		{name: "fields", in: "event: message\nid: 1\nretry: 1500\ndata: {}\nother: x\n\n",
			want: []sse.Event{{Type: "message", ID: "1", HasID: true, Retry: 1500 * time.Millisecond, HasRetry: true, Data: []byte("{}")}}, lastID: "1"},
		{name: "retry that is no number", in: "retry: 1s\nretry: -1\nretry: +1\nretry:\ndata: a\n\n", want: []sse.Event{data("a")}},
		{name: "retry for ever", in: "retry: 18446744073709551615\n\n", want: []sse.Event{{Retry: 24 * time.Hour, HasRetry: true}}},
		{name: "NUL in id", in: "id: a\x00b\ndata: a\n\n", want: []sse.Event{data("a")}},
		{name: "id is taken back", in: "id: 1\n\nid\n\n", want: []sse.Event{{ID: "1", HasID: true}, {HasID: true}}},
		{name: "case matters", in: "Data: a\nDATA: b\n\n"},
		{name: "cut off", in: "data: a\n\nid: 2\ndata: b\n", want: []sse.Event{data("a")}, err: io.ErrUnexpectedEOF},
		{name: "cut off in a line", in: "data: a\n\ndata", want: []sse.Event{data("a")}, err: io.ErrUnexpectedEOF},
		{name: "too large", in: "data: a\n\ndata: " + strings.Repeat("x", 200) + "\n\n", want: []sse.Event{data("a")}, err: sse.ErrTooLarge},
		{name: "too large in many lines", in: strings.Repeat("data: x\n", 30) + "\n", err: sse.ErrTooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for name, r := range map[string]io.Reader{
				"whole": strings.NewReader(tt.in), "bytes": iotest.OneByteReader(strings.NewReader(tt.in)),
			} {
				events, _, lastID, err := read(r, 128)
				if diff := cmp.Diff(tt.want, dispatched(events), withoutRaw); diff != "" {
					t.Errorf("%s: events (-want +got):\n%s", name, diff)
				}
				want := tt.err
				if want == nil {
					want = io.EOF
				}
				if !errors.Is(err, want) || lastID != tt.lastID {
					t.Errorf("%s: error %v, last id %q; want %v, %q", name, err, lastID, want, tt.lastID)
				}
			}
		})
	}
}

// TestReaderDoesNotWait holds that an event is handed out before anything follows it:
// also a keep-alive without a blank line, and an end of which the LF is late.
func TestReaderDoesNotWait(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"data: a\n\n", "data: a\r\n\r", "data: a\r\r", ": alive\n", ":\r"} {
		late := errors.New("waited")
		in := sse.NewReader(io.MultiReader(strings.NewReader(first), iotest.ErrReader(late)), 0)
		e, err := in.Next()
		if err != nil || string(e.Raw) != first {
			t.Errorf("%q: got %q, %v", first, e.Raw, err)
		}
		if _, err = in.Next(); !errors.Is(err, late) {
			t.Errorf("%q: then %v, want the error of the stream", first, err)
		}
	}
}

// TestPlain holds that a reader that ends lines at other characters, too, finds no event of its own beside
// the data of an event.
func TestPlain(t *testing.T) {
	t.Parallel()
	const inner = "data: {}"
	for _, end := range []string{"\v", "\f", "\x1c", "\x1d", "\x1e", "\u0085", "\u2028", "\u2029"} {
		for in, want := range map[string]string{
			": x" + end + inner + end + end + "\n":              "",
			"id: 1" + end + inner + end + end + "\ndata: a\n\n": "data: a\n\n",
			"other: " + end + inner + "\ndata: a\nid: 2\n\n":    "data: a\nid: 2\n\n",
			"data: a" + end + "b\nid: 2\n\n":                    "data: a" + end + "b\nid: 2\n\n",
		} {
			e, err := sse.NewReader(strings.NewReader(in), 0).Next()
			if err != nil {
				t.Fatal(err)
			}
			plain := e.Plain()
			if string(plain.Raw) != want || plain.HasID != strings.Contains(want, "id:") {
				t.Errorf("%q becomes %q with the id %q, want %q", in, plain.Raw, plain.ID, want)
			}
		}
	}
	e, err := sse.NewReader(strings.NewReader(": x\nid: é\ndata: a\r\ndata: b\n\n"), 0).Next()
	if plain := e.Plain(); err != nil || string(plain.Raw) != string(e.Raw) || plain.ID != e.ID {
		t.Errorf("%q becomes %q, %v", e.Raw, plain.Raw, err)
	}
}

func TestWithData(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, data, want string }{
		{"one line", "id: 1\nevent: message\ndata: old\n\n", "new", "id: 1\nevent: message\ndata: new\n\n"},
		{"its ends stay", "data:old\r\ndata:more\r\n: note\r\nid:3\r\n\r\n", "new", "data: new\r\n: note\r\nid:3\r\n\r\n"},
		{"more lines", "data: old\n\n", "a\nb", "data: a\ndata: b\n\n"},
		{"byte order mark", "\uFEFFdata: old\n\n", "new", "\uFEFFdata: new\n\n"},
		{"no data", "id: 1\n\n", "new", "id: 1\n\n"},
	} {
		e, err := sse.NewReader(strings.NewReader(tt.in), 0).Next()
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := string(e.WithData([]byte(tt.data))); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestAppendRefuses(t *testing.T) {
	t.Parallel()
	for _, e := range []sse.Event{{Type: "a\nb"}, {Type: "a\r"}, {ID: "1\n"}, {ID: "\x00"}} {
		if got, err := sse.Append([]byte("kept"), e); err == nil || string(got) != "kept" {
			t.Errorf("%+v: got %q, %v", e, got, err)
		}
	}
}

// FuzzReader holds that no byte of a stream is lost, that the sizes of the reads do not
// matter, and that WithData changes nothing but the data.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"data: a\n\n", "id: 1\r\ndata: x\r\ndata\r\n\r\n:\r\n", "\uFEFFdata:\r\rretry: 5\n\n", "data: a\n\ndata: b", ":\n\n\r\n\r",
		"event: x\ndata: {\"a\":\ndata: 1}\n\nid\n\n",
	} {
		f.Add([]byte(seed), []byte("new\nlines"))
	}
	f.Fuzz(func(t *testing.T, stream, replacement []byte) {
		events, rest, lastID, err := read(bytes.NewReader(stream), 1<<20)
		var all []byte
		for _, e := range events {
			all = append(all, e.Raw...)
		}
		if all = append(all, rest...); !bytes.Equal(all, stream) {
			t.Fatalf("the raw bytes are %q, not %q", all, stream)
		}
		slow, _, slowID, slowErr := read(iotest.OneByteReader(bytes.NewReader(stream)), 1<<20)
		if diff := cmp.Diff(dispatched(events), dispatched(slow), withoutRaw); diff != "" || slowID != lastID || slowErr != err {
			t.Fatalf("read byte by byte (-whole +bytes): %s; %q, %v against %q, %v", diff, lastID, err, slowID, slowErr)
		}
		for _, e := range events {
			again, _, _, _ := read(bytes.NewReader(e.WithData(replacement)), 1<<21)
			want := e
			if e.Data != nil {
				want.Data = lines(replacement)
			}
			if diff := cmp.Diff(dispatched([]sse.Event{want}), dispatched(again), withoutRaw); diff != "" {
				t.Fatalf("%q with data %q (-want +got):\n%s", e.Raw, replacement, diff)
			}
		}
	})
}

// lines is data as a stream carries it.
func lines(data []byte) []byte {
	return []byte(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data)))
}

// FuzzRoundTrip holds that what is written is read.
func FuzzRoundTrip(f *testing.F) {
	f.Add("message", []byte("{}\n[]"), "1", true, int64(3), true)
	f.Add("", []byte(nil), "", false, int64(0), false)
	f.Add("x", []byte("\r\n\r"), "a b", true, int64(-1), true)
	f.Fuzz(func(t *testing.T, kind string, data []byte, id string, hasID bool, retry int64, hasRetry bool) {
		e := sse.Event{Type: kind, Data: data, ID: id, HasID: hasID, HasRetry: hasRetry}
		if hasRetry {
			e.Retry = min(max(0, time.Duration(retry).Truncate(time.Millisecond)), 24*time.Hour)
		}
		if !hasID {
			e.ID = ""
		}
		wire, err := sse.Append(nil, e)
		if err != nil {
			return
		}
		if e.Data != nil {
			e.Data = lines(e.Data)
		}
		got, rest, _, err := read(bytes.NewReader(wire), 1<<20)
		if len(got) != 1 || len(rest) != 0 || err != io.EOF {
			t.Fatalf("%q is %d events, %q is left, %v", wire, len(got), rest, err)
		}
		if diff := cmp.Diff(e, got[0], withoutRaw); diff != "" {
			t.Errorf("%q (-want +got):\n%s", wire, diff)
		}
	})
}
