// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"bytes"
	"strconv"
	"testing"
	"testing/synctest"
)

// TestQueue holds the order of the lines, and the bounds for a peer that reads nothing.
func TestQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		read := make(chan bool)
		var got []string
		q := &Queue{Send: func(line []byte) { <-read; got = append(got, string(line)) }}
		n := 0
		for ; q.Add([]byte(strconv.Itoa(n))); n++ {
			synctest.Wait()
		}
		if n != maxQueued+1 { // one is being sent
			t.Errorf("%d lines were taken", n)
		}
		close(read)
		synctest.Wait()
		for i, line := range got {
			if line != strconv.Itoa(i) {
				t.Fatalf("line %d is %s", i, line)
			}
		}
		if len(got) != n || !q.Add(make([]byte, maxQueuedBytes)) || q.Add(bytes.Repeat([]byte("x"), maxQueuedBytes+1)) {
			t.Errorf("%d of %d lines were sent, or the bound in bytes does not hold", len(got), n)
		}
		synctest.Wait()
	})
}
