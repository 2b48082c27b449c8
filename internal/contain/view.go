// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package contain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/machine/sandbox"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/subpath"
)

// system lists the directories of the machine's programs, libraries and their settings.
var system = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu", "/snap"}

// Places below the home directory.
var (
	// tools are where version managers and installers keep programs.
	tools = []string{
		".local/bin", ".local/lib", ".local/share/uv", ".local/share/pipx", ".local/pipx", ".local/share/mise", ".local/share/fnm", ".local/share/pnpm",
		".nvm", ".volta", ".fnm", ".bun", ".deno", ".pyenv", ".rbenv", ".asdf", ".sdkman", ".rustup", ".cargo/bin", ".dotnet", ".npm-global", "go/bin", "go/pkg/mod",
		".cache/ms-playwright", ".cache/puppeteer",
	}
	// caches are where launchers keep packages, and write as they start one.
	caches = []string{".npm", ".cache/uv", ".cache/pip", ".cache/deno", ".cache/go-build"}
	// drafts are where programs keep what they can make anew.
	drafts = []string{".cache", ".config", ".local/state"}
	// secrets are files and directories with credentials.
	secrets = []string{
		".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", ".my.cnf", ".vault-token", ".password-store",
		".terraform.d", ".config/gcloud", ".config/gh", ".config/glab-cli", ".config/hub", ".config/op", ".config/sops", ".config/containers", ".config/rclone", ".config/doctl",
		".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge", ".mozilla", ".thunderbird", ".local/share/keyrings", ".cargo/credentials.toml", ".bash_history",
		".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history",
	}
)

// systemSecrets are files and directories of the machine with credentials.
var systemSecrets = []string{
	"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssl/private", "/etc/pki/tls/private", "/etc/ssh", "/etc/krb5.keytab",
	"/etc/kubernetes", "/etc/rancher", "/etc/wireguard", "/etc/openvpn", "/etc/ppp", "/etc/NetworkManager", "/etc/netplan", "/etc/wpa_supplicant", "/etc/letsencrypt", "/etc/docker",
}

// programVariables name files and directories of programs, or lists of them.
var programVariables = []string{
	"PATH", "NODE_PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYENV_ROOT", "CONDA_PREFIX", "NVM_DIR", "npm_config_prefix", "BUN_INSTALL", "PNPM_HOME", "VOLTA_HOME",
	"UV_PYTHON_INSTALL_DIR", "UV_TOOL_DIR", "GOROOT", "GEM_HOME", "GEM_PATH", "JAVA_HOME", "DOTNET_ROOT", "PLAYWRIGHT_BROWSERS_PATH", "LD_LIBRARY_PATH",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "PERL5LIB", "RUBYLIB",
}

// cacheVariables name the caches of launchers.
var cacheVariables = []string{"npm_config_cache", "UV_CACHE_DIR", "DENO_DIR", "GOCACHE", "PIP_CACHE_DIR"}

// A viewer collects the places of a view.
type viewer struct {
	home string // "": there is none
	env  map[string]string
	view sandbox.View
}

// Places returns what a server in walls may change, and what it may read, besides programs and its own files: its roots are for
// changes unless the walls name other places for them.
func Places(walls *policy.Containment, roots []string) (write, read []string) {
	if walls.Write == nil {
		return roots, walls.Read
	}
	return walls.Write, slices.Concat(walls.Read, roots)
}

// Words tells people what a server with such places sees.
func Words(write, read []string) string {
	write, read = started(write, "the directory in which it starts"), started(read, "the directory in which it starts")
	words := "sees programs and its own files"
	if len(write) > 0 {
		words += ", may change " + strings.Join(write, ", ")
	}
	if len(read) > 0 {
		words += ", may read " + strings.Join(read, ", ")
	}
	return words
}

// started puts the directory in which a server starts in the place of ".".
func started(places []string, dir string) []string {
	places = slices.Clone(places) // nil stays nil
	for i := range places {
		if places[i] == "." {
			places[i] = dir
		}
	}
	return places
}

// ViewOf derives the view of a server from its walls, its roots and its command.
func ViewOf(cfg *Config) (*sandbox.View, error) {
	v, err := viewerOf(cfg)
	if err != nil {
		return nil, err
	}
	return &v.view, nil
}

