// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"cmp"
	"slices"
	"strings"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/protocol"
)

// said is a verdict for the people at a host and for their model. Findings of the checks on commands and paths name their kind, as the option
// allow of these checks does. A policy permits a kind by its name, and 'toolvet explain' has a page about it. Earlier is the reading of the session
// behind a question, if one is: it stands first, because it is the reason, and a policy would not help.
func said(c *call.Call, v toolvet.Verdict, earlier string) string {
	r := protocol.NewResult(c.Name, v)
	sent := slices.ContainsFunc(r.Findings, func(f check.Finding) bool { return f.Source == "secret" && f.Sends })
	for i := range r.Findings { // copies of the verdict's
		f := &r.Findings[i]
		on, kind, named := strings.TrimSuffix(f.Check, "-state"), f.Source, f.Source != ""
		if named && (on == "command" || on == "path" || on == "url") {
			f.Message += " [" + on + ": " + kind + "]"
		}
		switch {
		case on == "path" && (kind == "" || kind == "outside"):
			kind, named = place, false
		case on == "url":
			kind, named = "network", false
		}
		f.Suggestion = strings.TrimSuffix(f.Suggestion, ", or have the policy list this one under programs") // a list would take the place of all that the preset says
		if on == "command" || on == "path" {
			f.Suggestion = cmp.Or(refusedFor[kind], f.Suggestion)
			if kind == "secret" {
				f.Suggestion = withoutSecret(c, sent)
			}
		}
		if !f.Asks() || kind == "guard" { // which no policy of an agent should let pass
			continue
		}
		if how := instead[kind]; how != "" && (named || f.Suggestion == "") {
			f.Suggestion = how
		}
		sends := kind == "network" && f.Sends
		if sends {
			f.Suggestion = "let the user send it"
		}
		if kind == "wipe" {
			f.Suggestion = withLosses(lineOf(c.Arguments), f.Suggestion)
		}
		if kind == "key" {
			kind = "credential" // the policy's name for both
		}
		if earlier == "" && f.Suggestion != "" && slices.Contains(policy.Consentable(), kind) {
			f.Suggestion += "; " + permits(kind, sends)
		}
	}
	return earlier + r.Text()
}

// permits says how a policy lets a kind pass: what is narrower than the kind comes first. A listed host may be asked for something, and is sent nothing.
func permits(kind string, sends bool) string {
	if narrow := narrower[kind]; narrow != "" && !sends {
		return "a policy may list " + narrow + ", as 'toolvet explain " + kind + "' shows"
	}
	return "'toolvet explain " + kind + "' shows how a policy lets it pass"
}

var narrower = map[string]string{
	"network": "the host under unasked: {hosts: […]}",
	"outside": "the directory under unasked: {directories: […]}",
	"wipe":    "the command under unasked: {commands: […]}",
}

// place is the kind of a path that leads out of the directories.
const place = "\x00place"

// refusedFor says how to do without what both presets refuse.
var refusedFor = map[string]string{
	"piped": "save it, read it, and run it, each in a call of its own",
}

// instead says how to do without what is asked about, by kinds. The check's own fixes are for a server without a person to ask.
var instead = map[string]string{
	"wipe":        "name only what this work has made",
	"deleting":    "name the files that are to go",
	"setting":     "leave that option or setting out",
	"environment": "leave that variable out",
	"later":       "run it now",
	"elsewhere":   "run it on this machine",
	"privilege":   "run it as the user that you are",
	"project":     "run the program itself, as its own command",
	"code":        "put the code into a file of the work at hand, and run that in the next call",
	"network":     "use what this machine or a listed host has",
	"sending":     "keep the work on this machine, and let the user send it",
	"steering":    "let the user make this change",
	"startup":     "name another file of the work at hand",
	"key":         "leave keys, and variables with secrets, to the programs that need them",
	place:         "name a place in the directories of the work at hand, or have a policy for the hook list that one under unasked: {directories: […]}",
}

