// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/audit/class"
)

var day = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// facts reads facts in short: "path read_file/path dynamic vulnerable proven sibling-prefix".
func facts(t testing.TB, lines ...string) []Fact {
	t.Helper()
	var list []Fact
	for _, line := range lines {
		w := strings.Fields(line)
		if len(w) < 4 {
			t.Fatalf("%q: too few words", line)
		}
		tool, param, has := strings.Cut(w[1], "/")
		f := Fact{Cell: Cell{Tool: tool, Class: Class(w[0])}, Method: Method(w[2]), Verdict: Verdict(w[3]), Why: "because"}
		if has {
			f.Param = "/" + param
		}
		if len(w) > 4 {
			f.Confidence = Confidence(w[4])
		}
		if len(w) > 5 {
			f.Kind = w[5]
		}
		list = append(list, f)
	}
	return list
}

// TestGrade holds a row and a combination that matters each: the mark, the score, and the points.
func TestGrade(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		facts []string
		want  string // mark, score, points by class, caps
	}{
		"nothing relevant": {nil, "A 100"},

		"path proven":    {[]string{"path r/p dynamic vulnerable proven x"}, "C 85 path-15 cap:C"},
		"url proven":     {[]string{"url r/p dynamic vulnerable proven x"}, "C 85 url-15 cap:C"},
		"command proven": {[]string{"command r/p dynamic vulnerable proven x"}, "D 75 command-25 cap:D"},
		"schema proven":  {[]string{"schema r dynamic vulnerable proven x"}, "C 90 schema-10 cap:C"},
		"output proven":  {[]string{"output r dynamic vulnerable proven x"}, "A 95 output-5"},
		"path traced":    {[]string{"path r/p static vulnerable traced x"}, "C 85 path-15 cap:C"},
		"command traced": {[]string{"command r/p static vulnerable traced x"}, "D 75 command-25 cap:D"},

		"url traced":    {[]string{"url r/p static vulnerable traced x"}, "C 85 url-15 cap:C"},
		"schema traced": {[]string{"schema r static vulnerable traced x"}, "C 90 schema-10 cap:C"},
		"output traced": {[]string{"output r static vulnerable traced x"}, "A 95 output-5"},

		"a browser":                      {[]string{"url r/p dynamic vulnerable proven browser-private", "url r/p dynamic vulnerable metadata browser-by-design"}, "B 95 url-5 cap:B"},
		"a browser, and its output":      {[]string{"url r/p dynamic vulnerable proven browser-private", "output r dynamic vulnerable proven x"}, "B 90 url-5 output-5 cap:B"},
		"a browser, read, too":           {[]string{"url r/p dynamic vulnerable proven browser-private", "url r/p static vulnerable traced ssrf"}, "B 95 url-5 cap:B"},
		"a browser that reads files":     {[]string{"url r/p dynamic vulnerable proven browser-private", "url r/p dynamic vulnerable proven file-scheme"}, "C 85 url-15 cap:C"},
		"a browser beside a fetch":       {[]string{"url r/p dynamic vulnerable proven browser-private", "url s/p dynamic vulnerable proven ssrf-loopback"}, "C 85 url-15 cap:C"},
		"a browser in the code alone":    {[]string{"url r/p static vulnerable traced ssrf", "url s/p dynamic vulnerable proven browser-private"}, "C 85 url-15 cap:C"},
		"a browser, and another command": {[]string{"url r/p dynamic vulnerable proven browser-private", "command r/p dynamic vulnerable proven x"}, "D 70 command-25 url-5 cap:D"},

		"an option of a program":    {[]string{"command r/p dynamic vulnerable proven option"}, "B 95 command-5 cap:B"},
		"an option beside a shell":  {[]string{"command r/p dynamic vulnerable proven option", "command s/p dynamic vulnerable proven shell"}, "D 75 command-25 cap:D"},
		"another path of a service": {[]string{"url r/p dynamic vulnerable proven request-path"}, "B 95 url-5 cap:B"},
		"an option, read, too":      {[]string{"command r/p dynamic vulnerable proven option", "command r/p static vulnerable suspected option-injection"}, "B 95 command-5 cap:B"},

		"path guarded":            {[]string{"path r/p dynamic guarded"}, "A 100 path+5"},
		"url guarded":             {[]string{"url r/p dynamic guarded"}, "A 100 url+5"},
		"output guarded":          {[]string{"output r dynamic guarded"}, "A 100 output+3"},
		"schema guarded":          {[]string{"schema r dynamic guarded"}, "A 100"},
		"command guarded":         {[]string{"command r/p dynamic guarded"}, "A 100"},
		"a bonus mends points":    {[]string{"path r/p dynamic guarded", "output r dynamic vulnerable proven x"}, "A 100 path+5 output-5"},
		"guard in the code alone": {[]string{"path r/p static guarded", "output r dynamic vulnerable proven x"}, "B? 95 output-5 cap:B"},

		"suspected":                     {[]string{"path r/p static vulnerable suspected x"}, "B 95 path-5 cap:B"},
		"suspected url":                 {[]string{"url r/p static vulnerable suspected x"}, "B 95 url-5 cap:B"},
		"suspected schema":              {[]string{"schema r static vulnerable suspected x"}, "B 95 schema-5 cap:B"},
		"suspected in all classes":      {[]string{"path r/p static vulnerable suspected x", "url r/p static vulnerable suspected x", "command r/p static vulnerable suspected x", "schema r static vulnerable suspected x", "output r static vulnerable suspected x"}, "C 75 command-5 path-5 url-5 schema-5 output-5 cap:B"},
		"suspected output":              {[]string{"output r static vulnerable suspected x"}, "A 95 output-5"},
		"suspected command":             {[]string{"command r/p static vulnerable suspected x"}, "B 95 command-5 cap:B"},
		"suspected and cleared":         {[]string{"path r/p static vulnerable suspected x", "path r/p dynamic guarded"}, "A 100 path+5"},
		"traced and cleared":            {[]string{"path r/p static vulnerable traced x", "path r/p dynamic guarded"}, "A 100 path+5"},
		"traced, probes inconclusive":   {[]string{"path r/p static vulnerable traced x", "path r/p dynamic inconclusive"}, "C 85 path-15 cap:C"},
		"traced, no evidence":           {[]string{"path r/p static vulnerable traced x", "path r/p dynamic no-evidence"}, "C 85 path-15 cap:C"},
		"suspected and proven":          {[]string{"path r/p static vulnerable suspected x", "path r/p dynamic vulnerable proven x"}, "C 85 path-15 cap:C"},
		"guard in the code is passed":   {[]string{"path r/p static guarded", "path r/p dynamic vulnerable proven x"}, "C 85 path-15 cap:C"},
		"one guarded, one not":          {[]string{"path a/p dynamic guarded", "path b/p dynamic vulnerable proven x"}, "C 85 path-15 cap:C"},
		"suspicion beside a guard":      {[]string{"path a/p dynamic guarded", "path b/p static vulnerable suspected x"}, "B 95 path-5 cap:B"},
		"proven beside a suspicion":     {[]string{"path a/p dynamic vulnerable proven x", "path b/p static vulnerable suspected x"}, "C 85 path-15 cap:C"},
		"once a kind":                   {[]string{"path a/p dynamic vulnerable proven x", "path b/p dynamic vulnerable proven x", "path c/p static vulnerable traced y"}, "C 85 path-15 cap:C"},
		"remarks are not graded":        {[]string{"command r/p static vulnerable metadata argument-lead"}, "A 100"},
		"a shell by design":             {[]string{"command r/p static vulnerable metadata command-by-design", "command s/p dynamic vulnerable metadata command-by-design"}, "C 100 cap:C"},
		"a shell by design, and more":   {[]string{"command r/p dynamic vulnerable metadata command-by-design", "path r/d dynamic vulnerable proven x"}, "C 85 path-15 cap:C cap:C"},
		"statements by design":          {[]string{"command r/p dynamic vulnerable metadata sql-by-design"}, "A 100"},
		"a remark does not hide":        {[]string{"command r/p dynamic vulnerable metadata argument-lead", "command r/p static vulnerable traced shell"}, "D 75 command-25 cap:D"},
		"an option, and one argument":   {[]string{"command r/p static vulnerable suspected option-injection", "command r/p dynamic guarded"}, "A 100"},
		"an option that was seen":       {[]string{"command r/p static vulnerable suspected option-injection", "command r/p dynamic guarded", "command r/p dynamic vulnerable metadata argument-lead"}, "B 95 command-5 cap:B"},
		"a shell, and an option seen":   {[]string{"command r/p static vulnerable traced shell", "command r/p dynamic guarded", "command r/p dynamic vulnerable metadata argument-lead"}, "A 100"},
		"an option is seen elsewhere":   {[]string{"command r/p static vulnerable suspected option-injection", "command r/p dynamic guarded", "command s/p dynamic vulnerable metadata argument-lead"}, "A 100"},
		"a remark does not take bonus":  {[]string{"path r/p dynamic guarded", "path r/p static vulnerable metadata by-design", "output r dynamic vulnerable proven x"}, "A 100 path+5 output-5"},
		"a remark beside inconclusive":  {[]string{"command r/p dynamic inconclusive", "command r/p static vulnerable metadata x"}, "? 0"},
		"two proven classes":            {[]string{"path r/p dynamic vulnerable proven x", "url r/u dynamic vulnerable proven x"}, "D 70 path-15 url-15 cap:D"},
		"proven and traced classes":     {[]string{"path r/p dynamic vulnerable proven x", "url r/u static vulnerable traced x"}, "C 70 path-15 url-15 cap:C"},
		"two proven, one medium":        {[]string{"path r/p dynamic vulnerable proven x", "output r dynamic vulnerable proven x"}, "D 80 path-15 output-5 cap:D"},
		"proven, critical traced":       {[]string{"path r/p dynamic vulnerable proven x", "command r/u static vulnerable traced x"}, "D 60 command-25 path-15 cap:D"},
		"critical proven, traced":       {[]string{"path r/p static vulnerable traced x", "command r/u dynamic vulnerable proven x"}, "D 60 command-25 path-15 cap:D"},
		"critical and suspected":        {[]string{"path r/p static vulnerable suspected x", "command r/u dynamic vulnerable proven x"}, "D 70 command-25 path-5 cap:D"},
		"one class proven twice":        {[]string{"path r/p dynamic vulnerable proven x", "path s/p dynamic vulnerable proven y"}, "C 85 path-15 cap:C"},
		"all bonuses mend":              {[]string{"path r/p dynamic guarded", "url r/u dynamic guarded", "output r dynamic guarded", "schema r static vulnerable suspected x"}, "B 100 path+5 url+5 schema-5 output+3 cap:B"},
		"two proven, one critical":      {[]string{"output r dynamic vulnerable proven x", "command r/u dynamic vulnerable proven x"}, "F 70 command-25 output-5 cap:F"},
		"two proven, critical traced":   {[]string{"path r/p dynamic vulnerable proven x", "schema r dynamic vulnerable proven x", "command r/u static vulnerable traced x"}, "F 50 command-25 path-15 schema-10 cap:D"},
		"all classes":                   {[]string{"path r/p dynamic vulnerable proven x", "url r/u dynamic vulnerable proven x", "schema r dynamic vulnerable proven x", "output r dynamic vulnerable proven x", "command r/u dynamic vulnerable proven x"}, "F 30 command-25 path-15 url-15 schema-10 output-5 cap:F"},
		"nothing assessed":              {[]string{"path r/p dynamic inconclusive", "schema r dynamic skipped"}, "? 0"},
		"a class unassessed":            {[]string{"path r/p dynamic skipped", "schema a dynamic guarded", "schema b dynamic guarded", "schema c dynamic guarded"}, "B 100 cap:B"},
		"a class unassessed, no bonus":  {[]string{"path r/p dynamic guarded", "path s/p dynamic skipped", "schema a dynamic guarded"}, "B? 100 cap:B"},
		"under 70 percent":              {[]string{"path r/p dynamic guarded", "path s/p dynamic guarded", "path t/p dynamic inconclusive"}, "B? 100 cap:B"},
		"at 75 percent":                 {[]string{"path r/p dynamic guarded", "path s/p dynamic guarded", "path u/p dynamic guarded", "path t/p dynamic inconclusive"}, "A 100 path+5"},
		"incomplete and a class is out": {[]string{"path r/p dynamic inconclusive", "schema s dynamic guarded"}, "B? 100 cap:B"},
		"one class is known by a fifth": {[]string{"path a/p dynamic guarded", "path b/p dynamic inconclusive", "path c/p dynamic inconclusive", "path d/p dynamic inconclusive", "path e/p dynamic inconclusive",
			"schema a dynamic guarded", "schema b dynamic guarded", "schema c dynamic guarded", "schema d dynamic guarded", "schema e dynamic guarded", "schema f dynamic guarded", "schema g dynamic guarded", "schema h dynamic guarded", "schema i dynamic guarded"}, "B 100 cap:B"},
		"a weakness, and little known": {[]string{"path a/p dynamic vulnerable proven x", "path b/p dynamic inconclusive", "path c/p dynamic skipped"}, "C? 85 path-15 cap:C cap:B"},
		"two classes are little known": {[]string{"path a/p dynamic guarded", "path b/p dynamic inconclusive", "url a/p dynamic inconclusive"}, "B? 100 cap:B cap:B"},
		"output is little known":       {[]string{"output a dynamic guarded", "output b dynamic inconclusive", "schema a dynamic guarded", "schema b dynamic guarded"}, "B 100 cap:B"},
		"a doubt of an unknown class":  {[]string{"sql r/p static vulnerable suspected x", "path r/p dynamic guarded"}, "A 100 path+5"},
		"a class that nobody knows":    {[]string{"sql r/p static vulnerable traced x", "path r/p dynamic guarded"}, "A 100 path+5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := New(Input{Tools: []string{"tool"}, Facts: facts(t, tt.facts...), Now: day})
			if got := inShort(r); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			sum := 100
			for _, p := range r.Grade.Points {
				sum += p.Points
			}
			if r.Grade.Letter != Ungraded && min(100, max(0, sum)) != r.Grade.Score {
				t.Errorf("the points do not add up to the score: %+v", r.Grade)
			}
		})
	}
}

