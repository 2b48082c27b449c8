// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"net/netip"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// leaves refuses a file that a command changes outside the server's directories. A text that a shell inserts is taken to be a name below
// the place of the word.
func (j *judge) leaves(element int, directory, word string) {
	if !j.inside || word == "" || strings.HasPrefix(word, insertion) || strings.HasPrefix(word, "-") || strings.Contains(word, "://") || len(j.world.Roots) == 0 {
		return
	}
	if option, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(option, "of") { // dd
		word = value
	}
	if host, _, ok := strings.Cut(word, ":"); ok && !strings.Contains(host, "/") && len(host) > 1 {
		return // of another machine
	}
	full := home(toDirectory(directory, word))
	if strings.HasPrefix(full, insertion) {
		return
	}
	if !strings.HasPrefix(full, "/") {
		full = path.Join(j.world.Base, full)
	}
	full = path.Clean(full)
	below := func(dir string) bool {
		dir = strings.TrimSuffix(strings.ReplaceAll(dir, `\`, "/"), "/")
		return full == dir || strings.HasPrefix(full, dir+"/")
	}
	switch {
	case slices.ContainsFunc(streams, below), slices.ContainsFunc(j.world.Roots, below):
	case slices.ContainsFunc(passing(), below):
		j.refuse(element, temporary, "changes a file in a directory for temporary files, outside those of the work at hand")
	default:
		j.refuse(element, outside, "changes a file outside the directories of the work at hand")
	}
}

// streams are no files, and passing are places for files that nobody misses.
var (
	streams = []string{"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd"}
	passing = sync.OnceValue(func() []string {
		return []string{"/tmp", "/var/tmp", "/private/tmp", strings.TrimSuffix(os.TempDir(), "/")}
	})
)

// home puts the home directory in place of ~.
func home(p string) string {
	if p != "~" && !strings.HasPrefix(p, "~/") {
		return p
	}
	dir, err := os.UserHomeDir()
	if err != nil {
		return "/~" + p[1:]
	}
	return dir + p[1:]
}

// A caller is a program that connects to hosts that its words name.
type caller int

const (
	byURL  caller = iota + 1 // in URLs, and in the forms of ssh
	byHost                   // its operands without a scheme are hosts, too
	bySSH                    // operands with a colon name a host, and of ssh the first does
)

var callers = sync.OnceValue(func() map[string]caller {
	return map[string]caller{
		"curl": byHost, "wget": byHost, "wget2": byHost, "http": byHost, "https": byHost, "xh": byHost, "aria2c": byHost, "axel": byHost, "lynx": byHost, "w3m": byHost,
		"links": byHost, "ftp": byHost, "lftp": byHost, "telnet": byHost, "nc": byHost, "ncat": byHost, "netcat": byHost, "dig": byHost, "nslookup": byHost, "host": byHost,
		"ping": byHost, "traceroute": byHost, "ssh": byHost, "slogin": byHost, "mosh": byHost, "sftp": byHost, "scp": bySSH, "rsync": bySSH, "git": byURL,
	}
})

// connects refuses hosts that the policy does not list. A host that the line does not tell is none of them.
func (j *judge) connects(program string, s simple, own int) {
	kind, ok := callers()[program]
	if !ok || len(j.hosts) == 0 {
		return
	}
	r := reading(program, s.words)
	operand := map[int]bool{}
	for _, i := range r.Operands {
		operand[i] = true
	}
	local := program == "git" && !slices.ContainsFunc(r.Operands, func(i int) bool { return gitReaches()[s.words[i]] })
	for i, w := range s.words[1:own] {
		i++
		if _, value, ok := strings.Cut(w, "="); ok && strings.HasPrefix(w, "--") && strings.Contains(value, "://") {
			w = value
		}
		host, found := hostIn(w, kind, operand[i])
		if !found || local {
			continue
		}
		if senders()[program] && host != "" && !listedHost([]string{"localhost"}, host) && slices.ContainsFunc(s.words[1:own], sends.MatchString) {
			j.refuse(s.element(i), network, s.place(i)+"sends something to another host")
			return
		}
		if !listedHost(j.hosts, host) {
			j.refuse(s.element(i), network, s.place(i)+"connects to a host that the policy does not list")
			return
		}
	}
}

// gitReaches are commands of git that connect, or remember where to.
var gitReaches = lazySet("clone fetch pull push remote ls-remote submodule archive set-url add-url fetch-pack send-pack")

// sends are options of programs for the web that send something along. A listed host may still pass it on to anybody.
var sends = lazyregexp.New(`^(-[a-zA-Z]*[dFT]|--(data(-\w+)?|form(-string)?|upload-file|json|post-(data|file)|body-(data|file)|url-query)(=.*)?)`)

// senders are the programs of which that holds.
var senders = lazySet("curl wget wget2")

var scpForm = lazyregexp.New(`^(?:[\w.-]+@)?([\w.-]{2,}):(?:$|[^:])`)

// hostIn returns the host that a word names; "" is one that the line does not tell.
func hostIn(word string, kind caller, operand bool) (host string, found bool) {
	if strings.Contains(word, "://") {
		u, err := url.Parse(word)
		if err != nil || strings.Contains(u.Host, insertion) {
			return "", true
		}
		return u.Hostname(), u.Scheme != "file"
	}
	if !operand {
		return "", false
	}
	switch kind {
	case byHost:
		name := word
		if _, after, ok := strings.Cut(name, "@"); ok {
			name = after
		}
		name, _, _ = strings.Cut(name, "/")
		if !strings.HasPrefix(name, "[") && strings.Count(name, ":") == 1 {
			name, _, _ = strings.Cut(name, ":")
		}
		name = strings.Trim(name, "[]")
		if strings.Contains(name, insertion) || name == "" {
			return "", strings.HasPrefix(word, insertion) || word == "" || strings.Contains(name, insertion)
		}
		if strings.Trim(name, "0123456789") == "" {
			return "", false // a port
		}
		return name, strings.Contains(name, ".") || strings.Contains(name, ":") || name == "localhost"
	case bySSH, byURL:
		if m := scpForm.FindStringSubmatch(word); m != nil && !(kind == byURL && !strings.Contains(word, "@")) {
			return m[1], true
		}
	}
	return "", false
}

func listedHost(hosts []string, host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "" {
		return false
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() {
		host = "localhost"
	}
	return slices.ContainsFunc(hosts, func(pattern string) bool {
		pattern = strings.ToLower(pattern)
		if parent, ok := strings.CutPrefix(pattern, "*."); ok {
			return host == parent || strings.HasSuffix(host, "."+parent)
		}
		return host == pattern
	})
}
