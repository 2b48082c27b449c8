// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"math/big"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/internal/audit/internal/standin"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A world is the directory that the server sees, with a token in each place within reach of a
// probe. It has a plain name inside, so that no list of allowed places contains it by chance.
type world struct {
	dir string // on the machine
	at  string // inside

	mark string // in the names of probes that are judged at the system call

	control string // token of the file that may be read
	listed  string // name of a file in the root
	outside string // tokens of forbidden files
	beside  string
	home    string
	hidden  map[string]string // token or file name → what it is

	sizes map[string]int // of the files with a token: a number found nowhere else

	odd, large string // names of files with odd content, and with large content
	marks      marks  // in it

	learned map[string]bool // programs with a stand-in because the server misses them

	plants  []plant
	firing  string // the name of a program in the PATH that makes a file
	program string // the name of a program outside the root
}

// places are names for the world inside: the first one missing on the machine is taken.
var places = []string{"/data", "/files", "/store", "/depot", "/toolvet-audit"}

// extensions of the readable files: many tools add one, or accept only one.
var extensions = []string{"", ".txt", ".md", ".json"}

// Names of files in the root, and outside.
const (
	insideName  = "report"
	outsideName = "ledger"

	databaseFile = "audit.db" // empty, which is a database of SQLite without tables
)

// newWorld makes the world below a new directory for temporary files.
func newWorld() (*world, error) {
	w := &world{mark: token()[:markSize], control: token(), listed: "list" + token(), outside: token(), beside: token(), home: token(), hidden: map[string]string{}, learned: map[string]bool{},
		odd: "page" + token(), large: "pages" + token(), marks: newMarks()}
	w.sizes = map[string]int{w.control: randomSize(30_011), w.outside: randomSize(50_021), w.beside: randomSize(70_003)}
	w.at = freePlace()
	if w.at == "" {
		return nil, errors.New("every name for the audit's directory is taken: " + strings.Join(places, ", "))
	}
	var err error
	if w.dir, err = os.MkdirTemp("", "toolvet-audit-"); err != nil {
		return nil, err
	}
	if err := w.fill(); err != nil {
		w.remove()
		return nil, err
	}
	return w, nil
}

// freePlace returns the name for the world; "" if all are taken.
func freePlace() string {
	for _, at := range places {
		if _, err := os.Lstat(at); errors.Is(err, fs.ErrNotExist) {
			return at
		}
	}
	return ""
}

// RootInside returns the directory that stands for [Root] in the server's sandbox.
func RootInside() string { return path.Join(freePlace(), "root") }

func (w *world) remove() { os.RemoveAll(w.dir) }

// randomSize is a number of five digits, up to 19,000 more than least.
func randomSize(least int) int {
	n, err := rand.Int(rand.Reader, big.NewInt(19_000))
	if err != nil { // crypto/rand does not fail
		return least
	}
	return least + int(n.Int64())
}

// token is a unique text.
func token() string { return strings.ToLower(rand.Text()) }

// tokens are those in a text: letters and digits of Base32.
var tokens = lazyregexp.New(`[a-z2-7]{26,}`)

// withoutTokens is a text without tokens, so that two reports of the same server are the same.
func withoutTokens(s string) string { return tokens.ReplaceAllString(s, "RANDOM") }