func inShort(r *Report) string {
	words := []string{r.Grade.String(), fmt.Sprint(r.Grade.Score)}
	for _, p := range r.Grade.Points {
		words = append(words, fmt.Sprintf("%s%+d", p.Class, p.Points))
	}
	for _, c := range r.Grade.Caps {
		words = append(words, "cap:"+string(c.Letter))
	}
	return strings.Join(words, " ")
}

// TestTried holds what reading and a run of the server come to together: that reading found nothing neither makes a
// cell relevant nor one known that the run left open.
func TestTried(t *testing.T) {
	t.Parallel()
	const read, found = "path r/p static no-evidence", "path r/p static no-evidence none containment"
	both := []Method{Static, Dynamic}
	for name, tt := range map[string]struct {
		methods []Method
		facts   []string
		want    string // mark, assessed of relevant
	}{
		"read alone":                       {[]Method{Static}, []string{read, "path s/p static no-evidence"}, "B 2/2"},
		"read alone, and one not read":     {[]Method{Static}, []string{read, "path s/p static no-evidence", "path t/p static no-evidence", "path u/p static inconclusive"}, "B? 3/5"},
		"no probe fits":                    {both, []string{read}, "A 0/0"},
		"no probe fits, another kind":      {both, []string{read + " none nothing"}, "A 0/0"},
		"a way was found, no probe fits":   {both, []string{found}, "? 0/1"},
		"a way was found, nothing shown":   {both, []string{found, "path r/p dynamic inconclusive"}, "? 0/1"},
		"nothing found, nothing shown":     {both, []string{read, "path r/p dynamic inconclusive"}, "? 0/1"},
		"nothing found, skipped":           {both, []string{read, "path r/p dynamic skipped", "schema r dynamic guarded"}, "B? 1/2"},
		"nothing found, guarded":           {both, []string{read, "path r/p dynamic guarded"}, "A 1/1"},
		"nothing found, proven":            {both, []string{read, "path r/p dynamic vulnerable proven x"}, "C 1/1"},
		"nothing found, no evidence":       {both, []string{read, "path r/p dynamic no-evidence"}, "? 0/1"},
		"a guard was read, nothing shown":  {both, []string{"path r/p static guarded", "path r/p dynamic inconclusive"}, "? 0/1"},
		"a guard was read, read alone":     {[]Method{Static}, []string{"path r/p static guarded"}, "B? 1/2"},
		"no evidence beside a guard":       {both, []string{"path r/p dynamic no-evidence", "schema r dynamic guarded"}, "B? 1/2"},
		"sent on to another service":       {both, []string{"path r/p dynamic no-evidence none elsewhere", "schema r dynamic guarded"}, "A 1/1"},
		"sent on, and open in the code":    {both, []string{"path r/p dynamic no-evidence none elsewhere", "path r/p static vulnerable traced x"}, "C 1/1"},
		"traced, no probe fits":            {both, []string{"path r/p static vulnerable traced x"}, "C 1/1"},
		"not read, no probe fits":          {both, []string{"path r/p static inconclusive", "schema r dynamic guarded"}, "B? 1/2"},
		"many read do not hide one":        {both, []string{"path r/p dynamic inconclusive", "path a/p static no-evidence", "path b/p static no-evidence", "path c/p static no-evidence", "schema r dynamic guarded"}, "B? 1/2"},
		"of all that was read nothing ran": {both, []string{read, "schema r dynamic inconclusive"}, "? 0/1"},
	} {
		r := New(Input{Target: Target{Methods: tt.methods}, Tools: []string{"tool"}, Facts: facts(t, tt.facts...), Now: day})
		if got := fmt.Sprintf("%s %d/%d", &r.Grade, r.Grade.Coverage.Assessed, r.Grade.Coverage.Relevant); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}

// TestUnknown holds that a server of which no tool is known is not graded.
func TestUnknown(t *testing.T) {
	t.Parallel()
	r := New(Input{Now: day})
	if r.Grade.Letter != Ungraded || r.Grade.Letter.AtLeast("F") {
		t.Errorf("got %+v", r.Grade)
	}
}

// TestSameInput holds that the order of facts changes no byte of the report.
func TestSameInput(t *testing.T) {
	t.Parallel()
	list := facts(t,
		"path r/p dynamic vulnerable proven b", "path r/p dynamic vulnerable proven a", "path r/p static vulnerable traced c", "path s/p dynamic guarded",
		"url r/u static vulnerable suspected x", "command r/u static vulnerable metadata x", "schema r dynamic inconclusive", "output r dynamic no-evidence")
	list[2].Flow = []Place{{File: "a.ts", Line: 3}}
	var first []byte
	for i := range 50 {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		raw, err := json.Marshal(New(Input{Facts: list, Now: day}))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = raw
		}
		if diff := cmp.Diff(string(first), string(raw)); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestWeaknesses holds how facts meet in a weakness.
func TestWeaknesses(t *testing.T) {
	t.Parallel()
	list := facts(t, "path r/p static vulnerable suspected sibling-prefix", "path r/p dynamic vulnerable proven symlink", "url r/u static vulnerable traced x", "path q/p static vulnerable suspected x")
	list[0].Flow = []Place{{File: "src/index.py", Line: 3}}
	r := New(Input{Facts: list, Language: class.TypeScript, Now: day})
	var got []string
	for i := range r.Weaknesses {
		f := &r.Weaknesses[i]
		got = append(got, fmt.Sprint(f.Name(), " ", f.Severity, " ", f.Confidence, " ", f.Kinds, " both:", f.Both, " ", len(f.Evidence)))
	}
	want := []string{
		"path: tool r, parameter p high proven [symlink sibling-prefix] both:true 2",
		"url: tool r, parameter u high traced [x] both:false 1",
		"path: tool q, parameter p medium suspected [x] both:false 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if f := r.Weaknesses[0].Fix; !strings.Contains(f, "is_relative_to") {
		t.Errorf("the fix is not that of the language of the code: %s", f)
	}
	if f := r.Weaknesses[1].Fix; !strings.Contains(f, "ipaddr.js") {
		t.Errorf("the fix is not that of the server's language: %s", f)
	}
}

// TestPlainest holds that a weakness begins with its plainest kind.
func TestPlainest(t *testing.T) {
	t.Parallel()
	r := New(Input{Facts: facts(t, "url r/u dynamic vulnerable proven ssrf-dns", "url r/u dynamic vulnerable proven ssrf-loopback", "url r/u dynamic vulnerable proven nobody-knows", "url r/u dynamic vulnerable proven ssrf-private"), Now: day})
	if diff := cmp.Diff([]string{"ssrf-loopback", "ssrf-private", "ssrf-dns", "nobody-knows"}, r.Weaknesses[0].Kinds); diff != "" {
		t.Error(diff)
	}
}

func TestSuppressions(t *testing.T) {
	t.Parallel()
	list := facts(t, "path r/p dynamic vulnerable proven x", "url r/u dynamic vulnerable proven x")
	id := Cell{Tool: "r", Param: "/p", Class: Path}.ID()
	in := Input{Facts: list, Now: day, Suppressions: []Suppression{{ID: id, Reason: "known", Expires: "2026-11-21"}}}
	r := New(in)
	if got, want := inShort(r), "C (1 suppressed) 85 url-15 cap:C"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(r.Weaknesses) != 2 {
		t.Errorf("a suppressed weakness must still be listed: %+v", r.Weaknesses)
	}
	in.Now = day.AddDate(0, 0, 1)
	r = New(in)
	if got, want := inShort(r), "D 70 path-15 url-15 cap:D"; got != want {
		t.Errorf("after its end: got %q, want %q", got, want)
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "ended on 2026-11-21") {
		t.Errorf("got notes %q", r.Notes)
	}
	in.Suppressions[0].ID = "000000000000"
	if r = New(in); len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "is of no weakness") {
		t.Errorf("got notes %q", r.Notes)
	}
	// A suppressed weakness takes the bonus of its class: nothing was proven to be guarded.
	in = Input{Facts: facts(t, "path r/p dynamic vulnerable proven x", "path s/p dynamic guarded"), Now: day, Suppressions: []Suppression{{ID: id, Reason: "known", Expires: "2026-12-01"}}}
	if got, want := inShort(New(in)), "A (1 suppressed) 100"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReadSuppressions(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		`[]`: "",
		`[{"id":"a","reason":"r","expires":"2026-12-31"}]`:                                                "",
		`[{"id":"a","reason":"r","expires":"2026-01-31"}]`:                                                "", // ended: the report says so
		`[{"id":"a","expires":"2026-12-31"}]`:                                                             "reason: is missing",
		`[{"id":"a","reason":" ","expires":"2026-12-31"}]`:                                                "reason: is missing",
		`[{"id":"a","reason":"r"}]`:                                                                       "expires: must be a date",
		`[{"id":"a","reason":"r","expires":"never"}]`:                                                     "expires: must be a date",
		`[{"id":"a","reason":"r","expires":"2028-01-01"}]`:                                                "within a year",
		`[{"reason":"r","expires":"2026-12-31"}]`:                                                         "id: is missing",
		`[{"id":"a","reason":"r","expires":"2026-12-31"},{"id":"a","reason":"r","expires":"2026-12-31"}]`: "one of this id before",
		`[{"id":"a","id":"b","reason":"r","expires":"2026-12-31"}]`:                                       "is given twice",
		`[{"id":"a","reasons":"r","expires":"2026-12-31"}]`:                                               "unknown field",
	} {
		_, err := ReadSuppressions([]byte(`{"version":1,"suppressions":`+list+`}`), day)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", list, err, want)
		}
	}
	for file, want := range map[string]string{"": "", "{}": "version: must be 1", `{"version":2}`: "version: must be 1", "version: 1": ""} {
		if _, err := ReadSuppressions([]byte(file), day); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", file, err, want)
		}
	}
}

