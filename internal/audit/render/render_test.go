// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/schema"
)

var day = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// hostile is what a server may put into its names and its code.
const hostile = "x\x1b[31m\u202e<script>alert(1)</script>|`@all`](http://evil)\n# \"'&"

// reports are a full one, an empty one and one that nothing is known of.
func reports() map[string]*audit.Report {
	path := audit.Cell{Tool: "read_file", Param: "/path", Class: audit.Path}
	fact := func(c audit.Cell, m audit.Method, v audit.Verdict, sure audit.Confidence) audit.Fact {
		return audit.Fact{Cell: c, Method: m, Verdict: v, Confidence: sure, Kind: "sibling-prefix", Why: "a path gets out of the root"}
	}
	proven := fact(path, audit.Dynamic, audit.Vulnerable, audit.Proven)
	proven.Proof = &audit.Proof{Arguments: `{"path":"../x"}`, Seen: "a token", Probes: 3}
	traced := fact(path, audit.Static, audit.Vulnerable, audit.Traced)
	traced.Flow = []audit.Place{{File: "src/in dex.ts", Line: 3, Col: 5, Note: "path is read"}, {File: "src/in dex.ts", Line: 9, Note: "passed to fs.readFile"}}
	odd := fact(audit.Cell{Tool: hostile, Param: "/" + hostile, Class: audit.URL}, audit.Dynamic, audit.Vulnerable, audit.Proven)
	odd.Why = hostile
	odd.Proof = &audit.Proof{Arguments: hostile, Seen: hostile}
	oddCode := fact(audit.Cell{Tool: hostile, Class: audit.Command}, audit.Static, audit.Vulnerable, audit.Suspected)
	oddCode.Engine = hostile
	oddCode.Flow = []audit.Place{{File: hostile, Line: 0, Note: hostile}}
	facts := []audit.Fact{
		proven, traced, odd, oddCode,
		fact(audit.Cell{Tool: "list", Param: "/path", Class: audit.Path}, audit.Dynamic, audit.Guarded, ""),
		fact(audit.Cell{Tool: "list", Param: "/url", Class: audit.URL}, audit.Static, audit.Guarded, ""),
		fact(audit.Cell{Tool: "list", Class: audit.Schema}, audit.Dynamic, audit.Inconclusive, ""),
		fact(audit.Cell{Tool: "run", Param: "/command", Class: audit.Command}, audit.Dynamic, audit.Vulnerable, audit.Metadata),
	}
	full := audit.Input{
		Target: audit.Target{Name: hostile, Server: hostile, Methods: []audit.Method{audit.Dynamic, audit.Static}}, Tools: []string{hostile}, Facts: facts, Notes: []string{hostile}, Now: day,
		Suppressions: []audit.Suppression{{ID: path.ID(), Reason: "known <b>", Expires: "2026-12-01"}},
	}
	return map[string]*audit.Report{
		"full":    audit.New(full),
		"empty":   audit.New(audit.Input{Target: audit.Target{Name: "server"}, Tools: []string{"a"}, Now: day}),
		"unknown": audit.New(audit.Input{Target: audit.Target{Name: "server"}, Now: day}),
	}
}

