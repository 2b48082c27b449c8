// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A Suppression takes one weakness out of the grade, and the grade says so. It has the weakness's
// ID, a reason, and an end.
type Suppression struct {
	ID      string `json:"id"`
	Reason  string `json:"reason"`
	Expires string `json:"expires"` // the last day that it holds, UTC, such as 2026-12-31
	// Weakness describes the weakness for readers of the file; it decides nothing.
	Weakness string `json:"finding,omitempty"`
}

// MaxSuppression is the longest time that a suppression may hold.
const MaxSuppression = 366 * 24 * time.Hour

// Suppressions are the content of a file of them. A baseline is such a file with all weaknesses
// of a day.
type Suppressions struct {
	Version      int           `json:"version"`
	Suppressions []Suppression `json:"suppressions"`
}

// maxSuppressions bounds a file of suppressions, in bytes.
const maxSuppressions = 1 << 20

// ReadSuppressions reads a file of suppressions. It refuses the file as a whole if one of them
// has no reason, no end, or an end more than a year ahead of now.
func ReadSuppressions(raw []byte, now time.Time) ([]Suppression, error) {
	if len(raw) > maxSuppressions {
		return nil, fmt.Errorf("larger than %d bytes", maxSuppressions)
	}
	if _, err := strictjson.Parse(raw, strictjson.Limits{}); err != nil {
		return nil, err
	}
	var file Suppressions
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf(`must be {"version": 1, "suppressions": [{"id": …, "reason": …, "expires": …}]}: %w`, err)
	}
	if file.Version != 1 {
		return nil, errors.New("version: must be 1")
	}
	seen := map[string]bool{}
	for i, s := range file.Suppressions {
		if err := s.check(now); err != nil {
			return nil, fmt.Errorf("suppression %d: %w", i+1, err)
		}
		if seen[s.ID] {
			return nil, fmt.Errorf("suppression %d: there is one of this id before it", i+1)
		}
		seen[s.ID] = true
	}
	return file.Suppressions, nil
}

func (s *Suppression) check(now time.Time) error {
	if s.ID == "" {
		return errors.New("id: is missing: take that of the weakness from the report")
	}
	if strings.TrimSpace(s.Reason) == "" {
		return errors.New("reason: is missing: say why the weakness may stay")
	}
	end, err := time.Parse(time.DateOnly, s.Expires)
	if err != nil {
		return errors.New("expires: must be a date such as 2026-12-31")
	}
	if end.After(now.Add(MaxSuppression)) {
		return errors.New("expires: must be within a year")
	}
	return nil
}

// holds reports whether the suppression has not ended.
func (s *Suppression) holds(now time.Time) bool {
	end, err := time.Parse(time.DateOnly, s.Expires)
	return err == nil && now.Before(end.AddDate(0, 0, 1))
}

// suppress marks weaknesses, and returns notes on useless suppressions.
func suppress(list []Weakness, by []Suppression, now time.Time) []string {
	var notes []string
	for _, s := range by {
		i := slices.IndexFunc(list, func(f Weakness) bool { return f.ID == s.ID })
		switch {
		case i < 0:
			notes = append(notes, fmt.Sprintf("the suppression %s is of no weakness: it can be removed", s.ID))
		case !s.holds(now):
			notes = append(notes, fmt.Sprintf("the suppression %s ended on %s", s.ID, s.Expires))
		default:
			list[i].Suppressed = &s
		}
	}
	return notes
}

// Baseline is a file of suppressions for all weaknesses that count now. It refuses a reason or an
// end that [ReadSuppressions] would refuse, with the same error.
func Baseline(r *Report, reason, expires string, now time.Time) ([]byte, error) {
	file := Suppressions{Version: 1, Suppressions: []Suppression{}}
	for i := range r.Weaknesses {
		f := &r.Weaknesses[i]
		switch s := (Suppression{ID: f.ID, Reason: reason, Expires: expires, Weakness: f.Name()}); {
		case f.Suppressed != nil:
			file.Suppressions = append(file.Suppressions, *f.Suppressed)
		case f.Graded() || f.bounds() != "":
			if err := s.check(now); err != nil {
				return nil, err
			}
			file.Suppressions = append(file.Suppressions, s)
		}
	}
	raw, err := json.MarshalIndent(file, "", "  ")
	return append(raw, '\n'), err
}
