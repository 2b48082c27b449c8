// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Text writes the file that [ParseJobs] reads as j, members in the order of each job's Fields: YAML with strings and arguments as
// in JSON, or all of it as JSON. The error is that of Fields that are no JSON object, or of jobs that ParseJobs would refuse,
// because there are too many or their arguments are nested too deep.
func (j *Jobs) Text(asJSON bool) ([]byte, error) {
	var b bytes.Buffer
	begin, member, between, end := "version: 1\nmanaged_by: %s\njobs:", "%s: %s", "\n    ", "\n"
	open, shut, next := "\n  - ", "", ""
	if asJSON {
		begin, member, between, end = "{\n  \"version\": 1,\n  \"managed_by\": %s,\n  \"jobs\": [", "%q: %s", ",\n      ", "\n  ]\n}\n"
		open, shut, next = "\n    {\n      ", "\n    }", ","
	}
	fmt.Fprintf(&b, begin, plainText(j.ManagedBy))
	if len(j.List) == 0 && !asJSON {
		b.WriteString(" []")
	}
	for i, job := range j.List {
		members, err := job.members()
		if err != nil {
			return nil, fmt.Errorf("the job %s: %w", quote(job.Name), err)
		}
		if i > 0 {
			b.WriteString(next)
		}
		b.WriteString(open)
		for i, m := range members {
			if i > 0 {
				b.WriteString(between)
			}
			fmt.Fprintf(&b, member, m.name, m.value)
		}
		b.WriteString(shut)
	}
	b.WriteString(end)
	_, err := ParseJobs("export", b.Bytes())
	return b.Bytes(), err
}

type jobText struct{ name, value string }

// members returns the members of a job, with their values as texts that are both YAML and JSON.
func (j *Job) members() (list []jobText, err error) {
	d := json.NewDecoder(bytes.NewReader(j.Fields))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("its fields are no JSON object")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value strings.Builder
		if err := flow(&value, d); err != nil {
			return nil, err
		}
		list = append(list, jobText{fmt.Sprint(name), value.String()})
	}
	for _, m := range []struct {
		name  string
		value bool
	}{{"paused", j.Paused}, {"allow_warnings", j.AllowWarnings}, {"skip_validation", j.SkipValidation}} {
		if m.value {
			list = append(list, jobText{m.name, "true"})
		}
	}
	return list, nil
}

// flow writes the next value of d on one line.
func flow(b *strings.Builder, d *json.Decoder) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	switch t := t.(type) {
	case json.Delim:
		b.WriteString(t.String())
		for first := true; d.More(); first = false {
			if !first {
				b.WriteString(", ")
			}
			if t == '{' {
				if err := flow(b, d); err != nil {
					return err
				}
				b.WriteString(": ")
			}
			if err := flow(b, d); err != nil {
				return err
			}
		}
		t2, err := d.Token()
		fmt.Fprint(b, t2)
		return err
	case string:
		b.WriteString(plainText(t))
	case nil:
		b.WriteString("null")
	default:
		fmt.Fprint(b, t) // a json.Number or a bool
	}
	return nil
}

// plainText quotes a string so that both YAML and JSON read it as it is, and an editor shows each character of it.
func plainText(s string) string {
	b := []byte{'"'}
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case unicode.IsPrint(r):
			b = append(b, string(r)...)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	return string(append(b, '"'))
}
