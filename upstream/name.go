// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"errors"
	"fmt"
	"strings"

	"github.com/toolvet/toolvet/schema"
)

// ParseName splits the name of a tool in a [Set], SERVER:TOOL, at the first colon. Names of
// servers contain no colon, names of tools may.
func ParseName(name string) (server, tool string, err error) {
	server, tool, ok := strings.Cut(name, ":")
	if !ok || server == "" || tool == "" {
		return "", "", errors.New("this is no name of a tool: it must be SERVER:TOOL")
	}
	return server, tool, nil
}

// An unknownServerError reports a name that does not belong to a server of the [Set].
type unknownServerError struct {
	Near  string   // the most similar name; "" for none
	Known []string // all names
}

func (e *unknownServerError) Error() string {
	const said = "there is no server of this name"
	switch {
	case e.Near != "":
		return fmt.Sprintf("%s: did you mean %q?", said, e.Near)
	case len(e.Known) == 0:
		return said + ": there are none"
	}
	return fmt.Sprintf("%s: there are %s", said, strings.Join(e.Known, ", "))
}

func nearest(name string, known []string) string { return schema.Nearest(name, known) }