// TestSchemas holds that JSON and SARIF are what their schemas say.
func TestSchemas(t *testing.T) {
	t.Parallel()
	for file, write := range map[string]func(io.Writer, *audit.Report) error{
		"../../../docs/audit-report.schema.json": JSON,
		"testdata/sarif-schema-2.1.0.json": func(w io.Writer, r *audit.Report) error {
			return SARIF(w, r, Repository{Anchor: "package.json"}, "1.2.3")
		},
	} {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		limits := schema.DefaultLimits()
		compiled, err := schema.Compile(raw, limits)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for name, r := range reports() {
			var b bytes.Buffer
			if err := write(&b, r); err != nil {
				t.Fatal(err)
			}
			value, err := strictjson.Parse(b.Bytes(), strictjson.Limits{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			e, err := compiled.Evaluate(value)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range e.Violations {
				t.Errorf("%s, %s: %+v", file, name, v)
			}
		}
		// A schema that takes anything would prove nothing.
		value, _ := strictjson.Parse([]byte(`{"version":"2.1.0","runs":[{"tool":{"driver":{}}}],"schemaVersion":1}`), strictjson.Limits{})
		if e, err := compiled.Evaluate(value); err != nil || len(e.Violations) == 0 {
			t.Errorf("%s takes what it must not (%v)", file, err)
		}
	}
}

// TestHostile holds that nothing that a server says becomes a control, a tag or a link.
func TestHostile(t *testing.T) {
	t.Parallel()
	r := reports()["full"]
	for name, write := range writers {
		var b strings.Builder
		if err := write(&b, r); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(b.String(), "\x1b\u202e") {
			t.Errorf("%s holds control characters", name)
		}
		if bad := map[string]string{"html": `<script`, "markdown": `<script|[^\\]\]\(|@all|http:`, "badge": `<script`}[name]; bad != "" && regexp.MustCompile(bad).MatchString(b.String()) {
			t.Errorf("%s holds what the server wrote as it is:\n%s", name, b.String())
		}
	}
}

var writers = map[string]func(io.Writer, *audit.Report) error{
	"text": Text, "json": JSON, "html": HTML, "markdown": Markdown, "badge": Badge,
	"sarif": func(w io.Writer, r *audit.Report) error {
		return SARIF(w, r, Repository{Anchor: "package.json"}, "1.2.3")
	},
}

// TestSame holds that the same report is written with the same bytes, and that errors of the
// writer come back.
func TestSame(t *testing.T) {
	t.Parallel()
	for name, write := range writers {
		for kind := range reports() {
			var a, b strings.Builder
			if err := errors.Join(write(&a, reports()[kind]), write(&b, reports()[kind])); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(a.String(), b.String()); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			if err := write(broken{}, reports()[kind]); !errors.Is(err, errBroken) {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

// TestSARIF holds what code scanning needs.
func TestSARIF(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := SARIF(&b, reports()["full"], Repository{"servers/one", "servers/one/package.json"}, "1.2.3"); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	for _, r := range log.Runs[0].Results {
		if r.Properties["proof"] == nil || len(r.CodeFlows) == 0 {
			continue
		}
		if got := r.Locations[0].PhysicalLocation; got.ArtifactLocation.URI != "servers/one/src/in%20dex.ts" || got.Region.StartLine != 9 {
			t.Errorf("the place is %+v", got)
		}
		if len(r.Suppressions) != 1 || r.PartialFingerprints["primaryLocationLineHash"] == "" {
			t.Errorf("got %+v", r)
		}
		return
	}
	t.Error("no result has both pieces of evidence")
}

// TestLogical holds what a result without a line of code is about: a parameter, a tool, or the server.
func TestLogical(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]audit.Cell{
		"[{read/path parameter}]": {Tool: "read", Param: "/path", Class: audit.Path}, "[{read function}]": {Tool: "read", Class: audit.Schema}, "[]": {Class: audit.Schema},
	} {
		if got := fmt.Sprint(Repository{}.place(nil, c).LogicalLocations); got != want {
			t.Errorf("%s: got %s, want %s", c, got, want)
		}
	}
}

// TestCodeScanning holds what GitHub asks for beyond the schema: each rule is described, each result has a known rule,
// a relative place and a fingerprint of its own, and what is no problem is no result.
func TestCodeScanning(t *testing.T) {
	t.Parallel()
	for name, r := range reports() {
		var b bytes.Buffer
		if err := SARIF(&b, r, Repository{"servers/one", "servers/one/package.json"}, "1.2.3"); err != nil {
			t.Fatal(err)
		}
		var log sarifLog
		if err := json.Unmarshal(b.Bytes(), &log); err != nil {
			t.Fatal(err)
		}
		known := map[string]bool{}
		for _, rule := range log.Runs[0].Tool.Driver.Rules {
			known[rule.ID] = rule.ShortDescription.Text != "" && rule.FullDescription.Text != "" && rule.Help.Text != "" && rule.Help.Markdown != "" && rule.Properties["security-severity"] != ""
		}
		if !bytes.Contains(b.Bytes(), []byte(`"results": [`)) || len(log.Runs[0].Results) != len(r.Weaknesses) {
			t.Errorf("%s: %d results of %d weaknesses", name, len(log.Runs[0].Results), len(r.Weaknesses))
		}
		seen := map[string]bool{}
		for _, result := range log.Runs[0].Results {
			hash := result.PartialFingerprints["primaryLocationLineHash"]
			if !known[result.RuleID] || hash == "" || seen[hash] {
				t.Errorf("%s: rule %q, fingerprint %q", name, result.RuleID, hash)
			}
			seen[hash] = true
			if uri := result.Locations[0].PhysicalLocation.ArtifactLocation.URI; !strings.HasPrefix(uri, "servers/one/") {
				t.Errorf("%s: the place %q is not below the directory", name, uri)
			}
		}
	}
}

// TestTexts holds that no value of Go stands in a page in the place of its text, and that the title is the grade.
func TestTexts(t *testing.T) {
	t.Parallel()
	for name, r := range reports() {
		var b strings.Builder
		if err := HTML(&b, r); err != nil {
			t.Fatal(err)
		}
		text := regexp.MustCompile(`(?s)<style>.*</style>|<svg.*</svg>`).ReplaceAllString(b.String(), "")
		if bad := regexp.MustCompile(`\{[^"{}]*[\[ ]|map\[|0x[0-9a-f]{6}`).FindString(text); bad != "" || !strings.Contains(text, "<title>toolvet audit: "+r.Grade.String()+"</title>") {
			t.Errorf("%s: %q stands in\n%s", name, bad, text)
		}
	}
}

// TestNotKnown holds that a comparison says why a weakness is not known any more.
func TestNotKnown(t *testing.T) {
	t.Parallel()
	fact := audit.Fact{Cell: audit.Cell{Tool: "list", Param: "/path", Class: audit.Path}, Method: audit.Dynamic, Verdict: audit.Vulnerable, Confidence: audit.Proven, Kind: "sibling-prefix"}
	before := audit.New(audit.Input{Tools: []string{"list"}, Facts: []audit.Fact{fact}, Now: day})
	fact.Verdict, fact.Confidence = audit.Inconclusive, ""
	c := audit.Compare(before, audit.New(audit.Input{Tools: []string{"list"}, Facts: []audit.Fact{fact}, Now: day}), nil, nil)
	var b strings.Builder
	if err := Comparison(&b, &c); err != nil || !strings.Contains(b.String(), "1 not known any more, ") || !strings.Contains(b.String(), "no harmless call or content came back, so no attack could be tried. Perhaps the policy refuses") {
		t.Errorf("%v: %s", err, b.String())
	}
}

// TestBeyond holds that a comparison says which open weaknesses no policy closes, and why, and says so of no other.
func TestBeyond(t *testing.T) {
	t.Parallel()
	fact := func(class audit.Class, tool, kind string) audit.Fact {
		return audit.Fact{Cell: audit.Cell{Tool: tool, Class: class}, Method: audit.Dynamic, Verdict: audit.Vulnerable, Confidence: audit.Proven, Kind: kind, Why: "seen"}
	}
	r := audit.New(audit.Input{Facts: []audit.Fact{fact(audit.Output, "read", "unbounded"), fact(audit.Output, "page", "unhidden-text"), fact(audit.Output, "both", "unbounded"),
		fact(audit.Output, "both", "invisible"), fact(audit.Path, "read", "absolute")}, Now: day})
	c := audit.Compare(r, r, nil, nil)
	var b strings.Builder
	if err := Comparison(&b, &c); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"4 remain; 0 new (no policy can close 2 of those below: only the server can)\n", "unbounded (no demand of a policy bounds the size of a result)\n",
		"unhidden-text (the server removed the tags, so no policy can tell", "invisible, unbounded\n", "absolute\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %s", want, b.String())
		}
	}
}

// TestNoHarmlessCall holds the words of a comparison without a working harmless call: it is no pass, and the proxy is to blame only for calls that
// worked before.
func TestNoHarmlessCall(t *testing.T) {
	t.Parallel()
	at := []audit.Cell{{Tool: "run", Param: "/code", Class: audit.Command}}
	const blocked, unknown = "\nNo harmless call works behind the proxy: ", "\nThe audit knows no harmless call of these tools, "
	r := audit.New(audit.Input{Tools: []string{"run"}, Now: day})
	for _, tt := range []struct {
		worked, works []audit.Cell
		want          string
	}{{nil, nil, unknown}, {at, nil, blocked}, {at, at, ""}} {
		c := audit.Compare(r, r, tt.worked, tt.works)
		var b strings.Builder
		err := Comparison(&b, &c)
		for _, said := range []string{blocked, unknown} {
			if strings.Contains(b.String(), said) != (said == tt.want) {
				t.Errorf("worked %v, works %v: %s", tt.worked, tt.works, b.String())
			}
		}
		if err != nil || strings.Contains(b.String(), "no pass\n") != (tt.want != "") {
			t.Errorf("worked %v, works %v: %v: %s", tt.worked, tt.works, err, b.String())
		}
	}
}

func TestBadge(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"full": "C", "empty": ">A<", "unknown": ">?<"} {
		var b strings.Builder
		if err := Badge(&b, reports()[name]); err != nil {
			t.Fatal(err)
		}
		if err := xml.Unmarshal([]byte(b.String()), new(struct{ XMLName xml.Name })); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s: got %s", name, b.String())
		}
	}
}

