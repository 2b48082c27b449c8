// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A profile lists the options that make a program do more than its name says.
type profile struct {
	// valued are its short options with a value, so that a cluster such as -xzfI ends there.
	valued string
	// abbreviates says that a long option may be cut as long as it is unique.
	abbreviates bool
	// runs are options that start other programs or run code, wipes delete or overwrite, and
	// reaches send to an address of the caller's choice. An option that begins with one dash and
	// has several letters is a word of its own; words without a dash are subcommands, and a colon
	// limits an option to one.
	runs, wipes, reaches string
	// warns are options whose harm is the program's usual purpose.
	warns string
}

var profiles = map[string]profile{
	// archives and copies
	"tar":    {valued: "fCTXbgHKLNV", abbreviates: true, runs: "-I -F --to-command --checkpoint-action --use-compress-program --info-script --new-volume-script --rsh-command --rmt-command"},
	"bsdtar": {valued: "fCTX", runs: "--use-compress-program"},
	"cpio":   {valued: "FHIOCEMR", abbreviates: true, runs: "--rsh-command"},
	"zip":    {valued: "btni", runs: "-TT --unzip-command"},
	"7z":     {runs: "-t:exec"},
	"rsync":  {valued: "efTBM", runs: "-e -M --rsh --rsync-path --daemon --remote-option --write-batch --early-input"},
	"scp":    {valued: "cFiJloPSX", runs: "-S -F -D"},
	"sftp":   {valued: "BbcDFiJloPRSs", runs: "-S -F -D -b -s"},
	"ssh":    {valued: "BbcDEeFIiJLlmOopQRSWw", runs: "-F -E", reaches: "-D -L -R -W -w"},
	"mosh":   {runs: "--server"},
	// editors and pagers
	"vi": {valued: "cSsTuUiwWtpq", runs: "-c --cmd -S -s -u -U"}, "emacs": {runs: "--eval -eval --execute -f --funcall -l --load --script"},
	"less": {valued: "", runs: "--lesskey-content --lesskey-src"}, "nano": {valued: "s", runs: "-s --speller"},
	"man":    {valued: "CRLmMSserEpPH", abbreviates: true, runs: "-H -P -C -T --html --pager --config-file --preprocessor"},
	"hg":     {runs: "--config --cwd=/ --debugger"},
	"svn":    {runs: "--config-option --diff-cmd --diff3-cmd --editor-cmd --config-dir"},
	"sqlite": {valued: "", runs: "-cmd -init .shell .system"}, "sqlite3": {runs: "-cmd -init .shell .system .load"},
	// finding and text
	"find":  {runs: "-exec -execdir -ok -okdir", wipes: "-delete -fprint -fprint0 -fprintf -fls"},
	"bfs":   {runs: "-exec -execdir -ok -okdir", wipes: "-delete -fprint -fprint0 -fprintf -fls"},
	"awk":   {valued: "FvfieEl", runs: "-f -e -E -i -l --file --exec --include --load --source"},
	"sed":   {valued: "efliE", abbreviates: true, runs: "-f --file"},
	"sort":  {valued: "kotST", abbreviates: true, runs: "--compress-program"},
	"split": {valued: "abClnt", abbreviates: true, runs: "--filter"},
	"rg":    {runs: "--pre --hostname-bin"},
	"ag":    {runs: "--pager"}, "ack": {runs: "--pager --ackrc"},
	"ctags": {runs: "--options"},
	// networks
	"curl":    {valued: "AbcCdDeEFhHKmoPQrtTuUwxXyYz", runs: "-K --config --engine", reaches: "--unix-socket --abstract-unix-socket --preproxy --connect-to"},
	"wget":    {valued: "aeoitOTwQPUlADIRXB", abbreviates: true, runs: "-e --execute --use-askpass --config", reaches: "--post-file --body-file"},
	"tcpdump": {valued: "BcCDEFGijKmMrsTVwWyzZ", runs: "-z -Z --postrotate-command"},
	"nmap":    {runs: "--resume --datadir --servicedb"},
	"openssl": {runs: "-engine -provider -provider-path -passin=fd engine"},
	"mail":    {runs: "-S"}, "sendmail": {runs: "-C -X -be"},
	"openvpn": {runs: "--up --down --script-security --plugin --config --tls-verify --route-up"},
	// building
	"go":    {runs: "-exec -toolexec -vettool -overlay -C=/ -modfile tool:-exec generate"},
	"make":  {valued: "CfIojlW", abbreviates: true, runs: "--eval -E SHELL"},
	"cargo": {runs: "--config"},
	"npm":   {runs: "--script-shell --node-options --init-module --editor --git --viewer exec explore set-script", wipes: "publish unpublish", reaches: "--registry"},
	"npx":   {runs: "-c --call --shell"},
	"yarn":  {runs: "exec --use-yarnrc", wipes: "npm:publish publish unpublish", reaches: "--registry"},
	"pnpm":  {runs: "exec --script-shell --shell-mode", wipes: "publish unpublish"},
	"pip":   {valued: "ricetdbw", runs: "--global-option --install-option --build-option --python", reaches: "-i -f --index-url --extra-index-url --find-links --trusted-host --proxy"},
	"gem":   {wipes: "yank", reaches: "--source"},
	"mvn":   {runs: "exec:exec exec:java --settings -s"},
	"gcc":   {runs: "-wrapper -specs -fplugin"}, "clang": {runs: "-wrapper -specs -fplugin -Xclang -load"},
	"ld":   {runs: "-plugin --plugin"},
	"dpkg": {valued: "D", runs: "--pre-invoke --post-invoke --admindir --root"},
	"apt":  {valued: "aoct", runs: "-o -c --option --config-file"},
	"rpm":  {runs: "-E --eval --define --pipe --load --rcfile --macros"},
	"yum":  {runs: "-c --config --pluginpath --setopt"},
	// containers, clusters, clouds
	"docker":  {valued: "Hlcvepuwm", runs: "-H -c --host --context --config --privileged --pid --ipc --userns --cap-add --device --security-opt --volumes-from --cgroup-parent exec attach plugin", wipes: "prune"},
	"kubectl": {valued: "nfolcsR", runs: "exec attach debug --kubeconfig --server -s --as --token plugin", wipes: "delete drain", reaches: "proxy"},
	"gcloud":  {runs: "ssh scp --configuration --flags-file", wipes: "delete destroy disable remove-iam-policy-binding"},
	"aws":     {runs: "ssm:start-session execute-command send-command --cli-input-json", wipes: "terminate-instances terminate-environment delete-stack delete-db-instance delete-db-cluster delete-cluster delete-bucket delete-file-system delete-hosted-zone rb deregister-task-definition schedule-key-deletion", reaches: "--endpoint-url"},
	"helm":    {runs: "--post-renderer plugin", wipes: "uninstall delete"},
	// other
	"systemctl": {runs: "link edit set-environment -H --host", warns: "poweroff reboot halt kexec rescue emergency soft-reboot isolate"},
	"gpg":       {runs: "--exec-path --photo-viewer --keyserver-options --options --agent-program --load-extension", wipes: "--delete-secret-keys --delete-keys"},
	"gs":        {runs: "-dNOSAFER"},
	"sshfs":     {runs: "-o"}, "crontab": {runs: "-e -r"},
	"mysql":  {valued: "DehPpSu", runs: "--pager --plugin-dir --init-command --tee --defaults-file --defaults-extra-file"},
	"java":   {runs: "-agentlib -agentpath -javaagent -XX:OnError -XX:OnOutOfMemoryError"},
	"tshark": {runs: "-X"}, "cmake": {runs: "-P -E"},
	"chromium": {runs: "--renderer-cmd-prefix --gpu-launcher --utility-cmd-prefix --no-sandbox --load-extension --browser-subprocess-path"},
	"mutt":     {runs: "-e -F"}, "pdflatex": {runs: "-shell-escape --shell-escape -enable-write18"},
	"code": {runs: "--install-extension --extensions-dir"},
	"gdb":  {runs: "-ex -eval-command --eval-command -x --command -command -iex --init-eval-command"}, "ip": {valued: "bn", runs: "exec -batch"},
	"env": {valued: "uC", runs: "-S --split-string"}, "terraform": {warns: "destroy"}, "vagrant": {warns: "destroy"},
}

