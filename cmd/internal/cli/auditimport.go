// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/sarif"
	"github.com/toolvet/toolvet/internal/audit/source"
)

// logs are the results of other engines, in the order of the flags.
type logs []namedLog

type namedLog struct {
	file string
	*sarif.Log
}

// readLogs reads all files before any other work, so that a fault in one shows at once.
func readLogs(files []string) (logs, error) {
	var list logs
	for _, name := range files {
		log, err := readLog(name)
		if err != nil {
			return nil, fmt.Errorf("--import-sarif %s: %w", name, err)
		}
		list = append(list, namedLog{name, log})
	}
	return list, nil
}

func readLog(name string) (*sarif.Log, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, sarif.MaxBytes+1))
	if err != nil {
		return nil, err
	}
	return sarif.Read(raw)
}

// suspect adds the suspicions, about the tools that were read in the code of a place; "": none was read.
func (l logs) suspect(place string, tools []source.Tool, in *audit.Input) error {
	if len(l) == 0 {
		return nil
	}
	server := sarif.Server{Tools: tools, Facts: in.Facts}
	if place != "" {
		dir, err := sourceDir(place)
		if err != nil {
			return err
		}
		if server.Code, err = os.OpenRoot(dir); err != nil {
			return err
		}
		defer server.Code.Close()
		server.Prefix = fromHere(dir)
	}
	for _, log := range l {
		facts, notes := log.Suspicions(server)
		in.Facts = append(in.Facts, facts...)
		for _, n := range notes {
			in.Notes = append(in.Notes, log.file+": "+n)
		}
	}
	return nil
}
