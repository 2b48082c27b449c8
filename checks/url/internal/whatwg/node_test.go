// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package whatwg

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolvet/toolvet/internal/test/corpora"
	"github.com/toolvet/toolvet/internal/test/need"
)

// A reading is a parsed URL in a form for comparisons.
type reading struct {
	OK          bool   `json:"ok"`
	Scheme      string `json:"scheme"`
	Host        string `json:"host"`
	Port        string `json:"port"`
	Credentials bool   `json:"credentials"`
}

const nodeScript = `
const inputs = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const out = inputs.map(input => {
  try {
    const u = new URL(input);
    return {ok: true, scheme: u.protocol.slice(0, -1), host: u.hostname, port: u.port, credentials: u.username + u.password !== ''};
  } catch { return {ok: false}; }
});
process.stdout.write(JSON.stringify(out));`

// nodeReadings has Node's URL class, an implementation of the URL Standard that is not
// ours, read URLs. It needs no network.
func nodeReadings(t *testing.T, inputs []string) []reading {
	t.Helper()
	node := need.Node.Program(t, "node")
	text, err := json.Marshal(inputs)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, "-e", nodeScript)
	cmd.Stdin = bytes.NewReader(text)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	var readings []reading
	if err := json.Unmarshal(out, &readings); err != nil || len(readings) != len(inputs) {
		t.Fatalf("node read %d of %d: %v", len(readings), len(inputs), err)
	}
	for i := range readings {
		readings[i].Host = canonical(readings[i].Host)
	}
	return readings
}

// ourReading is what Parse makes of a URL.
func ourReading(input string) reading {
	u, err := Parse(input)
	if err != nil {
		return reading{}
	}
	r := reading{OK: true, Scheme: u.Scheme, Host: canonical(u.Host.Text), Credentials: u.Username+u.Password != ""}
	if u.HasPort {
		r.Port = strconv.Itoa(int(u.Port))
	}
	return r
}

// canonical writes an IPv6 address in one of its forms, and a host of an unknown scheme
// without percent-encoding, which Parse leaves to others.
func canonical(host string) string {
	if addr, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return addr.String()
	}
	return percentDecode(host)
}

// seeds hold one of each thing that a parser can trip over.
var seeds = []string{
	"https://example.com", "HTTP://EXAMPLE.com:80/a?b#c", "http://u:p@a:8080/", "http:a", `http:\\a\b`,
	"http:////a", "ht\ntp://a/", "\x00 http://a/ \t", "http://a:/", "http://a:00443/", "http://a:65536/",
	"http://a@b@c/", "http://@/", "http://a#@b/", "http://a?@b/", `http://a\@b/`, "http://a b/", "http://a%2eb/",
	"http://a%2fb/", "http://a%00/", "http://%41%ff/", "http://2130706433/", "http://0x7f.1/", "http://0177.0.0.01/",
	"http://1.2.3.08/", "http://1.2.3.4.5/", "http://1..2/", "http://127.0.0.1./", "http://0x/", "http://.0x./",
	"http://１２７．０．０．１/", "http://①②⑦。0.0.1/", "http://[::1]:80/", "http://[::ffff:1.2.3.4]/", "http://[1::2::3]/",
	"http://[fe80::1%25eth0]/", "http://[::1", "http://[::1]x/", "http://münchen.de/", "http://faß.de/", "http://FAẞ.de/",
	"http://xn--mnchen-3ya.de/", "http://xn--/", "http://xn--a/", "http://a.xn--.b/", "http://אב.example/", "http://a\u200db/",
	"http://a\u00adb/", "http://≠.example/", "http://a\u0338/", "http://..a/", "http://./", "http://-a-/", "http://a_b/",
	"file:///etc/passwd", "file://localhost/x", "file://h/x", "file:c:/x", "file://c|/x", `file:\\h\x`, "foo://h:1/", "foo:bar",
	"foo://%zz é/", "foo://a<b", "ws://a:80/", "wss://a:80/", "ftp://a:21/", "javascript:alert(1)", "mailto:a@b", "//a/b",
	"", ":", "a", "http://", "http:/", "http:", "http://\u3002/", "http://a\u3002/", "http://a.\u00ad/",
}

// corpus is the URLs that lie beside the module, labelled or not.
func corpus(t *testing.T) []string {
	t.Helper()
	var inputs []string
	for _, row := range corpora.Read[struct{ Input string }](t, "urls") {
		inputs = append(inputs, row.Input)
	}
	return inputs
}

// mixtures are URLs put together from what parsers trip over, the same in every run.
func mixtures(n int) []string {
	parts := []string{
		"http", "https", "ws", "file", "foo", ":", "/", "/", `\`, "@", "?", "#", "[", "]", "::", "ffff:", "1", "127", "0x7f",
		"0177", ".", ".", "%", "%2e", "%41", "%00", "%25", "%ef%bc%8e", "\t", "\n", " ", "a", "B", "xn--", "xn--a", "é", "ß",
		"ẞ", "。", "．", "１", "①", "\u200d", "א", "\u00ad", "\u0338", "=", "≠", "65536", "80", "443", "|", "^", "-", "_", "C:", "localhost",
	}
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]string, n)
	for i := range list {
		if i%2 == 0 {
			list[i] = "http://"
		}
		for range r.IntN(10) + 1 {
			list[i] += parts[r.IntN(len(parts))]
		}
	}
	return list
}

// runes are hosts with each character of the planes that have letters.
func runes() []string {
	var list []string
	for r := rune(1); r < 0x20000; r++ {
		if utf8.ValidRune(r) {
			list = append(list, "http://a"+string(r)+"b.example/")
		}
	}
	return list
}

// TestNode holds that Parse never reads another scheme, host, port or credentials than
// Node does, that it reads nothing of the corpus and the seeds that Node refuses, and that
// it refuses what Node reads for the sake of an internationalized name alone: there the
// two have the tables of two versions of Unicode, and Node 20 leaves out the Bidi rule.
func TestNode(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		inputs  func(*testing.T) []string
		lenient bool // names that Node refuses are let pass, and only judged for what they are
	}{
		"seeds":    {inputs: func(*testing.T) []string { return seeds }},
		"corpus":   {inputs: corpus},
		"mixtures": {inputs: func(*testing.T) []string { return mixtures(50_000) }, lenient: true},
		"runes":    {inputs: func(*testing.T) []string { return runes() }, lenient: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inputs, both := tt.inputs(t), 0
			for i, want := range nodeReadings(t, inputs) {
				got := ourReading(inputs[i])
				_, err := Parse(inputs[i])
				switch {
				case got == want:
					if got.OK {
						both++
					}
				case !got.OK && errors.Is(err, ErrName):
				case !want.OK && tt.lenient:
				default:
					t.Errorf("%+q:\nours %+v\nnode %+v", inputs[i], got, want)
				}
			}
			if both == 0 {
				t.Error("there is nothing that both read")
			}
		})
	}
}