// sameAs are programs with the options of another.
var sameAs = map[string]string{
	"gtar": "tar", "vim": "vi", "nvim": "vi", "view": "vi", "ex": "vi", "rvim": "vi", "vimdiff": "vi", "gvim": "vi", "rview": "vi",
	"gawk": "awk", "mawk": "awk", "nawk": "awk", "gsed": "sed", "gfind": "find", "gmake": "make", "pip3": "pip", "pipx": "pip",
	"slogin": "ssh", "autossh": "ssh", "podman": "docker", "nerdctl": "docker", "oc": "kubectl", "k": "kubectl", "apt-get": "apt", "dnf": "yum",
	"gpg2": "gpg", "mariadb": "mysql", "google-chrome": "chromium", "chrome": "chromium", "msedge": "chromium", "chromium-browser": "chromium", "microsoft-edge": "chromium",
	"xelatex": "pdflatex", "lualatex": "pdflatex", "pdftex": "pdflatex", "tex": "pdflatex", "latex": "pdflatex", "g++": "gcc", "cc": "gcc", "c++": "gcc", "clang++": "clang", "most": "less", "more": "less",
}

func profileOf(program string) profile {
	if other, ok := sameAs[program]; ok {
		program = other
	}
	return profiles[program]
}

// options judges the words of a program by its profile, and by code for the rest.
func (j *judge) options(program string, s simple) {
	p := profileOf(program)
	j.group(p, p.runs, interpreter, "makes the program start another one, run code or load settings", s)
	j.group(p, p.wipes, destructive, "makes the program delete, overwrite or publish", s)
	j.group(p, p.reaches, network, "makes the program send to or fetch from an address of the caller's choice", s)
	j.warnings(p, s)
	if code, ok := codeOptions(program); ok {
		j.group(code, code.runs, interpreter, "gives the program code to run", s)
	}
	for _, special := range specials {
		if special.programs[program] {
			special.judge(j, s)
		}
	}
	if i := scriptIn(program, s.words); i > 0 {
		j.refuse(s.element(i), interpreter, s.place(i)+"makes the program run a file from a world-writable directory")
	}
}