// A loss is a family of commands, what it may take for good, and how to do without.
type loss struct {
	line       *lazyregexp.Regexp
	lost, mend string
}

// losses tells the families apart by the looks of a line: another check has found the command already.
var losses = []loss{
	{family(`git\b[^;&|\n]*\spush\b[^;&|\n]*\s(-\w*d\b|--delete|:\S)`), "this may lose a branch or tag that others may use", "let the user delete it"},
	{family(`git\b[^;&|\n]*\spush\b[^;&|\n]*\s--force-with-lease`), "this may lose commits that this repository has fetched, and others may use", "push to a branch of your own"},
	{family(`git\b[^;&|\n]*\spush\b`), "this may lose commits that others have pushed", "push to a branch of your own, or ask for --force-with-lease, which stops at commits that nobody here has fetched"},
	{family(`git\b[^;&|\n]*\sstash\s+(drop|clear)\b`), "this may lose the stashed work", "apply it first, by git stash pop"},
	{family(`git\b[^;&|\n]*\sbranch\b`), "this may lose commits that no other branch has", "use git branch -d, which deletes a merged branch only"},
	{family(`git\b[^;&|\n]*\sreset\b`), "this may lose changes that are not committed", "commit or stash them first, or use git reset --keep"},
	{family(`git\b[^;&|\n]*\s(checkout|restore|switch)\b`), "this may lose changes that are not committed", "commit or stash them first, or name one file"},
	{family(`git\b[^;&|\n]*\sclean\b`), "this may lose files that git does not have", "list them with git clean -n, and name those that are to go"},
	{family(`git\b[^;&|\n]*\s(gc|prune|reflog|filter-branch|filter-repo|update-ref|tag|worktree)\b`), "this may lose commits, or work, that nothing else names", "leave the history as it is"},
	{family(`gh\b`), "this may lose what others use on GitHub", "let the user do it"},
	{family(`(npm|pnpm|yarn|bun|cargo|gem|poetry|uv|twine|dotnet|mvnw?|gradlew?|vsce|npx|go|helm|docker|podman)\b[^;&|\n]*\b(publish|push|upload|deploy|yank|unpublish)\b`), "others may use this at once, and it cannot be taken back", "try it with --dry-run, and let the user publish"},
	{family(`(docker|podman|nerdctl)\b`), "this may lose containers, images or data of other work", "name the container, image or volume that this work has made"},
	{family(`(kubectl|oc|helm|terraform|tofu|pulumi|aws|gcloud|az)\b`), "this may lose what runs there, for all who use it", "show the plan, and let the user apply it"},
	{family(`(pkill|killall|killall5|skill|kill)\b`), "this may lose the state of all programs of that name, also of the user's own", "end the one that you started, by kill and its number"},
	{family(`(dropdb|psql|mysql|mariadb|sqlite3?|redis-cli|mongo\w*)\b`), "this may lose data that no repository has", "use a database that this work has made"},
	{family(`(rm|find|fd|rsync|unlink|rmdir|shred|truncate|mv)\b`), "this may lose files, also those that git does not have", "name the files or directories that are to go"},
}

func family(commands string) *lazyregexp.Regexp {
	return lazyregexp.New("(?m)(?:^|[;&|(`{!'\"]|\\s)" + commands)
}

// withLosses puts what a line may lose before the advice. A line may have commands of several families: the first two are told.
func withLosses(line, otherwise string) string {
	var said []string
	rest := line
	for _, l := range losses {
		if at := l.line.FindStringIndex(rest); at != nil && len(said) < 2 {
			said = append(said, l.lost+": "+l.mend)
			rest = rest[:at[0]] + "\n" + rest[at[1]:] // one command is of one family
		}
	}
	if len(said) == 0 {
		return otherwise
	}
	return strings.Join(said, "; ")
}