// TestEvidence holds that each piece of evidence says what it shows, where that is not what the weakness says.
func TestEvidence(t *testing.T) {
	t.Parallel()
	c := audit.Cell{Tool: "fetch", Param: "/url", Class: audit.URL}
	fact := func(kind, why string) audit.Fact {
		return audit.Fact{Cell: c, Method: audit.Dynamic, Verdict: audit.Vulnerable, Confidence: audit.Proven, Kind: kind, Why: why, Proof: &audit.Proof{Arguments: "{}", Seen: "a request", Probes: 7}}
	}
	r := audit.New(audit.Input{Tools: []string{"fetch"}, Facts: []audit.Fact{fact("ssrf-loopback", "it goes to itself"), fact("ssrf-redirect", "it follows")}, Now: day})
	for name, want := range map[string]string{"text": "  also:   It follows.\n  tried:  {}\n", "html": "<p>It follows.</p><div>This call was made:</div>"} {
		var b strings.Builder
		if err := writers[name](&b, r); err != nil || strings.Count(b.String(), want) != 1 || strings.Count(b.String(), "It goes to itself.") != 1 {
			t.Errorf("%s: %v: %s", name, err, b.String())
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := Text(&b, reports()["full"]); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"grade ", "at most", "tried:", "seen:   a token", "src/in dex.ts:9", "suppressed until 2026-12-01", "fix: ", "Guards that were proven", "read in the code", "Not known (2)", "Notes"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, b.String())
		}
	}
}