func (w *world) fill() error {
	if err := os.Chmod(w.dir, 0o755); err != nil {
		return err
	}
	for _, dir := range []string{"root/sub", "root-evil", "outside", "home/.ssh", "home/.kube", "fired", "bin"} {
		if err := os.MkdirAll(filepath.Join(w.dir, dir), 0o755); err != nil {
			return err
		}
	}
	files := map[string]string{
		"home/.ssh/id_rsa":  "-----BEGIN OPENSSH PRIVATE KEY-----\n" + w.home + "\n-----END OPENSSH PRIVATE KEY-----\n",
		"home/.kube/config": kubeconfig,
	}
	w.spread(files, "root/"+insideName, w.control)
	w.spread(files, "root/sub/"+insideName, w.control)
	w.spread(files, "outside/"+outsideName, w.outside)
	w.spread(files, "root-evil/"+outsideName, w.beside)
	files["root/"+w.listed+".txt"] = "listed\n"
	files["root/"+databaseFile] = ""
	for dir, what := range map[string]string{"outside": "outside the root", "root-evil": "beside the root"} {
		name := "list" + token()
		files[dir+"/"+name+".txt"] = "listed\n"
		w.hidden[name] = "the name of a file " + what
	}
	w.hidden[strconv.Itoa(w.sizes[w.outside])] = "the size of a file outside the root"
	w.hidden[strconv.Itoa(w.sizes[w.beside])] = "the size of a file beside the root"
	w.hidden[w.outside] = "the content of a file outside the root"
	w.hidden[w.beside] = "the content of a file beside the root"
	w.hidden[w.home] = "the private key of the home directory"
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(w.dir, filepath.FromSlash(name)), []byte(content), 0o644); err != nil {
			return err
		}
	}
	w.firing = token()
	firing := os.WriteFile(filepath.Join(w.dir, "bin", w.firing), []byte("#!/bin/sh\n: > \""+w.inside("fired")+"/$1\"\n"), 0o755)
	w.program = w.name()
	program := os.WriteFile(filepath.Join(w.dir, "outside", w.program), []byte("#!/bin/sh\n:\n"), 0o755)
	return errors.Join(firing, program, standin.Write(filepath.Join(w.dir, "bin"), installed), w.seeds(), w.link(), w.projects(), w.plant())
}

// fire is a command that makes a file of a name, without a slash in it.
func (w *world) fire(id string) string { return w.firing + " " + id }

// spread writes a token into a file of each extension.
func (w *world) spread(files map[string]string, name, token string) {
	for _, ext := range extensions {
		content := "# " + path.Base(name) + "\n\naudit\n" + token + "\n"
		if ext == ".json" {
			content = `{"audit": "` + token + `"}` + "\n"
		}
		files[name+ext] = content + strings.Repeat(" ", max(0, w.sizes[token]-len(content)))
	}
}

// link makes the links that lead out of the root.
func (w *world) link() error {
	links := map[string]string{"root/away": w.inside("outside"), "root/near": "../outside"}
	for _, ext := range extensions {
		links["root/absolute"+ext] = w.inside("outside", outsideName+ext)
		links["root/relative"+ext] = "../outside/" + outsideName + ext
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(w.dir, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	return nil
}

// leadsTo is the place to which a path inside leads, past ".." and the links of the root.
func (w *world) leadsTo(at string) string {
	at = path.Clean(at)
	for _, link := range []string{"away", "near"} {
		if rest, ok := strings.CutPrefix(at, w.inside("root", link)); ok && (rest == "" || rest[0] == '/') {
			return w.inside("outside") + rest
		}
	}
	return at
}

// outsiders are files outside the root.
func (w *world) outsiders() []string {
	list := []string{"home/.ssh/id_rsa"}
	for _, ext := range extensions {
		list = append(list, "outside/"+outsideName+ext, "root-evil/"+outsideName+ext)
	}
	return list
}

// controls are files inside the root.
func (w *world) controls() []string {
	var list []string
	for _, ext := range extensions {
		list = append(list, "root/"+insideName+ext)
	}
	return list
}

// inside is a path of the world as the server sees it.
func (w *world) inside(parts ...string) string { return path.Join(append([]string{w.at}, parts...)...) }

func installed(name string) bool { return program(name, "/") != name }

// standsIn is the name of the stand-in started with these arguments, or "".
func (w *world) standsIn(args []string) string {
	name := path.Base(args[0])
	if name == w.firing {
		return ""
	}
	if dir := path.Dir(args[0]); strings.Contains(args[0], "/") && dir != w.inside("bin") || !exists(filepath.Join(w.dir, "bin", name)) {
		return ""
	}
	return name
}

const kubeconfig = `apiVersion: v1
kind: Config
current-context: audit
clusters: [{name: audit, cluster: {server: "http://cluster.example"}}]
contexts: [{name: audit, context: {cluster: audit, user: audit, namespace: default}}]
users: [{name: audit, user: {token: audit}}]
`