func viewerOf(cfg *Config) (*viewer, error) {
	if cfg.Dir == "" {
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		cfg.Dir = dir
	}
	v := &viewer{env: map[string]string{}}
	for _, variable := range cfg.Env {
		name, value, _ := strings.Cut(variable, "=")
		v.env[name] = value
	}
	if filepath.IsAbs(v.env["HOME"]) && filepath.Clean(v.env["HOME"]) != "/" {
		v.home = v.real(filepath.Clean(v.env["HOME"]))
	}
	walls := cfg.Walls
	if named := slices.Concat(walls.Write, walls.Read); slices.Contains(named, ".") {
		// a client that starts the server in the home directory chose nothing
		if dir := follow(filepath.Clean(cfg.Dir), func(string) {}); v.wide(dir) {
			return nil, fmt.Errorf("it may see the directory in which it starts, and %s is more than a project: start it in one, or name one as the server's dir in the policy", dir)
		}
		walls.Write, walls.Read = started(walls.Write, cfg.Dir), started(walls.Read, cfg.Dir)
	}
	write, read := Places(&walls, cfg.Roots)
	for _, path := range write {
		if err := v.add(&v.view.Write, path); err != nil {
			return nil, fmt.Errorf("it may write to %s, but %w", path, err)
		}
	}
	for _, path := range write { // now that all are known
		if err := v.steady(path); err != nil {
			return nil, fmt.Errorf("it may write to %s, but %w", path, err)
		}
	}
	for _, path := range read {
		if err := errors.Join(v.steady(path), v.add(&v.view.Read, path)); err != nil {
			return nil, fmt.Errorf("it may read %s, but %w", path, err)
		}
	}
	for _, path := range cfg.Keep {
		if link, real := v.way(path); link != "" || v.writable(real) {
			return nil, fmt.Errorf("it could change %s, which belongs to its policy: move that file out of the directories that the server may write to, or name smaller ones in contain: write", path)
		}
	}
	v.programs(cfg)
	cfg.Dir = v.real(filepath.Clean(cfg.Dir))
	v.view.Scratch = []string{v.real("/tmp"), v.real("/var/tmp")}
	if dir := v.env["TMPDIR"]; filepath.IsAbs(dir) {
		v.view.Scratch = append(v.view.Scratch, v.real(filepath.Clean(dir)))
	}
	if v.home != "" {
		for _, name := range drafts {
			v.view.Scratch = append(v.view.Scratch, filepath.Join(v.home, name))
		}
	}
	if err := v.hide(); err != nil {
		return nil, err
	}
	return v, nil
}

// programs adds the places of the system's programs, those of launchers, and the server's own code.
func (v *viewer) programs(cfg *Config) {
	for _, dir := range system {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() { // the sandbox shows links as they are
			v.view.Programs = append(v.view.Programs, dir)
		}
	}
	for _, name := range cacheVariables {
		v.try(&v.view.Caches, v.env[name])
	}
	for _, name := range programVariables {
		for _, path := range filepath.SplitList(v.env[name]) {
			if v.steady(path) != nil {
				continue
			}
			v.try(&v.view.Programs, v.beside(path))
			v.try(&v.view.Programs, path)
		}
	}
	if v.home != "" {
		for _, name := range caches {
			v.try(&v.view.Caches, filepath.Join(v.home, name))
		}
		for _, name := range tools {
			v.try(&v.view.Programs, filepath.Join(v.home, name))
		}
	}
	v.own(cfg)
}

// own adds the code of the server: its program, and the files and directories in its arguments.
func (v *viewer) own(cfg *Config) {
	program := cfg.Command[0]
	if !strings.Contains(program, "/") {
		for _, dir := range filepath.SplitList(v.env["PATH"]) {
			path := filepath.Join(dir, program)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				program = path
				break
			}
		}
	}
	for i, word := range append([]string{program}, cfg.Command[1:]...) {
		if flag, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(flag, "-") {
			word = value
		}
		if word == "" || i > 0 && !strings.ContainsAny(word, "/.") {
			continue
		}
		if !filepath.IsAbs(word) {
			word = filepath.Join(cfg.Dir, word)
		}
		if v.steady(word) != nil {
			continue
		}
		v.try(&v.view.Programs, word)
		for path := word; path != ""; path = target(path) { // a link may lead to another project
			v.try(&v.view.Programs, v.project(path))
		}
	}
}

// target returns where a symbolic link leads; "" for others.
func target(path string) string {
	to, err := os.Readlink(path)
	if err != nil {
		return ""
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(path), to)
	}
	return to
}

// markers are files and directories in the directory of a project.
var markers = []string{"package.json", "pyproject.toml", "setup.py", "go.mod", "Cargo.toml", "pyvenv.cfg", "deno.json", "Gemfile", "node_modules"}

// project returns the directory of the project to which a file of code belongs: with the packages beside it, the
// nearest directory that looks like one, or that of the file. "" stands for none that may be shown as a whole.
func (v *viewer) project(file string) string {
	file, err := filepath.EvalSymlinks(file)
	if err != nil {
		return ""
	}
	if before, _, ok := strings.Cut(file, "/node_modules/"); ok && !v.wide(before) {
		return before
	}
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	first := filepath.Dir(file)
	for dir := first; !v.wide(dir); dir = filepath.Dir(dir) {
		if slices.ContainsFunc(markers, func(name string) bool { _, err := os.Lstat(filepath.Join(dir, name)); return err == nil }) {
			return dir
		}
	}
	if dir := v.beside(first); dir != "" {
		return dir
	}
	if v.wide(first) {
		return ""
	}
	return first
}