// warnings tells what people do with a program in good faith, and cannot take back.
func (j *judge) warnings(p profile, s simple) {
	for i, w := range s.words {
		if i > 0 && !j.allow[destructive] && p.warns != "" && p.holds(p.warns, w, s.words) {
			j.add(s.element(i), check.Finding{Severity: check.Warning, Message: s.place(i) + "stops or destroys something for good", Suggestion: mends[destructive]})
		}
	}
}

// element is where a fault in a word is told.
func (s simple) element(i int) int {
	if s.array {
		return s.offset + i
	}
	return -1
}

// place names a word of a line; an element of an array has a pointer of its own.
func (s simple) place(i int) string {
	if s.array {
		return ""
	}
	return fmt.Sprintf("word %d ", s.offset+i+1)
}

func (j *judge) group(p profile, options, kind, what string, s simple) {
	if options == "" || j.allow[kind] {
		return
	}
	for i, w := range s.words {
		if w == "--" {
			return
		}
		if i == 0 || !p.holds(options, w, s.words) || kind == interpreter && plainTransport(s.words, i) {
			continue
		}
		j.refuse(s.element(i), kind, s.place(i)+what)
	}
}

// holds reports whether a word is one of the options.
func (p profile) holds(options, word string, words []string) bool {
	for option := range strings.FieldsSeq(options) {
		if sub, rest, limited := strings.Cut(option, ":"); limited && rest != "" && (rest[0] == '-' || sub == "ssm" || sub == "npm") {
			if len(words) < 2 || words[1] != sub {
				continue
			}
			option = rest
		}
		if p.is(option, word) {
			return true
		}
	}
	return false
}

func (p profile) is(option, word string) bool {
	switch {
	case len(option) == 2 && option[0] == '-':
		return len(word) > 1 && word[0] == '-' && word[1] != '-' && clustered(word[1:], option[1], p.valued)
	case option[0] != '-':
		return word == option || strings.HasPrefix(word, option+"=") && option == "SHELL"
	}
	name, _, _ := strings.Cut(word, "=")
	if name == option || strings.HasPrefix(option, "-XX") && strings.HasPrefix(word, option) || strings.HasPrefix(word, option+":") {
		return true
	}
	return p.abbreviates && strings.HasPrefix(option, "--") && len(name) > 3 && strings.HasPrefix(option, name) && name != "--checkpoint" && name != "--file"
}

// clustered reports whether a short option stands in a cluster, before the value of
// another ends it.
func clustered(cluster string, option byte, valued string) bool {
	for i := range len(cluster) {
		if cluster[i] == option {
			return true
		}
		if strings.IndexByte(valued, cluster[i]) >= 0 || cluster[i] == '=' {
			return false
		}
	}
	return false
}

var sshCommand = lazyregexp.New(`^(--?[a-z]+=|core\.sshcommand=)?(/usr/bin/)?ssh(?: -(?:[46CTNqvx]+|i ?[\w./~-]+|p ?\d+|l ?\w+|o ?(?:StrictHostKeyChecking|UserKnownHostsFile|IdentitiesOnly|BatchMode|ConnectTimeout|ServerAliveInterval|Port|User|IdentityFile)[= ][\w./~-]+))*$`)

// plainTransport reports whether an option for the transport program names ssh itself, without
// options that run another program.
func plainTransport(words []string, i int) bool {
	word := words[i]
	if word == "-e" || word == "--rsh" || word == "-c" {
		if i+1 >= len(words) {
			return false
		}
		return sshCommand.MatchString(strings.Replace(words[i+1], "core.sshCommand=", "core.sshcommand=", 1))
	}
	return (strings.HasPrefix(word, "--rsh=") || strings.HasPrefix(word, "--ssh=")) && sshCommand.MatchString(word)
}
