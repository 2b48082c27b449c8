// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sarif

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Bounds of a file. Code scanning takes as many results of a run.
const (
	MaxBytes   = 64 << 20
	maxRuns    = 100
	maxResults = 25_000 // of a file
	maxRules   = 50_000 // of a file
	maxEntries = 100    // of the Common Weakness Enumeration, of a rule
	maxTaxa    = 10     // taxonomies of a run
	maxFiles   = 1_000_000
	maxResult  = 4 << 20 // bytes of a result, and of another part
	maxSteps   = 200     // of a code flow
	maxEngine  = 64      // characters of a name
	maxRule    = 128
)

// A Log is the content of a file.
type Log struct {
	results []result
	notes   []string // gaps
}

// A result is what an engine found, as far as an audit needs it.
type result struct {
	engine, rule string
	topics       []topic
	left         leftOut // why it is no suspicion; "": it is one
	at           *place  // nil: the result names no file
	flow         []place // from the entry of the value to at; empty: not known
}

// A leftOut is the reason for leaving out a result, as words behind "results".
type leftOut string

const (
	uncovered leftOut = "of rules that no class covers"
	minor     leftOut = "at the level of a note, by the engine"
	passed    leftOut = "that tell no fault"
	absent    leftOut = "gone since the engine's baseline"
)

// Read reads a file. The error names the place in it; it never repeats a value.
func Read(raw []byte) (*Log, error) {
	if len(raw) > MaxBytes {
		return nil, fmt.Errorf("is larger than %d MiB", MaxBytes>>20)
	}
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")) // as some engines write it
	r := reader{log: &Log{}}
	top, err := r.object(raw, "")
	if err != nil {
		return nil, err
	}
	var version string
	if err := r.decode(top["version"], "/version", &version); err != nil {
		return nil, err
	}
	if version != "2.1.0" {
		return nil, errors.New("/version: must be 2.1.0: it is no file of SARIF 2.1.0")
	}
	if top["runs"] == nil {
		return nil, errors.New("/runs: is missing")
	}
	runs, err := r.list(top["runs"], "/runs", maxRuns)
	if err != nil {
		return nil, err
	}
	for i, raw := range runs {
		if err := r.run(raw, fmt.Sprintf("/runs/%d", i)); err != nil {
			return nil, err
		}
	}
	return r.log, nil
}

type reader struct {
	log   *Log
	rules int
}

// limits are those of the whole file. Each part has its own, which are smaller.
var limits = strictjson.Limits{Bytes: MaxBytes}

// fault puts the place of a part before an error within it.
func fault(at string, err error) error {
	var e *strictjson.Error
	if errors.As(err, &e) {
		if at += e.Pointer; at == "" {
			at = "the file"
		}
		return fmt.Errorf("%s: %s", at, e.Fault())
	}
	return fmt.Errorf("%s: %w", at, err)
}

// object reads the members of an object; those of a missing one are none.
func (r *reader) object(raw []byte, at string) (map[string][]byte, error) {
	if raw == nil {
		return nil, nil
	}
	list, err := strictjson.Members(raw, limits)
	if err != nil {
		return nil, fault(at, err)
	}
	members := make(map[string][]byte, len(list))
	for _, m := range list {
		members[m.Key] = m.Raw
	}
	return members, nil
}

// list reads the elements of an array. A missing one is empty, as is one of null, which SARIF allows for results.
func (r *reader) list(raw []byte, at string, most int) ([][]byte, error) {
	if raw == nil || string(raw) == "null" {
		return nil, nil
	}
	list, err := strictjson.Elements(raw, limits)
	if err != nil {
		return nil, fault(at, err)
	}
	if len(list) > most {
		return nil, fmt.Errorf("%s: has %d elements, more than %d", at, len(list), most)
	}
	return list, nil
}

