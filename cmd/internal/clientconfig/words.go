// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clientconfig

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// words turns the texts of a file into templates.
type words struct {
	*Reader
	server *Server
	own    map[string]string // the entry's environment as it is written
	hidden bool              // something that may be a secret has been left out
}

func (w *words) note(format string, args ...any) {
	w.server.Notes = append(w.server.Notes, fmt.Sprintf(format, args...))
}

// hides notes that something is left out, which may be a secret.
func (w *words) hides(format string, args ...any) {
	w.hidden = true
	w.note(format, args...)
}

// word matches ${name} or ${kind:name}: VS Code and Cursor use ${env:X}, Claude Code uses ${X} and
// ${X:-default}.
var word = lazyregexp.New(`\$\{([^}]*)\}|\$`)

// kindOfWord matches the part of a placeholder that can be shown, such as config in ${config:x}.
var kindOfWord = lazyregexp.New(`^[A-Za-z_]{0,32}:?`)

// replace turns a text without secrets into a template.
func (w *words) replace(s string) string {
	return word.ReplaceAllStringFunc(s, func(found string) string {
		if found == "$" {
			return "$$"
		}
		inner := found[2 : len(found)-1]
		kind, name, of := strings.Cut(inner, ":")
		switch {
		case inner == "workspaceFolder":
			return escape(w.options.Workspace)
		case inner == "workspaceFolderBasename":
			return escape(filepath.Base(w.options.Workspace))
		case inner == "userHome":
			return escape(w.options.Home)
		case inner == "pathSeparator" || inner == "/":
			return string(filepath.Separator)
		case kind == "env" && isName(name):
			return w.need(name, found)
		case kind == "input":
			reference := w.refer(variableName(name), found)
			w.note("it asks for the input %q: set the environment variable %s", name, reference[2:len(reference)-1])
			return reference
		case !of && isName(inner):
			return w.need(inner, found)
		case of && strings.HasPrefix(name, "-") && isName(kind):
			w.hides("the default of %s is not copied: set the environment variable", kind)
			return w.need(kind, found)
		}
		begins := kindOfWord.FindString(inner) // the rest may be a default value, and so a secret
		reference := w.refer(variableName(w.server.Name, strings.TrimSuffix(begins, ":")), found)
		w.hides("only the client knows its placeholder ${%s…}: set the environment variable %s", begins, reference[2:len(reference)-1])
		return reference
	})
}

// need notes a variable of the template, with the client's value for it.
func (w *words) need(name, value string) string {
	v := Variable{name, value}
	if !slices.Contains(w.server.Needs, v) {
		w.server.Needs = append(w.server.Needs, v)
	}
	return "${" + name + "}"
}

// literal returns a text without its placeholders, and whether there were any.
func literal(s string) (rest string, words bool) {
	rest = word.ReplaceAllStringFunc(s, func(found string) string {
		if found == "$" {
			return found
		}
		words = true
		return ""
	})
	return rest, words
}

func escape(s string) string { return strings.ReplaceAll(s, "$", "$$") }

// directory makes a working directory absolute, as in policies.
func (w *words) directory(dir string) string {
	dir = w.replace(dir)
	if filepath.IsAbs(dir) || path.IsAbs(dir) || strings.HasPrefix(dir, "${") {
		return dir
	}
	return filepath.Join(escape(w.options.Workspace), dir)
}

var nameOfVariable = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

func isName(s string) bool { return nameOfVariable.MatchString(s) }

// variableName makes the name of a variable from words.
func variableName(words ...string) string {
	for i, word := range words {
		words[i] = strings.Trim(word, "-_")
	}
	name := strings.Map(func(r rune) rune {
		if r < 128 && isName("_"+string(r)) {
			return r
		}
		return '_'
	}, strings.ToUpper(strings.Join(words, "_")))
	if name = strings.Trim(name, "_"); !isName(name) {
		return "TOOLVET_" + name
	}
	return name
}

// setEnv sets a variable of the server; the last value counts.
func (w *words) setEnv(v Variable) {
	if !isName(v.Name) {
		w.note("the variable %q is left out: it is no name", v.Name)
		return
	}
	for i, other := range w.server.Env {
		if other.Name == v.Name {
			w.server.Env[i] = v
			return
		}
	}
	w.server.Env = append(w.server.Env, v)
}

// envFile adds the variables of a file, only by their names (VS Code).
func (w *words) envFile(e *entry) error {
	m := e.get("envFile")
	if m == nil {
		return nil
	}
	file, err := text(m)
	if err != nil {
		return err
	}
	file = strings.ReplaceAll(w.directory(file), "$$", "$")
	var names []string
	if w.options.Variables != nil {
		names, err = w.options.Variables(file)
	}
	if w.options.Variables == nil || err != nil {
		w.note("its envFile cannot be read: set what stands in it in the environment")
		return nil
	}
	for _, name := range names {
		if isName(name) {
			w.setEnv(Variable{name, "${" + name + "}"})
		}
	}
	w.note("the values of its envFile are not copied: set %s", strings.Join(names, ", "))
	return nil
}

// refer returns a reference to a variable for a value. If the name already stands for another value, refer puts the server's name
// before it, and then a number behind it.
func (w *words) refer(name, value string) string {
	for n, base := 0, name; w.means(name, value); n++ {
		if n == 0 {
			base = variableName(w.server.Name, base)
			name = base
			continue
		}
		name = fmt.Sprint(base, "_", n+1)
	}
	w.taken[name] = value
	return w.need(name, value)
}

// means reports whether a variable stands for another value.
func (w *words) means(name, value string) bool {
	if before, ok := w.taken[name]; ok && before != value {
		return true
	}
	own, ok := w.own[name]
	return ok && own != value
}
