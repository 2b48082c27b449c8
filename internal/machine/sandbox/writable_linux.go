// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// scanTime bounds the search for writable places of an ordinary user, unless [Config.Search] does.
const scanTime = 50 * time.Millisecond

// A finder finds the directories of the machine that need a layer of their own. Layers over the
// top-level directories are not enough, because they cannot copy up directories of users and groups
// that we cannot name.
type finder struct {
	uids, gids []syscall.SysProcIDMap
	missed     []string // top-level directories that were not searched in time

	mu   sync.Mutex
	need map[string]bool
}

// writable returns the directories that need a layer of their own, parents first, and the top-level
// directories with possibly more. A user who can name all others needs none.
func writable(c Config) (dirs, missed []string, err error) {
	f := &finder{need: map[string]bool{}}
	if f.uids, f.gids, err = identities(); err != nil {
		return nil, nil, err
	}
	if everybody(f.uids) && everybody(f.gids) {
		return nil, nil, nil
	}
	for _, path := range hints(c) {
		f.chain(path)
	}
	f.scan(time.Now().Add(cmp.Or(c.Search, scanTime)))
	for dir := range f.need {
		dirs = append(dirs, dir)
	}
	slices.SortFunc(dirs, func(a, b string) int {
		if d := strings.Count(a, "/") - strings.Count(b, "/"); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return dirs, f.missed, nil
}

// overflow is the kernel's id for users and groups without a name in a namespace.
const overflow = 65534

func everybody(ids []syscall.SysProcIDMap) bool {
	return len(ids) == 1 && ids[0].ContainerID == 0 && ids[0].Size >= 1<<32-1
}

func named(id uint32, ids []syscall.SysProcIDMap) bool {
	if id == overflow && !(len(ids) == 1 && ids[0].Size == 1) {
		return false
	}
	return slices.ContainsFunc(ids, func(m syscall.SysProcIDMap) bool {
		return int64(id) >= int64(m.ContainerID) && int64(id) < int64(m.ContainerID)+int64(m.Size)
	})
}

// hints returns the likely places for writes of a server: those in its command and its environment.
func hints(c Config) []string {
	list := append(slices.Clone(c.Writable), c.Dir, os.TempDir(), "/var/tmp")
	for _, arg := range c.Args {
		_, value, _ := strings.Cut(arg, "=")
		for _, s := range []string{arg, value} {
			if s != "" && !filepath.IsAbs(s) {
				s = filepath.Join(c.Dir, s)
			}
			list = append(list, s)
		}
	}
	for _, variable := range c.Env {
		_, value, _ := strings.Cut(variable, "=")
		list = append(list, filepath.SplitList(value)...)
	}
	return slices.DeleteFunc(list, func(s string) bool { return !filepath.IsAbs(s) })
}

// chain looks at every existing directory on a path.
func (f *finder) chain(path string) {
	for path != "/" {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
			break
		}
		path = filepath.Dir(path)
	}
	covered := false
	for i := 1; i <= len(path); i++ {
		if i == len(path) || path[i] == '/' {
			var ok bool
			if covered, _, ok = f.look(path[:i], covered); !ok {
				return
			}
		}
	}
}

// look looks at a directory. Its parent may or may not be covered by a layer that can copy it up. Look
// reports whether the directory is covered, whether it is our own, and whether to look into it.
func (f *finder) look(dir string, covered bool) (nowCovered, own, ok bool) {
	var stat unix.Stat_t
	if slices.Contains(ours, dir) || unix.Lstat(dir, &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		return false, false, false
	}
	own = named(stat.Uid, f.uids) && named(stat.Gid, f.gids)
	if covered && own {
		return true, true, true
	}
	if unix.Access(dir, unix.W_OK|unix.X_OK) == nil {
		f.mu.Lock()
		f.need[dir] = true
		f.mu.Unlock()
		return true, own, true
	}
	return false, own, true
}

// A seen is a directory to be searched.
type seen struct {
	dir     string
	covered bool
}

// scan looks at all directories, starting near the root. Directories that can be copied up seldom
// contain writable ones that cannot.
func (f *finder) scan(deadline time.Time) {
	for level := []seen{{"/", false}}; len(level) > 0; {
		level = f.scanLevel(level, deadline)
	}
	slices.Sort(f.missed)
	f.missed = slices.Compact(f.missed)
}

// scanLevel searches directories of the same depth on all processors, and returns their subdirectories.
func (f *finder) scanLevel(level []seen, deadline time.Time) (next []seen) {
	var wait sync.WaitGroup
	var mu sync.Mutex
	for part := range slices.Chunk(level, len(level)/runtime.GOMAXPROCS(0)+1) {
		wait.Go(func() {
			found, missed := f.scanPart(part, deadline)
			mu.Lock()
			defer mu.Unlock()
			next, f.missed = append(next, found...), append(f.missed, missed...)
		})
	}
	wait.Wait()
	return next
}

// scanPart also returns the top-level directories that were not searched in time.
func (f *finder) scanPart(part []seen, deadline time.Time) (found []seen, missed []string) {
	for _, p := range part {
		if time.Now().After(deadline) {
			top, _, _ := strings.Cut(p.dir[1:], "/")
			missed = append(missed, "/"+top)
			continue
		}
		entries, err := os.ReadDir(p.dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if !e.IsDir() {
				continue
			}
			path := filepath.Join(p.dir, e.Name())
			if covered, own, ok := f.look(path, p.covered); ok && !own {
				found = append(found, seen{path, covered})
			}
		}
	}
	return found, missed
}
