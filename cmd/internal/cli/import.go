// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/toolvet/toolvet/cmd/internal/clientconfig"
	"github.com/toolvet/toolvet/cmd/internal/hook/install"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/regular"
	"github.com/toolvet/toolvet/internal/terminal"
)

// importFlags are the flags of "toolvet import".
type importFlags struct {
	out   string
	proxy bool
}

func (a *app) importCommand() *cobra.Command {
	var flags importFlags
	cmd := &cobra.Command{
		Use:   "import [flags] [FILE...]",
		Short: "Copy servers from the configuration of an MCP client into a policy",
		Long: `Copy servers from the configuration of an MCP client into a policy:
claude_desktop_config.json, .mcp.json, and the mcp.json of Cursor and VS Code, with or
without comments; Codex's config.toml, goose's config.yaml and opencode.json. Without files,
import reads those that 'toolvet setup' finds, for this directory and for you.

Servers that are already in the policy stay as they are. Import copies no value that may
be a secret: the policy refers to an environment variable, ${NAME}, and import names it.

With --proxy, import also changes the files: each server runs behind 'toolvet proxy' with
the policy, one behind a URL too. The client's file still gives each server its values, so
nothing has to be set. A copy of each file stays beside it. 'toolvet setup' needs no policy.`,
		Example: `  toolvet import
  toolvet import -o - .vscode/mcp.json
  toolvet import --proxy ~/.cursor/mcp.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case flags.proxy && len(args) == 0:
				return usageError(cmd, "--proxy changes files: name them")
			case flags.proxy && flags.out == "-":
				return usageError(cmd, "--proxy needs a policy in a file: -o - prints it")
			}
			return a.importServers(flags, args)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&flags.out, "out", "o", policyFile, "policy `FILE` to write, or to add to; - prints a new one")
	f.BoolVar(&flags.proxy, "proxy", false, "put the servers of the files behind toolvet")
	return cmd
}

func (a *app) importServers(flags importFlags, files []string) error {
	defer a.working("importing")()
	reader, err := newImportReader()
	if err != nil {
		return err
	}
	m, err := openMerge(a.checks, flags.out)
	if err != nil {
		return err
	}
	imported := map[string]map[string]*clientconfig.Server{} // per file: the servers by their names in the file
	for _, file := range files {
		if imported[file], err = a.importFile(reader, m, file, flags.proxy); err != nil {
			return err
		}
	}
	if len(files) == 0 {
		if err := a.importFound(reader, m); err != nil {
			return err
		}
	}
	if err := a.writeMerged(flags.out, m); err != nil {
		return err
	}
	if !flags.proxy {
		if len(m.unset) > 0 {
			a.warn("set %s before you start toolvet: not set here", strings.Join(m.unset, ", "))
		}
		return nil
	}
	policyPath, err := filepath.Abs(flags.out)
	if err != nil {
		return fmt.Errorf("naming the policy: %w", err)
	}
	for _, file := range files {
		if err := a.putBehind(file, policyPath, imported[file]); err != nil {
			return err
		}
	}
	return nil
}

// importFound adds the servers of the clients' configurations. Those were not asked for, so one that cannot be read does not hide the others.
func (a *app) importFound(reader *clientconfig.Reader, m *merge) error {
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("finding this directory: %w", err)
	}
	home, homeErr := os.UserHomeDir()
	config, configErr := os.UserConfigDir()
	if err := errors.Join(homeErr, configErr); err != nil {
		return enforce.WithHint(fmt.Errorf("finding the configurations of clients: %w", err), "name a file")
	}
	some := false
	var looked []string
	for _, place := range (clientconfig.Surroundings{Dir: dir, Home: home, Config: config, Getenv: os.Getenv}).Places() {
		if slices.Contains(looked, place.File) { // in the home directory, the project's file is the user's
			continue
		}
		looked = append(looked, place.File)
		if _, err := os.Stat(place.File); err != nil {
			continue
		}
		var found *clientconfig.Config
		data, err := readRegular(place.File)
		switch {
		case err == nil && len(bytes.TrimSpace(data)) == 0:
			continue
		case err == nil:
			found, err = reader.ReadOf(place.ID, data)
		}
		if err != nil {
			a.warn("%s: left out: %v", place.File, pathless(err))
			continue
		}
		some = some || len(found.Servers)+len(found.Left) > 0
		a.importServersOf(m, place.File, found, false)
	}
	if !some {
		return enforce.WithHint(errors.New("no configuration of a client has servers"), "name a file; looked for %s", strings.Join(looked, ", "))
	}
	return nil
}

func newImportReader() (*clientconfig.Reader, error) {
	workspace, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("finding this directory: %w", err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, fmt.Errorf("finding your home directory: %w", err)
	}
	return clientconfig.NewReader(clientconfig.Options{Workspace: workspace, Home: home, Variables: variablesOf})
}

// maxSettings bounds the configuration of a client, in bytes.
const maxSettings = 8 << 20

func readSmall(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSettings+1))
	if err == nil && len(data) > maxSettings {
		err = fmt.Errorf("it is larger than %d MiB", maxSettings>>20)
	}
	return data, err
}

// readRegular is readSmall for a file that nobody has named.
func readRegular(file string) ([]byte, error) { return regular.Read(file, maxSettings) }

var envLine = lazyregexp.New(`(?m)^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=`)

// variablesOf returns the names of the variables in an env file.
func variablesOf(file string) ([]string, error) {
	data, err := readSmall(file)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range envLine.FindAllSubmatch(data, -1) {
		if name := string(m[1]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// importFile adds the servers of a file, and returns them by their names in the file. It gives no advice on variables if the file goes
// on to give them.
func (a *app) importFile(reader *clientconfig.Reader, m *merge, file string, quiet bool) (map[string]*clientconfig.Server, error) {
	data, err := readSmall(file)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, pathless(err))
	}
	config, err := reader.Read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return a.importServersOf(m, file, config, quiet), nil
}

// importServersOf adds the servers of a file that was read.
func (a *app) importServersOf(m *merge, file string, config *clientconfig.Config, quiet bool) map[string]*clientconfig.Server {
	for _, why := range config.Left {
		a.warn("%s: left out: %s", file, why)
	}
	imported := map[string]*clientconfig.Server{}
	for _, s := range config.Servers {
		added, err := m.add(s)
		if err != nil {
			a.warn("%s: %s: left out: %v", file, oneLine(s.Given, maxDescription), err)
			continue
		}
		imported[s.Given] = s
		if !added || quiet {
			continue
		}
		for _, note := range s.Notes {
			a.warn("%s: %s", s.Name, note)
		}
		m.lacks(s)
	}
	return imported
}

// writeMerged writes the policy if it has changed.
func (a *app) writeMerged(out string, m *merge) error {
	text, err := m.text()
	if err != nil {
		return err
	}
	switch {
	case out == "-":
		_, err := a.stdout.Write(text)
		return err
	case len(m.added) == 0:
		has := ""
		if len(m.there) > 0 {
			has = ": it has " + strings.Join(m.there, ", ")
		}
		_, err := terminal.Fprintf(a.stdout, "%s: nothing to add%s\n", out, has)
		return err
	}
	if err := replaceFile(out, text); err != nil {
		return err
	}
	_, err = terminal.Fprintf(a.stdout, "%s: added %s; 'toolvet policy lint --start' tells what is left open, 'toolvet servers' how they stand\n", out, strings.Join(m.added, ", "))
	return err
}

// putBehind changes a client's file, and keeps a copy of it.
func (a *app) putBehind(file, policyPath string, imported map[string]*clientconfig.Server) error {
	if len(imported) == 0 { // there may be no policy, then
		_, err := terminal.Fprintf(a.stdout, "%s: no server to put behind toolvet\n", file)
		return err
	}
	program, err := a.hookProgram(hookInstallFlags{})
	if err != nil {
		return err
	}
	data, err := readSmall(file)
	if err != nil {
		return fmt.Errorf("reading %s: %w", file, pathless(err))
	}
	text, err := os.ReadFile(policyPath)
	if err != nil {
		return fmt.Errorf("reading the policy: %w", err)
	}
	changed, done, left, err := clientconfig.Behind(data, func(given string) *clientconfig.Wrap {
		s, ok := imported[given]
		if !ok {
			return nil
		}
		if err := a.reaches(policyPath, text, s); err != nil {
			a.warn("%s: %s stays as it is: %v", file, oneLine(given, 64), err)
			return nil
		}
		return &clientconfig.Wrap{Words: []string{program.Program, "proxy", "--policy", policyPath, "--server", s.Name}, Env: s.Needs}
	})
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, why := range left {
		a.warn("%s: stays as it is: %s", file, why)
	}
	if len(done) == 0 {
		_, err := terminal.Fprintf(a.stdout, "%s: no server to put behind toolvet\n", file)
		return err
	}
	kept, err := keepCopy(file, data)
	if err != nil {
		return err
	}
	if err := replaceFile(file, changed); err != nil {
		return err
	}
	_, err = terminal.Fprintf(a.stdout, "%s: behind toolvet: %s; as it was: %s\n", file, oneLine(strings.Join(done, ", "), 400), kept)
	return err
}

// reaches reports a server of the policy that could not run with the variables of its entry and our own: the policy may be older than
// the entry.
func (a *app) reaches(file string, text []byte, s *clientconfig.Server) error {
	lookup := func(name string) (string, bool) {
		if slices.ContainsFunc(s.Needs, func(v clientconfig.Variable) bool { return v.Name == name }) {
			return unknownValue, true
		}
		return os.LookupEnv(name)
	}
	p, err := policy.ParseFor(s.Name, lookup, file, text, a.checks.Demands()...)
	if err != nil {
		return err
	}
	_, err = p.Server(s.Name).Environ(lookup)
	return err
}

// unknownValue stands for the value of a variable. It is valid wherever an imported server has one.
const unknownValue = "https://variable.invalid/"

// keepCopy writes a copy of a file beside it, and never over another.
func keepCopy(file string, data []byte) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", fmt.Errorf("keeping a copy of %s: %w", file, err)
	}
	for n := 1; ; n++ {
		name := file + ".toolvet-backup"
		if n > 1 {
			name = fmt.Sprintf("%s.%d", name, n)
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
		if errors.Is(err, fs.ErrExist) && n < 1000 {
			continue
		}
		if err == nil {
			_, err = f.Write(data)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			return "", fmt.Errorf("keeping a copy of %s: %w", file, err)
		}
		return name, nil
	}
}

// replaceFile replaces a file as a whole, and keeps its permissions and its owner.
func replaceFile(file string, data []byte) error {
	mode := fs.FileMode(0o644)
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target // a link stays a link
	}
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	if err := install.WriteFile(file, data, mode, nil); err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	return nil
}

// A merge adds servers to a policy.
type merge struct {
	checks  enforce.Checks
	file    string
	before  []byte
	policy  *policy.Policy
	entries []string
	added   []string
	there   []string // that the policy has already
	unset   []string // variables of servers that were added, of which no note speaks
}

// lacks notes the variables of a server that are not set.
func (m *merge) lacks(s *clientconfig.Server) {
	for _, v := range s.Needs {
		noted := slices.ContainsFunc(s.Notes, func(note string) bool {
			return slices.Contains(strings.FieldsFunc(note, func(r rune) bool { return r == ' ' || r == ',' }), v.Name)
		})
		if _, set := os.LookupEnv(v.Name); !set && !noted && !slices.Contains(m.unset, v.Name) {
			m.unset = append(m.unset, v.Name)
		}
	}
}

// openMerge reads the policy. A missing file is an empty policy.
func openMerge(checks enforce.Checks, file string) (*merge, error) {
	m := &merge{checks: checks, file: file, before: []byte("version: 1\n")}
	if file != "-" {
		data, err := os.ReadFile(file)
		switch {
		case err == nil:
			m.before = data
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("reading the policy: %w", err)
		}
	}
	var err error
	m.policy, err = m.parse(file, m.before)
	return m, err
}

// parse reads a policy as if all its variables were set.
func (m *merge) parse(file string, text []byte) (*policy.Policy, error) {
	set := func(name string) (string, bool) {
		if v, ok := os.LookupEnv(name); ok {
			return v, true
		}
		return unknownValue, true
	}
	return policy.ParseWith(set, file, text, m.checks.Demands()...)
}

// add adds a server, unless the policy already has the same.
func (m *merge) add(s *clientconfig.Server) (added bool, err error) {
	entry := serverEntry(s)
	alone, err := m.parse("the server", []byte("version: 1\nservers:\n"+entry))
	var wrong policy.Errors
	if errors.As(err, &wrong) {
		return false, errors.New(wrong[0].Message) // without the line
	}
	if err != nil {
		return false, err
	}
	known := m.policy.Servers
	if i := slices.IndexFunc(known, func(k *policy.Server) bool { return k.Name == s.Name }); i >= 0 {
		if k, n := known[i], alone.Servers[0]; !slices.Equal(k.Command, n.Command) || k.URL != n.URL {
			return false, errors.New("the policy keeps its own server of this name: give this one another name in the file, and import it again")
		}
		m.there = append(m.there, s.Name)
		return false, nil
	}
	m.policy.Servers = append(m.policy.Servers, alone.Servers[0])
	m.entries, m.added = append(m.entries, entry), append(m.added, s.Name)
	return true, nil
}

// serverEntry writes a server in YAML, indented by two spaces.
func serverEntry(s *clientconfig.Server) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %s:\n", key(s.Name))
	if s.URL != "" {
		fmt.Fprintf(&b, "    url: %s\n", quoted(s.URL))
	} else {
		words := make([]string, len(s.Command))
		for i, word := range s.Command {
			words[i] = quoted(word)
		}
		fmt.Fprintf(&b, "    command: [%s]\n", strings.Join(words, ", "))
	}
	writePairs(&b, "    env:\n", "      ", s.Env)
	if s.Dir != "" {
		fmt.Fprintf(&b, "    dir: %s\n", quoted(s.Dir))
	}
	writePairs(&b, "    credentials:\n      header:\n", "        ", s.Headers)
	return b.String()
}

func writePairs(b *strings.Builder, head, indent string, list []clientconfig.Variable) {
	for i, v := range list {
		if i == 0 {
			b.WriteString(head)
		}
		fmt.Fprintf(b, "%s%s: %s\n", indent, key(v.Name), quoted(v.Value))
	}
}

var (
	serversKey = lazyregexp.New(`(?m)^servers:[ \t]*(#.*)?\r?$`)
	nested     = lazyregexp.New(`^( +)[^ #\r\n]`)
)

// text returns the policy with the added servers behind the others.
func (m *merge) text() ([]byte, error) {
	if len(m.entries) == 0 {
		return m.before, nil
	}
	text := bytes.TrimRight(m.before, " \t\r\n")
	text = append(slices.Clone(text), '\n')
	var at int
	indent := "  "
	if found := serversKey.FindIndex(text); found != nil {
		at, indent = endOfBlock(text, found[1]+1)
	} else {
		text = append(text, "servers:\n"...)
		at = len(text)
	}
	var entries bytes.Buffer
	for line := range strings.Lines(strings.Join(m.entries, "")) {
		entries.WriteString(indent + strings.TrimPrefix(line, "  "))
	}
	text = slices.Concat(text[:at], entries.Bytes(), text[at:])
	merged, err := m.parse(m.file, text)
	if err != nil || len(merged.Servers) != len(m.policy.Servers) {
		return nil, enforce.WithHint(fmt.Errorf("toolvet cannot add servers to %s in its present form, and leaves it as it is", m.file),
			"write its servers as a block, each name on a line of its own, or have a new policy printed with -o -")
	}
	return text, nil
}

// endOfBlock returns the end of the block that begins at from, and the indentation of its keys.
func endOfBlock(text []byte, from int) (end int, indent string) {
	end, indent = from, ""
	offset := from
	for line := range bytes.Lines(text[from:]) {
		offset += len(line)
		m := nested.FindSubmatch(line)
		switch {
		case m != nil:
			end = offset
			if indent == "" {
				indent = string(m[1])
			}
		case len(bytes.TrimSpace(line)) > 0 && line[0] != ' ' && line[0] != '#':
			return end, max(indent, "  ")
		}
	}
	return end, max(indent, "  ")
}
