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

	"github.com/toolvet/toolvet/checks/internal/filekind"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// leaves refuses changes outside the server's directories. A text that a shell inserts is taken to be a name below
// the place of the word.
func (j *judge) leaves(element int, directory, word string) {
	word = ofFile(word)
	if len(j.deny) > 0 && !j.contained && filekind.Steering(toDirectory(directory, word)) {
		j.refuse(element, steering, "changes "+filekind.Steers)
	}
	if gitStore.MatchString(word) {
		j.refuse(element, wipe, "changes the store in which git keeps the history of the project")
	}
	if !j.inside || j.contained || word == "" || hasPrefix(word, insertion) || hasPrefix(word, "-") || contains(word, "://") && !contains(word, "..") || len(j.world.Roots) == 0 {
		return
	}
	if option, value, ok := cut(word, "="); ok && hasPrefix(option, "of") { // dd
		word = value
	}
	if host, _, ok := cut(word, ":"); ok && !contains(host, "/") && len(host) > 1 && !contains(word, "..") {
		return // of another machine
	}
	full := j.full(directory, word)
	if hasPrefix(full, insertion) {
		return
	}
	switch {
	case streams.MatchString(full), anyWord(j.world.Roots, func(dir string) bool { return below(full, dir) }):
	case passing.MatchString(full), below(full, os.TempDir()):
		j.refuse(element, temporary, "changes a file in a directory for temporary files, outside those of the work at hand")
	default:
		j.refuse(element, outside, "changes a file outside the directories of the work at hand")
	}
}

