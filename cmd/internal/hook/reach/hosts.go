// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package reach

import (
	"slices"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// quiet are programs that open no address among their words. Git has its own: the check command knows them.
const quiet = printers + " echo printf test [ [[ true : export git grep egrep fgrep rg ag ack find fd ls touch mkdir cp mv rm tee read set unset local wc tr jq yq"

// addresses are addresses with their hosts.
var addresses = lazyregexp.New(`\b[a-z][a-z0-9+.-]*://(?:[^\s/@"']*@)?(\[[0-9a-f:]+\]|[\w.-]+)`)

// Hosts returns the hosts in the addresses of a line. An address counts if the program that gets it may open it.
func Hosts(line string) (hosts []string) {
	for _, s := range stepsOf(line, "/") {
		if len(s.words) == 0 || among(s.program(), quiet) {
			continue
		}
		for _, w := range s.words[1:] {
			for _, m := range addresses.FindAllStringSubmatch(w.text, -1) {
				hosts = append(hosts, m[1])
			}
		}
	}
	return slices.Compact(hosts)
}