// decode reads a value of bounded size strictly. A missing one stays as it is.
func (r *reader) decode(raw []byte, at string, into any) error {
	if raw == nil {
		return nil
	}
	if len(raw) > maxResult {
		return fmt.Errorf("%s: is larger than %d MiB", at, maxResult>>20)
	}
	if _, err := strictjson.Parse(raw, limits); err != nil {
		return fault(at, err)
	}
	err := json.Unmarshal(raw, into)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		if wrong.Field != "" {
			at += "/" + strings.ReplaceAll(wrong.Field, ".", "/")
		}
		return fmt.Errorf("%s: is of another type than in SARIF 2.1.0", at)
	}
	if err != nil {
		return fmt.Errorf("%s: cannot be read", at)
	}
	return nil
}

// The parts of SARIF that an audit needs.
type (
	textual struct {
		ID    string `json:"id"`
		Index *int   `json:"index"`
		Tool  struct {
			Name  string `json:"name"`
			Index *int   `json:"index"`
		} `json:"toolComponent"`
	}
	labels struct {
		Tags []any `json:"tags"`
		CWE  any   `json:"cwe"`
	}
	rule struct {
		ID      string `json:"id"`
		Default struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
		Properties    labels `json:"properties"`
		Relationships []struct {
			Target textual `json:"target"`
		} `json:"relationships"`
	}
	finding struct {
		RuleID        string     `json:"ruleId"`
		RuleIndex     *int       `json:"ruleIndex"`
		Rule          textual    `json:"rule"`
		Level         string     `json:"level"`
		Kind          string     `json:"kind"`
		BaselineState string     `json:"baselineState"`
		Taxa          []textual  `json:"taxa"`
		Properties    labels     `json:"properties"`
		Locations     []location `json:"locations"`
		CodeFlows     []struct {
			ThreadFlows []struct {
				Locations []step `json:"locations"`
			} `json:"threadFlows"`
		} `json:"codeFlows"`
	}
	step struct {
		Index    *int     `json:"index"`
		Location location `json:"location"`
	}
	location struct {
		Physical struct {
			Artifact artifact `json:"artifactLocation"`
			Region   struct {
				StartLine   int `json:"startLine"`
				StartColumn int `json:"startColumn"`
				EndLine     int `json:"endLine"`
				EndColumn   int `json:"endColumn"`
			} `json:"region"`
		} `json:"physicalLocation"`
	}
	artifact struct {
		URI    string `json:"uri"`
		BaseID string `json:"uriBaseId"`
		Index  *int   `json:"index"`
	}
)

// A run is one run of an engine.
type run struct {
	*reader
	at     string
	engine string
	driver []known
	others [][]known // of the engine's extensions
	taxa   []taxonomy
	files  [][]byte // artifacts
	steps  [][]byte // of code flows, shared by results
	bases  map[string]artifact
	points bool // columns count Unicode code points
}

// A known rule is what a run tells of one.
type known struct {
	id, level string
	cwes      []int
}

// A taxonomy is a list of kinds of weakness.
type taxonomy struct {
	Name string `json:"name"`
	Taxa []struct {
		ID string `json:"id"`
	} `json:"taxa"`
}

func (r *reader) run(raw []byte, at string) error {
	members, err := r.object(raw, at)
	if err != nil {
		return err
	}
	u := &run{reader: r, at: at, bases: map[string]artifact{}}
	if err := u.shared(members); err != nil {
		return err
	}
	if err := u.tool(members["tool"]); err != nil { // its rules refer to the taxonomies
		return err
	}
	u.gaps(members)
	results, err := r.list(members["results"], at+"/results", maxResults)
	if err != nil {
		return err
	}
	if len(r.log.results)+len(results) > maxResults {
		return fmt.Errorf("%s/results: the file has more than %d results", at, maxResults)
	}
	for i, raw := range results {
		found, err := u.result(raw, fmt.Sprintf("%s/results/%d", at, i))
		if err != nil {
			return err
		}
		r.log.results = append(r.log.results, found)
	}
	return nil
}

