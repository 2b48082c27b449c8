// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// Records yields the records of a file in order. It does not verify them; call [Verify] first if that matters. A line
// that is not a record yields an error with its number, and reading goes on. A read error ends it. A torn last line
// is an error, too. The file is closed at the end.
func Records(file string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		f, lines, err := openLines(file)
		if err != nil {
			yield(Record{}, err)
			return
		}
		defer f.Close()
		for n := 1; ; n++ {
			line, err := lines.next()
			if errors.Is(err, io.EOF) {
				return
			}
			var r Record
			known := errors.Is(err, errTorn) || errors.Is(err, errLong)
			if err == nil {
				if _, _, known = splitLine(line); !known || json.Unmarshal(line, &r) != nil {
					err, known = errNoRecord, true
				}
			}
			if err != nil {
				r, err = Record{}, fmt.Errorf("calllog: %s:%d: this line %w", file, n, err)
			}
			if !yield(r, err) || err != nil && !known {
				return
			}
		}
	}
}
