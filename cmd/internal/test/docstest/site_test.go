// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package docstest

import (
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/internal/test/race"
)

// TestSite builds the site of docs/site, and holds that each of its links and pictures leads to something: also to the heading
// behind a #.
func TestSite(t *testing.T) {
	race.Skip(t) // what runs is not Go
	t.Parallel()
	const dir = moduleRoot + "/docs/site"
	program := filepath.Join(dir, "node_modules", "vitepress", "bin", "vitepress.js")
	if _, err := os.Stat(program); err != nil {
		need.Site.Missing(t, "docs/site has no node_modules")
	}
	node := need.Node.Program(t, "node")
	program, err := filepath.Abs(program)
	if err != nil {
		t.Fatal(err)
	}
	site := t.TempDir()
	cmd := exec.CommandContext(t.Context(), node, program, "build", "--outDir", site)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	pages := map[string]*sitePage{}
	err = filepath.WalkDir(site, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".html" {
			return err
		}
		p, err := readPage(name)
		rel, relErr := filepath.Rel(site, name)
		if err == nil {
			err = relErr
		}
		pages["/"+filepath.ToSlash(rel)] = p
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) < 80 || pages["/index.html"] == nil || pages["/docs/start.html"] == nil {
		t.Fatalf("the site has %d pages", len(pages))
	}
	links := 0
	for from, p := range pages {
		for _, ref := range p.refs {
			u, err := url.Parse(ref)
			if err != nil {
				t.Errorf("%s: %v", from, err)
				continue
			}
			if u.Scheme != "" || u.Host != "" {
				continue
			}
			links++
			target := from
			if u.Path != "" {
				target = path.Join(path.Dir(from), u.Path)
				if path.IsAbs(u.Path) {
					target = path.Clean(u.Path)
				}
				if strings.HasSuffix(u.Path, "/") {
					target = path.Join(target, "index.html")
				}
			}
			page := pages[target]
			if page == nil && pages[target+".html"] != nil {
				page = pages[target+".html"]
			}
			switch _, err := os.Stat(filepath.Join(site, filepath.FromSlash(target))); {
			case page == nil && err != nil:
				t.Errorf("%s links to %s, which is not there", from, ref)
			case page != nil && u.Fragment != "" && !page.ids[u.Fragment]:
				t.Errorf("%s links to %s, and the page has no such heading", from, ref)
			}
		}
		if p.text < 200 && from != "/404.html" {
			t.Errorf("%s is empty", from)
		}
	}
	if links < 500 {
		t.Errorf("%d links were found", links)
	}
}

// A sitePage is what the links of and to a page need.
type sitePage struct {
	ids  map[string]bool
	refs []string // of links and pictures
	text int      // bytes
}

func readPage(name string) (*sitePage, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	root, err := html.Parse(f)
	if err != nil {
		return nil, err
	}
	p := &sitePage{ids: map[string]bool{}}
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			p.text += len(n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "id":
				p.ids[a.Val] = true
			case n.Data == "a" && a.Key == "href", n.Data == "img" && a.Key == "src":
				p.refs = append(p.refs, a.Val)
			}
		}
	}
	return p, nil
}