// tool reads the engine and its rules.
func (u *run) tool(raw []byte) error {
	at := u.at + "/tool"
	members, err := u.object(raw, at)
	if err != nil {
		return err
	}
	if members["driver"] == nil {
		return fmt.Errorf("%s/driver: is missing", at)
	}
	if u.driver, u.engine, err = u.component(members["driver"], at+"/driver"); err != nil {
		return err
	}
	if u.engine == "" {
		return fmt.Errorf("%s/driver/name: is missing", at)
	}
	extensions, err := u.list(members["extensions"], at+"/extensions", maxRuns)
	if err != nil {
		return err
	}
	for i, raw := range extensions {
		rules, _, err := u.component(raw, fmt.Sprintf("%s/extensions/%d", at, i))
		if err != nil {
			return err
		}
		u.others = append(u.others, rules)
	}
	return nil
}

// component reads the rules of an engine or of an extension.
func (u *run) component(raw []byte, at string) (rules []known, name string, err error) {
	members, err := u.object(raw, at)
	if err != nil {
		return nil, "", err
	}
	if err := u.decode(members["name"], at+"/name", &name); err != nil {
		return nil, "", err
	}
	list, err := u.list(members["rules"], at+"/rules", maxRules)
	if err != nil {
		return nil, "", err
	}
	if u.rules += len(list); u.rules > maxRules {
		return nil, "", fmt.Errorf("%s/rules: the file has more than %d rules", at, maxRules)
	}
	for i, raw := range list {
		var one rule
		if err := u.decode(raw, fmt.Sprintf("%s/rules/%d", at, i), &one); err != nil {
			return nil, "", err
		}
		var targets []textual
		for _, r := range one.Relationships {
			targets = append(targets, r.Target)
		}
		rules = append(rules, known{one.ID, one.Default.Level, u.cwes(&one.Properties, targets)})
	}
	return rules, strictjson.Printable(name, maxEngine), nil
}

// shared reads the parts of a run to which results refer.
func (u *run) shared(members map[string][]byte) error {
	taxonomies, err := u.list(members["taxonomies"], u.at+"/taxonomies", maxTaxa)
	if err != nil {
		return err
	}
	for i, raw := range taxonomies {
		var one taxonomy
		if err := u.decode(raw, fmt.Sprintf("%s/taxonomies/%d", u.at, i), &one); err != nil {
			return err
		}
		u.taxa = append(u.taxa, one)
	}
	if err := u.decode(members["originalUriBaseIds"], u.at+"/originalUriBaseIds", &u.bases); err != nil {
		return err
	}
	var unit string
	if err := u.decode(members["columnKind"], u.at+"/columnKind", &unit); err != nil {
		return err
	}
	u.points = unit == "unicodeCodePoints"
	if u.files, err = u.list(members["artifacts"], u.at+"/artifacts", maxFiles); err != nil {
		return err
	}
	u.steps, err = u.list(members["threadFlowLocations"], u.at+"/threadFlowLocations", maxFiles)
	return err
}

// gaps notes results that the file does not hold.
func (u *run) gaps(members map[string][]byte) {
	var elsewhere struct {
		Results []any `json:"results"`
	}
	var calls []struct {
		Successful *bool `json:"executionSuccessful"`
	}
	if raw := members["results"]; raw == nil || string(raw) == "null" {
		u.log.note("a run of %s has no list of results", u.engine)
	}
	if err := u.decode(members["externalPropertyFileReferences"], "", &elsewhere); err != nil || len(elsewhere.Results) > 0 {
		u.log.note("a run of %s keeps results in other files, which are not read", u.engine)
	}
	err := u.decode(members["invocations"], "", &calls)
	for _, c := range calls {
		if c.Successful != nil && !*c.Successful {
			err = errors.Join(err, errors.New("failed"))
		}
	}
	if err != nil {
		u.log.note("a run of %s failed by its own account: results may be missing", u.engine)
	}
}

func (l *Log) note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(l.notes, n) {
		l.notes = append(l.notes, n)
	}
}

