// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcphttp

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/machine/budget"
)

// TestBodyLoan holds that a large body takes memory from its loan, that one without memory is refused
// with a reason, and that small ones pass meanwhile.
func TestBodyLoan(t *testing.T) {
	t.Parallel()
	b := budget.New(16 << 20)
	read := func(size int, loan *budget.Loan) (int, *Bad) {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("a", size)))
		r.Header.Set("Content-Type", JSON)
		text, bad := ReadBody(httptest.NewRecorder(), r, 16<<20, time.Minute, loan)
		return len(text), bad
	}
	first := b.Open("ann")
	for _, size := range []int{0, 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, 5 << 20} {
		if n, bad := read(size, first); n != size || bad != nil {
			t.Errorf("%d bytes: %d, %v", size, n, bad)
		}
	}
	if taken := b.Taken(); taken < 10<<20 || taken > 12<<20 {
		t.Errorf("%d bytes are lent", taken)
	}
	if _, bad := read(5<<20, b.Open("ann")); bad == nil || bad.Status != http.StatusServiceUnavailable || bad.Message != budget.ErrFull.Error() {
		t.Errorf("a body without memory: %v", bad)
	}
	if _, bad := read(1000, b.Open("ann")); bad != nil {
		t.Errorf("a small body: %v", bad)
	}
	first.Return()
	if _, bad := read(5<<20, b.Open("ann")); bad != nil {
		t.Errorf("afterwards: %v", bad)
	}
	answer := &http.Response{ContentLength: -1, Body: io.NopCloser(strings.NewReader(strings.Repeat("a", 1<<20+1)))}
	if _, err := ReadWithin(answer, 1<<20, b.Open("bob")); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
}
