// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/toolvet/toolvet/internal/calllog"
)

// A call that cannot be recorded must not be made.
func Example() {
	dir, err := os.MkdirTemp("", "calllog")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "log.jsonl")
	ctx := context.Background()

	l, err := calllog.Open(calllog.Options{File: file})
	if err != nil {
		log.Fatal(err)
	}
	if err := l.Append(ctx, calllog.Record{Kind: calllog.KindCall, Tool: "read_text_file", Verdict: calllog.Go}); err != nil {
		log.Fatal("refused: ", err)
	}
	_, head := l.Head()
	if err := l.Close(ctx); err != nil {
		log.Fatal(err)
	}

	whole, err := calllog.Verify(ctx, calllog.VerifyOptions{Expect: head}, file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("whole:", whole.OK())

	text, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.Replace(text, []byte("read"), []byte("edit"), 1), 0o600); err != nil {
		log.Fatal(err)
	}
	changed, err := calllog.Verify(ctx, calllog.VerifyOptions{}, file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(changed.Faults[0].Line, changed.Faults[0].Message)
	// Output:
	// whole: true
	// 1 this line was changed: its hash does not match its content
}