func (u *run) result(raw []byte, at string) (result, error) {
	var f finding
	if err := u.decode(raw, at, &f); err != nil {
		return result{}, err
	}
	rule := u.ruleOf(&f)
	id := first(f.RuleID, f.Rule.ID, rule.id)
	r := result{engine: u.engine, rule: strictjson.Printable(id, maxRule), topics: about(id, append(u.cwes(&f.Properties, f.Taxa), rule.cwes...))}
	switch level := first(f.Level, rule.level, "warning"); {
	case len(r.topics) == 0:
		r.left = uncovered
	case f.Kind == "pass", f.Kind == "notApplicable", f.Kind == "informational":
		r.left = passed
	case f.BaselineState == "absent":
		r.left = absent
	case level == "note", level == "none":
		r.left = minor
	}
	if r.left != "" {
		return r, nil
	}
	if len(f.Locations) > 0 {
		p, ok, err := u.place(&f.Locations[0], at+"/locations/0")
		if err != nil {
			return result{}, err
		}
		if ok {
			r.at = &p
		}
	}
	if len(f.CodeFlows) > 0 && len(f.CodeFlows[0].ThreadFlows) > 0 {
		steps := f.CodeFlows[0].ThreadFlows[0].Locations
		for i, s := range steps[:min(len(steps), maxSteps)] {
			p, ok, err := u.step(s, fmt.Sprintf("%s/codeFlows/0/threadFlows/0/locations/%d", at, i))
			if err != nil {
				return result{}, err
			}
			if ok {
				r.flow = append(r.flow, p)
			}
		}
	}
	return r, nil
}

func (u *run) step(s step, at string) (place, bool, error) {
	if s.Index != nil && *s.Index >= 0 { // -1 stands for none
		if *s.Index >= len(u.steps) {
			return place{}, false, fmt.Errorf("%s/index: the run has no such location", at)
		}
		if s.Location == (location{}) {
			if err := u.decode(u.steps[*s.Index], fmt.Sprintf("%s/threadFlowLocations/%d", u.at, *s.Index), &s); err != nil {
				return place{}, false, err
			}
		}
	}
	return u.place(&s.Location, at)
}

func first(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// ruleOf is the rule of a result: by its index, or else by its name, which may have further steps ("CA1000/1"). A
// rule that the run does not describe is empty.
func (u *run) ruleOf(f *finding) *known {
	list := u.driver
	if i := f.Rule.Tool.Index; i != nil && *i >= 0 && *i < len(u.others) {
		list = u.others[*i]
	}
	for _, i := range []*int{f.Rule.Index, f.RuleIndex} {
		if i != nil && *i >= 0 && *i < len(list) {
			return &list[*i]
		}
	}
	id := first(f.RuleID, f.Rule.ID)
	for id != "" {
		for _, list := range append([][]known{u.driver}, u.others...) {
			if i := slices.IndexFunc(list, func(r known) bool { return r.id == id }); i >= 0 {
				return &list[i]
			}
		}
		id = id[:max(0, strings.LastIndexByte(id, '/'))]
	}
	return &known{}
}

// cwes are the entries of the Common Weakness Enumeration that a rule or a result names.
func (u *run) cwes(l *labels, taxa []textual) []int {
	var list []int
	for _, tag := range l.Tags {
		list = append(list, entries(fmt.Sprint(tag))...)
	}
	list = append(list, entries(fmt.Sprint(l.CWE))...)
	for _, t := range taxa {
		name, id := t.Tool.Name, t.ID
		if i := t.Tool.Index; i != nil && *i >= 0 && *i < len(u.taxa) {
			in := u.taxa[*i]
			name = first(name, in.Name)
			if j := t.Index; id == "" && j != nil && *j >= 0 && *j < len(in.Taxa) {
				id = in.Taxa[*j].ID
			}
		}
		if strings.EqualFold(name, "CWE") {
			id = "CWE-" + id
		}
		list = append(list, entries(id)...)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.Clip(list[:min(len(list), maxEntries)])
}