// beside returns the directory with the libraries of a directory of programs; "" if there is none.
func (v *viewer) beside(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil && slices.Contains([]string{"bin", "sbin", "shims", ".bin"}, filepath.Base(real)) && !v.wide(filepath.Dir(real)) {
		return filepath.Dir(real)
	}
	return ""
}

// wide reports whether a directory holds more than a project: a home directory, one of temporary files, or one that
// contains such.
func (v *viewer) wide(dir string) bool {
	places := []string{"/tmp", "/var/tmp", "/usr/bin", "/root"}
	if v.home != "" {
		places = append(places, v.home, filepath.Join(v.home, ".local/share"))
	}
	return slices.ContainsFunc(places, func(place string) bool { return subpath.In(place, dir) })
}

// hide adds the places of secrets, but not those that the policy names.
func (v *viewer) hide() error {
	list := slices.Clone(systemSecrets)
	for _, home := range []string{v.home, "/root"} {
		for _, name := range secrets {
			if home != "" {
				list = append(list, filepath.Join(home, name))
			}
		}
	}
	for _, path := range list {
		link, real := v.way(path)
		named := func(given string) bool { return subpath.In(given, real) }
		if slices.ContainsFunc(v.view.Write, named) || slices.ContainsFunc(v.view.Read, named) {
			continue
		}
		if shows := func(dir string) bool { return subpath.In(real, dir) }; link != "" && (slices.ContainsFunc(v.view.Write, shows) || slices.ContainsFunc(v.view.Read, shows)) {
			return fmt.Errorf("%s leads to a place of secrets, and the server may change it: name smaller directories in contain: write", link)
		}
		v.view.Hide = append(v.view.Hide, real)
	}
	return nil
}

// try adds a place if it exists and is no directory with more than programs.
func (v *viewer) try(list *[]string, path string) {
	if !filepath.IsAbs(path) {
		return
	}
	if real, err := filepath.EvalSymlinks(path); err != nil || v.wide(real) || v.steady(path) != nil {
		return
	}
	_ = v.add(list, path) // it may be gone by now
}

// add adds a place at the end of the links that lead to it.
func (v *viewer) add(list *[]string, path string) error {
	real := v.real(filepath.Clean(path))
	info, err := os.Stat(real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("it does not exist: make it first")
	case err != nil:
		return err
	case !info.IsDir() && !info.Mode().IsRegular():
		return errors.New("it is neither a directory nor a regular file")
	case slices.ContainsFunc([]string{"/", "/proc", "/sys", "/dev"}, func(dir string) bool { return real == dir || dir != "/" && subpath.In(real, dir) }):
		return errors.New("it belongs to the system: name a directory of files")
	}
	if !slices.Contains(*list, real) {
		*list = append(*list, real)
	}
	return nil
}

// mostLinks bounds the links on a path, as the kernel does.
const mostLinks = 40

// real follows the links on a path, and adds them to the view. It leaves a missing rest as it is.
func (v *viewer) real(path string) string {
	return follow(path, func(link string) {
		if !slices.Contains(v.view.Links, link) {
			v.view.Links = append(v.view.Links, link)
		}
	})
}

// way follows the links on a path. It also returns the first that lies in a writable place; "" for none.
func (v *viewer) way(path string) (changeable, real string) {
	real = follow(filepath.Clean(path), func(link string) {
		if changeable == "" && v.writable(link) {
			changeable = link
		}
	})
	return changeable, real
}

// steady returns an error if a path leads out of the writable places through a link in one of them. A server could
// make the link lead anywhere, and see that place after its next start.
func (v *viewer) steady(path string) error {
	link, real := v.way(path)
	beside := func(dir string) bool { return real != dir && subpath.In(real, dir) } // the policy may name the place through the link alone
	if link != "" && !slices.ContainsFunc(v.view.Write, beside) {
		return fmt.Errorf("the server may change the symbolic link %s on its path: name the place to which it leads", link)
	}
	return nil
}

// writable reports whether a path without links is a writable place, or below one.
func (v *viewer) writable(path string) bool {
	return slices.ContainsFunc(v.view.Write, func(dir string) bool { return subpath.In(path, dir) })
}

// follow follows the links on a path.
func follow(path string, visit func(link string)) string {
	for range mostLinks {
		link, to, rest := firstLink(path)
		if link == "" {
			return path
		}
		visit(link)
		path = filepath.Join(to, rest)
	}
	return path
}

// firstLink finds the first symbolic link on a path, its target, and the rest of the path.
func firstLink(path string) (link, to, rest string) {
	for i := 1; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		if to := target(path[:i]); to != "" {
			return path[:i], to, path[i:]
		}
	}
	return "", "", ""
}
