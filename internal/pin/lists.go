// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pin

import (
	"slices"

	"github.com/toolvet/toolvet/internal/listed"
)

// allLists are the lists that a lock can hold, in the order of a report.
var allLists = []string{Tools, listed.Prompts, listed.Templates, listed.Resources}

// sectionOf returns the member of the lock file that holds a list. The tools had the file alone at first.
func sectionOf(list string) string {
	if list == Tools {
		return "servers"
	}
	return listed.Member(list)
}

// listName returns the name of a list in a [Change]: "" for tools.
func listName(list string) string { return listed.Member(list) }

// nouns name an entry of each list.
var nouns = map[string]string{
	Tools: "tool", listed.Prompts: "prompt", listed.Templates: "resource template", listed.Resources: "resource",
}

// article is nouns with the article.
var article = map[string]string{
	Tools: "a tool", listed.Prompts: "a prompt", listed.Templates: "a resource template", listed.Resources: "a resource",
}

// Lists returns the methods of the lists that a lock can hold, in the order of a report.
func Lists() []string { return slices.Clone(allLists) }

// Noun returns the word for an entry of a list, such as "prompt".
func Noun(list string) string { return nouns[list] }

// Method returns the method of the list that c is about.
func (c *Change) Method() string {
	for _, list := range allLists {
		if listName(list) == c.List {
			return list
		}
	}
	return Tools
}
