// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import "unicode/utf8"

// A region is a part of a text, in bytes.
type region struct{ start, end int }

// margin is the width of a region on either side of its possible matches, as context for regular
// expressions.
const margin = utf8.UTFMax

// widened returns a region with its margin, beginning between two characters.
func widened(text string, start, end int) region {
	start, end = max(start-margin, 0), min(end+margin, len(text))
	for back := 0; back < utf8.UTFMax-1 && start-back > 0; back++ {
		if utf8.RuneStart(text[start-back]) {
			start -= back
			break
		}
	}
	return region{start, end}
}

// add adds a region to a list of such that are in order and do not meet. It comes after most
// of them.
func add(list []region, r region) []region {
	i := len(list)
	for i > 0 && list[i-1].end >= r.start {
		if list[i-1].start > r.end {
			i--
			continue
		}
		i--
		r = region{min(r.start, list[i].start), max(r.end, list[i].end)}
		list = append(list[:i], list[i+1:]...)
	}
	list = append(list, region{})
	copy(list[i+1:], list[i:])
	list[i] = r
	return list
}