// TestPurpose holds that a report opens with what the server does by design, that the advice fits, and that a suppression accepts the bound.
func TestPurpose(t *testing.T) {
	t.Parallel()
	in := Input{Language: class.TypeScript, Now: day, Facts: facts(t, "command run/p dynamic vulnerable metadata command-by-design", "command exec/p dynamic vulnerable metadata command-by-design",
		"url go/p dynamic vulnerable metadata browser-by-design", "command list/p dynamic vulnerable metadata argument-lead")}
	r := New(in)
	want := []string{
		"By design this server runs any command that its callers send (exec, run): the grade does not cover what that does",
		"By design this server opens any page that its callers name, and runs its scripts (go): the grade does not cover what that does",
	}
	if diff := cmp.Diff(want, r.Purposes()); diff != "" {
		t.Error(diff)
	}
	if want := "grade C, 100 of 100 (at most C: for what the server does by design); 100% of 0 relevant places assessed; " +
		"by design the server runs any command that its callers send, and opens any page that its callers name, and runs its scripts, so a policy must bound it"; r.Summary() != want {
		t.Errorf("got %q, want %q", r.Summary(), want)
	}
	// A letter that the purpose does not bound, and one that is worse anyway, hide it as little.
	for begin, list := range map[string][]string{
		"grade A,": {"url go/p dynamic vulnerable metadata browser-by-design"},
		"grade D,": {"path r/p dynamic vulnerable proven x", "schema r/q dynamic vulnerable proven y", "command run/p dynamic vulnerable metadata command-by-design"},
	} {
		if got := New(Input{Now: day, Facts: facts(t, list...)}).Summary(); !strings.HasPrefix(got, begin) || !strings.HasSuffix(got, ", so a policy must bound it") || !strings.Contains(got, "; by design the server ") {
			t.Errorf("%v: the summary is %q", list, got)
		}
	}
	for _, w := range r.Weaknesses {
		if design := w.Kinds[0] != "argument-lead"; design == (w.Fix == Fix(w.Class, in.Language)) {
			t.Errorf("%s has the fix %q", w.Kinds[0], w.Fix)
		}
	}
	raw, err := Baseline(r, "a shell is what we want", "2026-12-31", day)
	if err != nil {
		t.Fatal(err)
	}
	if in.Suppressions, err = ReadSuppressions(raw, day); err != nil {
		t.Fatal(err)
	}
	if got, want := inShort(New(in)), "A (2 suppressed) 100"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTogether holds that notes which differ only in a tool are one.
func TestTogether(t *testing.T) {
	t.Parallel()
	r := New(Input{Now: day, Notes: []string{"tool a publishes no parameters", "the server ended once", "tool b publishes no parameters", "tool c: its definition cannot be used", "tool d publishes no parameters"}})
	want := []string{"each of 3 tools (a, b, d) publishes no parameters", "the server ended once", "tool c: its definition cannot be used"}
	if diff := cmp.Diff(want, r.Notes); diff != "" {
		t.Error(diff)
	}
}

// TestBaseline holds that a baseline takes all weaknesses out of the grade, and can be read.
func TestBaseline(t *testing.T) {
	t.Parallel()
	in := Input{Facts: facts(t, "path r/p dynamic vulnerable proven x", "url r/u static vulnerable suspected x", "command r/u static vulnerable metadata x"), Now: day}
	raw, err := Baseline(New(in), "before the release", "2026-12-31", day)
	if err != nil {
		t.Fatal(err)
	}
	if in.Suppressions, err = ReadSuppressions(raw, day); err != nil {
		t.Fatal(err)
	}
	if got, want := inShort(New(in)), "A (2 suppressed) 100"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := Baseline(New(Input{Facts: in.Facts, Now: day}), "", "2026-12-31", day); err == nil {
		t.Error("a baseline without a reason was written")
	}
	again, err := Baseline(New(in), "another reason", "2027-01-01", day)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(raw), string(again)); diff != "" {
		t.Errorf("what was suppressed before must stay as it was:\n%s", diff)
	}
}

