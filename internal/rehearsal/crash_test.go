// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
)

// rewriting changes three files, moves one, deletes one and makes one in a new directory.
const rewriting = "for f in a b sub/c; do echo new >$f; done; mv m moved; rm gone; mkdir fresh; echo new >fresh/d"

// commitUntil rehearses and commits in a directory, and kills itself when it reaches a place for the nth time. It
// prints the changes so far.
func commitUntil(args []string) {
	dir, where, times := args[0], args[1], 0
	nth, err := strconv.Atoi(args[2])
	self, failed := os.Executable()
	if err := errors.Join(err, failed); err != nil {
		panic(err)
	}
	ctx := context.Background()
	s, err := Start(ctx, Config{
		Command: []string{self, "as-server"}, Dir: dir, Init: []string{self, "as-sandbox"},
		Committed: func(c Change) { fmt.Println(c.Path) },
	})
	if err != nil {
		panic(err)
	}
	script := rewriting
	if len(args) > 3 {
		script = args[3]
	}
	arguments, _ := json.Marshal(map[string]string{"script": script})
	s.Call(ctx, Call{"run", arguments})
	if _, err := s.Finish(ctx); err != nil {
		panic(err)
	}
	s.reached = func(what string) {
		if what == where {
			times++
		}
		if times == nth {
			if me, err := os.FindProcess(os.Getpid()); err == nil {
				_ = me.Kill()
			}
			select {}
		}
	}
	_, err = s.Commit(ctx)
	panic(fmt.Sprint("it was not reached: ", err))
}