// TestAlike holds that a text says once what it has to say of many tools, and names them all.
func TestAlike(t *testing.T) {
	t.Parallel()
	var facts []audit.Fact
	for _, tool := range []string{"copy", "list", "move", "read"} {
		facts = append(facts,
			audit.Fact{Cell: audit.Cell{Tool: tool, Param: "/path", Class: audit.Path}, Method: audit.Dynamic, Verdict: audit.Vulnerable, Confidence: audit.Proven, Kind: "traversal",
				Why: "a path gets out of the root", Proof: &audit.Proof{Arguments: `{"path":"../` + tool + `"}`, Seen: "a token"}},
			audit.Fact{Cell: audit.Cell{Tool: tool, Param: "/url", Class: audit.URL}, Method: audit.Dynamic, Verdict: audit.Guarded, Why: "none of 5 probes arrived"},
			audit.Fact{Cell: audit.Cell{Tool: tool, Class: audit.Schema}, Method: audit.Dynamic, Verdict: audit.Inconclusive, Why: "no answer to " + tool})
	}
	r := audit.New(audit.Input{Target: audit.Target{Name: "server", Methods: []audit.Method{audit.Dynamic}}, Facts: facts, Now: day})
	var b strings.Builder
	if err := Text(&b, r); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{
		"A path gets out of the root.": 1, "  tried:  ": 1, `{"path":"../copy"}`: 1, "  same:   read path  [": 1, "  same: ": 3,
		"  url: in each of 4 places, none of 5 probes arrived\n    copy url, list url, move url, read url\n": 1,
		"  schema: tool move: inconclusive: no answer to move\n":                                             1,
	} {
		if got := strings.Count(b.String(), text); got != want {
			t.Errorf("%q: %d times, want %d", text, got, want)
		}
	}
	if t.Failed() {
		t.Log(b.String())
	}
}

// TestByDesign holds that each form of a report says beside the grade that a policy must bound what the server does by design.
func TestByDesign(t *testing.T) {
	t.Parallel()
	fact := audit.Fact{Cell: audit.Cell{Tool: "run", Param: "/command", Class: audit.Command}, Method: audit.Dynamic, Verdict: audit.Vulnerable, Confidence: audit.Metadata, Kind: "command-by-design", Why: "it runs them"}
	r := audit.New(audit.Input{Target: audit.Target{Name: "server"}, Now: day, Facts: []audit.Fact{fact}})
	const does = "runs any command that its callers send"
	for want, write := range map[string]func(io.Writer, *audit.Report) error{
		"server: grade C, 100 of 100 (at most C: for what the server does by design); 100% of 0 relevant places assessed; by design the server " + does + ", so a policy must bound it\n": Text,
		"assessed; by design the server " + does + ", so a policy must bound it\n":                                                                                                        Markdown,
		"assessed; by design the server " + does + ", so a policy must bound it</div>":                                                                                                    HTML,
		"\"byDesign\": [\n      \"" + does + "\"\n    ]":                                                                                                                                  JSON,
		"<title>toolvet audit: C, and a policy must bound what the server does by design</title>":                                                                                         Badge,
		"\"byDesign\": [\n          \"" + does + "\"\n        ]":                                                                                                                          func(w io.Writer, r *audit.Report) error { return SARIF(w, r, Repository{Anchor: "a"}, "1") },
	} {
		var b strings.Builder
		if err := write(&b, r); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("a report lacks %s:\n%s", want, &b)
		}
	}
}