// full returns the path of a word from the top, as far as the line and the work at hand tell.
func (j *judge) full(directory, word string) string {
	if j.shell == "powershell" || j.shell == "cmd" {
		word = strings.ReplaceAll(word, `\`, "/")
	}
	if drive.MatchString(word) {
		return strings.ToLower(path.Clean(word))
	}
	full := home(toDirectory(directory, word))
	if !hasPrefix(full, "/") && !hasPrefix(full, insertion) {
		full = path.Join(j.world.Base, full)
	}
	return path.Clean(full)
}

// drive is the beginning of a path from the top on Windows.
var drive = lazyregexp.New(`^[A-Za-z]:/`)

// streams are no files, and passing are places for files that nobody misses.
var (
	streams = lazyregexp.New(`^/dev/(null|stdout|stderr|tty|fd/\d+)$`)
	passing = lazyregexp.New(`^(/private|/var)?/tmp(/|$)`)
)

// home puts the home directory in place of ~, and a path from the top in place of ~NAME.
//
//go:noinline
func home(p string) string {
	switch {
	case !hasPrefix(p, "~") || len(p) > 1 && p[1] != '/' && !otherHome.MatchString(p):
		return p
	case len(p) > 1 && p[1] != '/':
		return "/" + p // of another user, wherever it is
	}
	dir, err := os.UserHomeDir()
	if err != nil {
		return "/~" + p[1:]
	}
	return dir + p[1:]
}

// otherHome is ~NAME, the home directory of a user.
var otherHome = lazyregexp.New(`^~[A-Za-z_][\w-]*(/|$)`)

// gitStore is what git alone changes. A lock or the index may be stale, and goes without harm.
var gitStore = lazyregexp.New(`(^|/)\.git/(objects|refs|packed-refs|logs)(/|$)`)

// A caller tells how a program's words name the hosts to connect to.
type caller int

const (
	byURL  caller = iota + 1 // in URLs, and in the forms of ssh
	byHost                   // its operands without a scheme are hosts, too
	bySSH                    // operands with a colon name a host, and of ssh the first does
)

// callerOf returns how a program connects to hosts; 0: it does not.
func callerOf(program string) caller {
	switch {
	case program == "git":
		return byURL
	case program == "scp" || program == "rsync":
		return bySSH
	case among(program, "curl wget wget2 http https xh aria2c axel lynx w3m links ftp lftp telnet nc ncat netcat getent drill kdig delv resolvectl websocat wscat grpcurl mtr whois ntpdate dig nslookup host ping traceroute ssh slogin mosh sftp"), opens(program):
		return byHost
	}
	return 0
}

// openers hand a word to whatever opens it: browsers, players, testers.
const openers = "xdg-open open gio gnome-open kde-open kde-open5 exo-open wslview wsl-open cygstart start explorer open-cli termux-open-url ffmpeg ffprobe ffplay mpv vlc mplayer playwright " +
	"firefox firefox-esr librewolf chromium chromium-browser google-chrome google-chrome-stable chrome brave brave-browser msedge microsoft-edge opera vivaldi safari epiphany falkon qutebrowser " +
	"sensible-browser x-www-browser www-browser elinks links2 webbrowser wkhtmltopdf wkhtmltoimage lighthouse yt-dlp youtube-dl streamlink ab hey wrk siege oha bombardier autocannon httpie httpx httrack"

//go:noinline
func opens(program string) bool { return among(program, openers) }

// addressed is a word of a program that opens something, if it is no file: it has a scheme, is a host, or the line does not tell what it is.
var addressed = lazyregexp.New(`://|^` + insertion + `$|(?i)^([\w-]+\.)+(com|net|org|io|dev|co|xyz|ru|cn|me|info|site|online|top|eu|de|uk|example)([:/?#]|$)`)

// connects refuses hosts that the policy does not list. A host that the line does not tell is none of them. A listed
// host can pass on whatever a line sends to it, so a line may send data to this machine alone.
func (j *judge) connects(program string, s simple, own int) {
	kind := callerOf(program)
	if len(j.hosts) == 0 {
		return
	}
	r := reading(program, s.words)
	for _, sender := range senders {
		if among(program, sender.programs) && !(program == "openssl" && anyWord(s.words, here.MatchString)) && (sender.words == "" || slices.ContainsFunc(r.Operands, func(i int) bool { return among(s.words[i], sender.words) })) {
			j.refuse(s.element(0), network, "connects to a host that is not listed")
		}
	}
	if among(program, clients) {
		j.connectsClient(s)
	}
	if kind == 0 && len(r.Module) > 0 {
		program = r.Module[0]
		kind = callerOf(program)
	}
	if kind == 0 {
		return
	}
	opens := opens(program)
	if program == "git" && !slices.ContainsFunc(r.Operands, func(i int) bool { return among(s.words[i], gitReaches) }) {
		return
	}
	hosts, reach, what := j.hosts, network, "connects to a host that is not listed"
	if s.carries && kind == byHost {
		hosts, reach, what = []string{"localhost"}, away+network, "sends what the line reads from a file to another host"
	}
	if program == "curl" && r.Gave("-d", "-F", "-T") || among(program, "curl wget wget2") && anyWord(s.words[1:own], sends.MatchString) {
		hosts, reach, what = []string{"localhost"}, away+network, "sends something to another host"
	}
	for i := 1; i < own; i++ {
		w := s.words[i]
		if said := s.words[i-1]; opens && !addressed.MatchString(w) || kind == byHost && !opens && (among(said, "-H --header -A --user-agent -e --referer") || hasPrefix(w, "--header=") || hasPrefix(w, "--referer=") || hasPrefix(w, "--user-agent=")) {
			continue // a file, or what it says to the host
		}
		if among(program, "ping traceroute mtr getent whois dig host nslookup drill") && (privateAddress(w) || among(trimPrefix(w, "@"), "8.8.8.8 8.8.4.4 1.1.1.1 1.0.0.1 9.9.9.9")) {
			continue
		}
		if _, value, ok := cut(w, "="); ok && hasPrefix(w, "--") && contains(value, "://") {
			w = value
		}
		kind := kind
		if program == "git" && len(r.Operands) > 1 && i == r.Operands[1] && among(s.words[r.Operands[0]], "clone fetch pull push ls-remote") {
			kind = bySSH // no place for a name of a branch
		}
		if host, found := hostIn(w, kind, hasIndex(r.Operands, i)); found && !listedHost(hosts, host) && !(kind == byHost && len(hosts) > 1 && hasIndex(r.Operands, i) && nearby(host) && s.looks(i)) {
			j.refuseWord(&s, i, reach, what)
			return
		}
	}
}

// nearby reports whether a name is one of the network of the work at hand, such as a container's: it has no dot, and is not a number, a country's domain or
// a service that hands out credentials. A line that sends something to it is asked about all the same.
func nearby(host string) bool {
	return (len(host) > 2 || host == "db") && nearbyName.MatchString(host) && !among(strings.ToLower(host), "metadata instance-data kubernetes wpad isatap vault router gateway")
}

// looks reports whether the i-th word of a request is an address of the web, which it only looks at: it is no value of an option, and no word asks
// for another method.
func (s *simple) looks(i int) bool {
	if before := s.words[i-1]; i > 1 && hasPrefix(before, "-") && !plainFlag.MatchString(before) {
		return false
	}
	if scheme, _, ok := cut(s.words[i], "://"); ok && !among(scheme, "http https") {
		return false
	}
	for k, w := range s.words[1:] {
		method, glued := cutPrefix(w, "-X")
		if name, value, ok := cut(w, "="); ok && among(name, "--request --method") {
			method, glued = value, true
		}
		if glued && method != "" && !among(method, "GET HEAD") || among(s.words[k], "-X --request --method") && !among(w, "GET HEAD") || among(w, "POST PUT PATCH DELETE") || w == "-Q" || w == "--quote" {
			return false
		}
	}
	return true
}

// plainFlag are options of curl and wget without a value.
var plainFlag = lazyregexp.New(`^(-[sSfLvikIqOgGN#]+|--(silent|show-error|fail|location|verbose|include|head|insecure|compressed|globoff|no-buffer|quiet|no-verbose|spider))$`)

var nearbyName = lazyregexp.New(`^[a-z][a-z0-9_]*(-?[a-z0-9_]+)*[a-z0-9]$`)

// relays are senders whatever they are told.
const relays = "mail mailx mutt sendmail swaks rclone croc wormhole cloudflared untun tunnelmole tmole"

// senders reach what no list of hosts tells: mailboxes, buckets, relays.
var senders = []struct{ programs, words string }{
	{relays, ""},
	{"aws gsutil gcloud az", "cp mv rsync sync put-object upload upload-batch"},
	{"openssl", "s_client s_server"},
	{"s3cmd s5cmd mc b2 azcopy", "put sync cp mv upload upload-file upload_file copy mirror pipe"},
}

// clients of databases connect to a host that an option or an address names.
const clients = "psql pg_dump pg_restore mysql mariadb mysqldump mongosh mongo mongodump redis-cli"

// connectsClient refuses hosts of databases that the policy does not list. A name without a dot is one of the network of the work at hand.
func (j *judge) connectsClient(s simple) {
	for i, w := range s.words[1:] {
		name, value, glued := cut(w, "=")
		host := ""
		switch before := s.words[i]; {
		case contains(w, "://"):
			host, _ = hostIn(w[max(0, strings.LastIndexAny(w[:strings.Index(w, "://")], "= '\"")+1):], byURL, true)
		case among(before, "-h --host"):
			host = w
		case glued && name == "--host":
			host = value
		case len(w) > 2 && hasPrefix(w, "-h") && contains(w, "."):
			host = w[2:]
		}
		if contains(host, ".") && !contains(host, "/") && !listedHost(j.hosts, host) && !privateAddress(host) {
			j.refuseWord(&s, i+1, network, "connects to a host that is not listed")
		}
	}
}

// here is this machine, as s_client connects to it.
var here = lazyregexp.New(`^(localhost|127\.0\.0\.1|\[::1\]):\d+$`)

// gitReaches are commands of git that connect, or remember where to.
const gitReaches = "clone fetch pull push remote ls-remote submodule archive set-url add-url fetch-pack send-pack"

// sends are long options of curl and wget that send something along.
var sends = lazyregexp.New(`^--(data(-\w+)?|form(-string)?|upload-file|json|post-(data|file)|body-(data|file)|url-query)(=|$)`)

var scpForm = lazyregexp.New(`^(?:[\w.-]+@)?([\w.-]{2,}):(?:$|[^:])`)

// hostIn returns the host that a word names; "" is one that the line does not tell.
func hostIn(word string, kind caller, operand bool) (host string, found bool) {
	if contains(word, "://") {
		u, err := url.Parse(word)
		if err != nil || contains(u.Host, insertion) {
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
		if _, after, ok := cut(name, "@"); ok {
			name = after
		}
		name, _, _ = cut(name, "/")
		if !hasPrefix(name, "[") && strings.Count(name, ":") == 1 {
			name, _, _ = cut(name, ":")
		}
		name = strings.Trim(name, "[]")
		if contains(name, insertion) || name == "" {
			return "", hasPrefix(word, insertion) || word == "" || contains(name, insertion)
		}
		if strings.Trim(name, "0123456789") == "" {
			return "", false // a port
		}
		return name, contains(name, ".") || contains(name, ":") || name == "localhost"
	case bySSH, byURL:
		if m := scpForm.FindStringSubmatch(word); m != nil && !(kind == byURL && !contains(word, "@")) {
			return m[1], true
		}
	}
	return "", false
}

// privateAddress reports whether a word is an address of a network of one's own.
func privateAddress(word string) bool {
	word, _, _ = cut(word, "%")
	ip, err := netip.ParseAddr(word)
	return err == nil && (ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsLinkLocalMulticast())
}

func listedHost(hosts []string, host string) bool {
	host = strings.ToLower(trimSuffix(host, "."))
	if host == "" {
		return false
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() {
		host = "localhost"
	}
	return anyWord(hosts, func(pattern string) bool {
		pattern = strings.ToLower(pattern)
		if parent, ok := cutPrefix(pattern, "*."); ok {
			return host == parent || hasSuffix(host, "."+parent)
		}
		return host == pattern
	})
}
