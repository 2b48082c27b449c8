// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"encoding/json"
	"errors"
	"sort"
)

// A Map leads from places in a written file to places in its sources (source map, revision 3).
type Map struct {
	Sources []string
	lines   [][]segment
}

// A segment is a run of columns, from col to the next segment, with its place in a source. All
// counts start at 0.
type segment struct{ col, source, line, sourceCol int }

// maxSegments bounds the memory of a map: the audited package supplies it.
const maxSegments = 4 << 20

// DecodeMap reads a source map. Maps with sections are not supported and come out empty.
func DecodeMap(data []byte) (*Map, error) {
	var raw struct {
		Version    int      `json:"version"`
		SourceRoot string   `json:"sourceRoot"`
		Sources    []string `json:"sources"`
		Mappings   string   `json:"mappings"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, errors.New("is not JSON")
	}
	if raw.Version != 3 {
		return nil, errors.New("is not of version 3")
	}
	m := &Map{Sources: raw.Sources}
	if raw.SourceRoot != "" {
		for i, s := range m.Sources {
			m.Sources[i] = raw.SourceRoot + "/" + s
		}
	}
	return m, m.decode(raw.Mappings)
}

// decode reads the mappings: lines end with ";", segments with ",", and each segment is one
// to five numbers relative to those before. A segment of one number has no source and only
// moves the column.
func (m *Map) decode(text string) error {
	var cur segment
	var line []segment
	var fields [5]int
	n, total := 0, 0
	flush := func() {
		if n >= 1 {
			cur.col += fields[0]
		}
		// Segments without a source do not help to find one.
		if n >= 4 {
			cur.source += fields[1]
			cur.line += fields[2]
			cur.sourceCol += fields[3]
			line = append(line, cur)
			total++
		}
		n = 0
	}
	for i := 0; i < len(text); {
		switch text[i] {
		case ',':
			flush()
			i++
		case ';':
			flush()
			m.lines = append(m.lines, line)
			line, cur.col = nil, 0
			i++
		default:
			// More than five numbers are an error of the format.
			value, next, ok := vlq(text, i)
			if !ok || n == len(fields) || total > maxSegments {
				return errors.New("has mappings that are not well formed")
			}
			fields[n] = value
			n++
			i = next
		}
	}
	flush()
	m.lines = append(m.lines, line)
	return nil
}

// vlq reads one number in base 64: five bits a digit, the lowest bit is the sign.
func vlq(text string, i int) (value, next int, ok bool) {
	shift := 0
	for ; i < len(text) && shift < 40; i++ {
		digit := base64Digit(text[i])
		if digit < 0 {
			return 0, i, false
		}
		value |= (digit & 31) << shift
		shift += 5
		if digit&32 == 0 {
			if value&1 == 1 {
				return -(value >> 1), i + 1, true
			}
			return value >> 1, i + 1, true
		}
	}
	return 0, i, false
}

// base64Digit is the value of a digit, or -1.
func base64Digit(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '+':
		return 62
	case c == '/':
		return 63
	}
	return -1
}

// Find returns the source place of a place, all counted from 0. The segment at the column, or
// the last one in front of it, has it. Numbers may be anything in a hostile map, so they are
// checked here.
func (m *Map) Find(line, col int) (source string, sourceLine, sourceCol int, ok bool) {
	if m == nil || line < 0 || line >= len(m.lines) {
		return "", 0, 0, false
	}
	list := m.lines[line]
	i := sort.Search(len(list), func(i int) bool { return list[i].col > col }) - 1
	if i < 0 {
		return "", 0, 0, false
	}
	s := list[i]
	if s.source < 0 || s.source >= len(m.Sources) || s.line < 0 || s.sourceCol < 0 {
		return "", 0, 0, false
	}
	return m.Sources[s.source], s.line, s.sourceCol, true
}