// TestRubricDocument holds that the document says what the code does.
func TestRubricDocument(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/audit-rubric.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	for _, c := range Classes() {
		line := fmt.Sprintf("| `%s` | %s | %s | −%d |", c.Name, c.Missing, c.Severity, c.Minus)
		if c.Plus > 0 {
			line += fmt.Sprintf(" +%d: %s |", c.Plus, c.Guard)
		}
		if !strings.Contains(text, line) {
			t.Errorf("docs/audit-rubric.md lacks the row\n%s", line)
		}
	}
	for _, want := range []string{"Version " + RubricVersion, fmt.Sprintf("−%d", minusSuspected), fmt.Sprintf("%d %%", enough)} {
		if !strings.Contains(text, want) {
			t.Errorf("docs/audit-rubric.md does not say %q", want)
		}
	}
	for _, l := range letters {
		if !strings.Contains(text, fmt.Sprintf("| %s | %d ", l.letter, l.least)) {
			t.Errorf("docs/audit-rubric.md has no band %s from %d", l.letter, l.least)
		}
	}
}

func FuzzReadSuppressions(f *testing.F) {
	f.Add([]byte(`{"version":1,"suppressions":[{"id":"a","reason":"r","expires":"2026-12-31"}]}`))
	f.Add([]byte(`{"version":1}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		list, err := ReadSuppressions(raw, day)
		for _, s := range list {
			if err != nil || s.Reason == "" || s.Expires == "" {
				t.Errorf("accepted %+v (%v)", s, err)
			}
		}
	})
}
