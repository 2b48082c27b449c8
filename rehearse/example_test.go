// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearse_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"

	"github.com/toolvet/toolvet/rehearse"
)

// Two calls are rehearsed. The second sees the effects of the first. Then both are made for real.
func Example() {
	ctx := context.Background()
	self, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "rehearse-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	session, err := rehearse.Start(ctx, rehearse.Config{
		Command: []string{self, "as-server"}, // such as npx -y @modelcontextprotocol/server-filesystem .
		Dir:     dir,
		Init:    []string{self, "as-sandbox"}, // a program whose main calls rehearse.Run
	})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	for _, script := range []string{"echo 42,17 >orders.csv", "wc -l <orders.csv"} {
		arguments, _ := json.Marshal(map[string]string{"script": script})
		done := session.Call(ctx, rehearse.Call{Tool: "run", Arguments: arguments})
		fmt.Printf("%s%s\n", done.Result, done.Failed)
	}
	report, err := session.Finish(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range report.Changes {
		fmt.Println(c.Kind, filepath.Base(c.Path), c.Size, "bytes")
	}
	_, err = os.Stat(filepath.Join(dir, "orders.csv"))
	fmt.Println("still only rehearsed:", errors.Is(err, fs.ErrNotExist))
	made, err := session.Commit(ctx)
	fmt.Println("committed:", made, err)
	raw, err := os.ReadFile(filepath.Join(dir, "orders.csv"))
	fmt.Printf("%q %v\n", raw, err)
	// Output:
	// {"content":[{"type":"text","text":""}]}
	// {"content":[{"type":"text","text":"1\n"}]}
	// created orders.csv 6 bytes
	// still only rehearsed: true
	// committed: 1 <nil>
	// "42,17\n" <nil>
}
