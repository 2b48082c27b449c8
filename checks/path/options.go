// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/filekind"
	"github.com/toolvet/toolvet/internal/bytesize"
)

// Options are a policy's demands on a path. The zero Options demand what holds for every path:
// that it stays within the server's known confines, and has no deceptive form.
//
// Options must not be changed once a check has seen them, nor must the list of a
// world's directories in place: another list is another slice. Options are safe for
// concurrent use.
type Options struct {
	Within []string `policy:"within" doc:"absolute directories that the path must stay in; default: those that the server is confined to, if they are known"`
	Base   string   `policy:"base" doc:"absolute directory that relative paths start in; default: where the server works; if that is not known, relative paths are refused where within or roots say what is allowed"`

	NameOnly   bool     `policy:"name_only" doc:"the name of a file alone, without directories"`
	Absolute   *bool    `policy:"absolute" doc:"true: only absolute paths; false: only relative ones; default: both"`
	Hidden     *bool    `policy:"hidden" doc:"false: no file or directory below the allowed ones whose name begins with a dot, also where links lead; default: true"`
	Not        []string `policy:"not" doc:"kinds of files that the path must not lead to, also by a link: secret (keys, passwords, accounts, histories), startup (files from which a shell, git, an agent or the system starts programs later), key (files of a project that, going by their names, hold private keys or accounts), steering (files that tell agents, builds or tests what to do); default: none"`
	Allow      []string `policy:"allow" doc:"files of a kind in not that the path may lead to, by the kind and the absolute path, such as secret /srv/app/.env.local; default: none"`
	Extensions []string `policy:"extensions" doc:"endings that are allowed of the file's name, and of the one that links lead to, such as .csv or .tar.gz; case does not matter"`
	Platform   string   `policy:"platform" doc:"whose paths they are: posix, windows or auto; default auto, which goes by the server's platform, by the directories that are known, else by the system that toolvet runs on"`

	Exists         *bool         `policy:"exists" doc:"true: there must be such a file or directory; false: there must be none yet"`
	ParentExists   bool          `policy:"parent_exists" doc:"the directory that the path lies in must exist"`
	Type           string        `policy:"type" doc:"what it must be if it exists: file or directory; by default, a FIFO, a socket or a device brings a warning"`
	Readable       bool          `policy:"readable" doc:"it must exist, and we may read it; a directory: list and enter it"`
	Writable       bool          `policy:"writable" doc:"we may write it, or create it if it does not exist"`
	MaxSize        bytesize.Size `policy:"max_size" doc:"a file must not be larger, such as 100MB or 64KiB"`
	WarnSize       bytesize.Size `policy:"warn_size" doc:"a larger file brings a warning"`
	MinFree        bytesize.Size `policy:"min_free" doc:"free space that the file system must have for users other than root, such as 1GB"`
	FollowSymlinks *bool         `policy:"follow_symlinks" doc:"false: no symbolic link below the allowed directories (none at all, if these are not known), also where a server takes the path for a pattern; default: true, links are followed and must stay within"`

	Canonical bool `policy:"canonical" doc:"true: the tool gets the path as it was resolved and judged: absolute, without .. and symbolic links, or is refused; default: as it was sent"`

	confined atomic.Pointer[confines] // made of the world of the last call
}

// problems reports what is wrong with the options.
func (o *Options) problems() []check.Problem {
	var list []check.Problem
	fail := func(field, format string, args ...any) {
		list = append(list, check.Problem{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	o.directoryProblems(fail)
	if o.Type != "" && o.Type != "file" && o.Type != "directory" {
		fail("type", "must be file or directory")
	}
	for _, kind := range o.Not {
		if !slices.Contains(filekind.Kinds, kind) {
			fail("not", "must be %s", strings.Join(filekind.Kinds, " or "))
		}
	}
	for _, one := range o.Allow {
		if kind, file, _ := strings.Cut(one, " "); !slices.Contains(o.Not, kind) || !anyAbsolute(file) {
			fail("allow", "must be a kind in not, a blank and the absolute path of a file, such as secret /srv/app/.env.local")
		}
	}
	for _, e := range o.Extensions {
		if strings.Trim(e, ".") == "" || strings.ContainsAny(e, `/\*`) {
			fail("extensions", "must be endings such as .csv")
		}
	}
	if o.WarnSize > 0 && o.MaxSize > 0 && o.WarnSize >= o.MaxSize {
		fail("warn_size", "must be less than max_size, which already refuses such files")
	}
	if o.Exists != nil && !*o.Exists && (o.Readable || o.Type != "" || o.MaxSize > 0 || o.WarnSize > 0) {
		fail("exists", "must not be false beside readable, type, max_size or warn_size: they ask for a file")
	}
	if o.NameOnly && o.Absolute != nil && *o.Absolute {
		fail("name_only", "must not stand beside absolute: true, which asks for directories")
	}
	return list
}

func (o *Options) directoryProblems(fail func(field, format string, args ...any)) {
	p, known := platformOf(o.Platform)
	if !known {
		fail("platform", "must be posix, windows or auto")
	}
	absolute := func(dir string) bool {
		if p != auto {
			return p.absolute(dir)
		}
		return anyAbsolute(dir)
	}
	if o.Within != nil && len(o.Within) == 0 {
		fail("within", "lists no directory, so that no path would be allowed: leave it out, or list one")
	}
	for _, dir := range o.Within {
		if !absolute(dir) {
			fail("within", "must be absolute directories")
		}
	}
	if o.Base != "" && !absolute(o.Base) {
		fail("base", "must be an absolute directory")
	}
}

func anyAbsolute(path string) bool { return posix.absolute(path) || windows.absolute(path) }
