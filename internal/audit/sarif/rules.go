// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sarif

import (
	"slices"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A topic is a class and a kind of it: the weakness that a rule of an engine is about.
type topic struct {
	class audit.Class
	kind  string
}

var (
	traversal = topic{audit.Path, "traversal"}
	symlink   = topic{audit.Path, "symlink"}
	shell     = topic{audit.Command, "shell"}
	option    = topic{audit.Command, "option-injection"}
	sql       = topic{audit.Command, "sql"} // a remark: the rubric has no row for it
	ssrf      = topic{audit.URL, "ssrf"}
)

// topics are all topics. Of those of one class, a rule is about the first.
var topics = []topic{traversal, symlink, shell, option, sql, ssrf}

// weaknesses are the topics of entries of the Common Weakness Enumeration.
var weaknesses = map[int]topic{
	59: symlink, 61: symlink, 73: traversal,
	77: shell, 78: shell, 94: shell, 95: shell, 96: shell, 88: option, 89: sql,
	918: ssrf,
}

// topicOf is the topic of an entry. Those from 22 to 40 are forms of path traversal.
func topicOf(cwe int) (topic, bool) {
	if cwe >= 22 && cwe <= 40 {
		return traversal, true
	}
	t, ok := weaknesses[cwe]
	return t, ok
}

// tagged finds entries in tags: "external/cwe/cwe-022", "CWE-78: Improper Neutralization of …".
var tagged = lazyregexp.New(`(?i)\bcwe[-_: /]?0*([1-9][0-9]{0,4})\b`)

func entries(tag string) []int {
	var list []int
	for _, m := range tagged.FindAllStringSubmatch(tag, 100) {
		n, _ := strconv.Atoi(m[1]) // of at most five digits
		list = append(list, n)
	}
	return list
}

// numbered are rules of Bandit and gosec, whose names are numbers. Newer versions name their entries.
var numbered = map[string]topic{
	"B102": shell, "B307": shell, "B602": shell, "B603": shell, "B604": shell, "B605": shell, "B606": shell, "B607": shell, "B609": shell,
	"B202": traversal, "B608": sql,
	"G107": ssrf, "G704": ssrf, "G204": shell, "G702": shell, "G304": traversal, "G305": traversal, "G703": traversal, "G201": sql, "G202": sql, "G701": sql,
}

// named finds the topics in the names of rules: "js/path-injection", "python.lang.security.audit.eval-detected".
var named = []struct {
	name *lazyregexp.Regexp
	topic
}{
	{lazyregexp.New(`(?i)(path|directory)[-_. ]?(traversal|injection)|(zip|tar)[-_. ]?slip|non[-_. ]?literal[-_. ]fs`), traversal},
	{lazyregexp.New(`(?i)(command|command[-_. ]line|shell|code)[-_. ]?injection|shell[-_. ]?true|child[-_. ]process|\b(eval|exec)[-_. ](detected|used|injection)`), shell},
	{lazyregexp.New(`(?i)argument[-_. ]?injection`), option},
	{lazyregexp.New(`(?i)sql[-_. ]?injection|\bsqli\b`), sql},
	{lazyregexp.New(`(?i)\b(full[-_. ]|partial[-_. ])?ssrf\b|(^|/|server[-_. ]?side[-_. ])request[-_. ]?forgery`), ssrf},
}

// about returns the topics of a rule, at most one of a class. The entries of the enumeration decide; only a rule
// without one is known by its name.
func about(id string, cwes []int) []topic {
	found := map[topic]bool{}
	for _, n := range cwes {
		if t, ok := topicOf(n); ok {
			found[t] = true
		}
	}
	if len(cwes) == 0 {
		if t, ok := numbered[strings.ToUpper(id)]; ok {
			found[t] = true
		}
		for _, n := range named {
			if n.name.MatchString(id) {
				found[n.topic] = true
			}
		}
	}
	var list []topic
	for _, t := range topics {
		if found[t] && !slices.ContainsFunc(list, func(u topic) bool { return u.class == t.class }) {
			list = append(list, t)
		}
	}
	return list
}
