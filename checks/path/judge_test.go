// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"strings"
	"testing"

	"github.com/toolvet/toolvet/check"
)

// The beginnings of messages.
const (
	fine       = ""
	outside    = "leads out of the allowed directories"
	above      = "leads above the directory in which relative paths start"
	disguise   = `leads upwards by ".." in disguise`
	rooted     = "becomes an absolute path"
	atHome     = "begins with a home directory"
	byVariable = "begins with a variable"
	url        = "is a URL"
	drive      = "begins with the letter of a Windows drive"
	share      = "names a network share"
	nulByte    = "holds a NUL character"
	ctrl       = "holds a control character"
	invisible  = "holds an invisible character"
	shellish   = "holds a shell substitution"
	deep       = "is still encoded"
)

// judged runs the paths of a table, and compares the beginnings of messages.
func judged(t *testing.T, o *Options, world check.World, paths map[string]string) {
	t.Helper()
	for path, want := range paths {
		got := ""
		if faults := o.judge(world, path); len(faults) > 0 {
			got = faults[0].message
		}
		if want == fine && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
}

func TestConfinement(t *testing.T) {
	t.Parallel()
	o := &Options{Within: []string{"/srv/data", "/opt/x/"}, Base: "/srv/data/sub"}
	judged(t, o, check.World{Roots: []string{"/"}, Base: "/"}, map[string]string{
		"/srv/data":              fine,
		"/srv/data/":             fine,
		"/srv/data/a/../b":       fine,
		"/opt/x/y":               fine,
		"/opt/../srv/data/z":     fine,
		"//srv//data//z":         fine,
		"":                       fine,
		".":                      fine,
		"...":                    fine,
		"a/.../b":                fine,
		"..foo/bar..":            fine,
		"../x":                   fine,
		"../../data/x":           fine,
		"/srv/data2":             outside,
		"/srv/data2/x":           outside,
		"/srv/dat":               outside,
		"/srv/DATA/x":            outside,
		"/srv":                   outside,
		"/":                      outside,
		"//host/share":           outside,
		"../../x":                outside,
		"a/../../../x":           outside,
		"x/../../../srv/data/y":  outside, // /srv/srv/data/y
		"/srv/data/../data2/x":   outside,
		" /etc/passwd":           outside,
		"\u3000/etc/passwd":      outside,
		" ../../etc":             outside,
		"a/.. /../../x":          outside,
		"..;/..;a=b/..;/x":       outside,
		"a/b/../../../../../../": outside,
	})
}

func TestBackslashes(t *testing.T) {
	t.Parallel()
	o := &Options{Within: []string{"/srv/data"}}
	judged(t, o, check.World{}, map[string]string{
		`a\b`:               fine,
		`a\b\..\c`:          fine,
		`/srv/data/a\b`:     fine,
		`a\..\..\x`:         outside,
		`a\b/../../x`:       outside, // one directory to those who take a\b for a name
		`a/b\..\..\../x`:    outside,
		`\srv\data\x`:       outside, // on Windows: of the current drive
		`/srv\data\x`:       outside,
		`/srv/data\..\..\x`: outside,
		`..\x`:              outside,
		`\/..\/x`:           outside,
		`\\host\share`:      share,
		`\\?\C:\x`:          share,
		`\\.\COM1`:          share,
		`C:\x`:              drive,
		"c:/x":              drive,
		"a:b":               drive,
		"./a:b":             fine,
	})
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	o := &Options{Within: []string{"/srv/data"}}
	judged(t, o, check.World{}, map[string]string{
		"100%25.txt":                           fine,
		"50%25 done.txt":                       fine,
		"50%.txt":                              fine,
		"a%20b":                                fine,
		"%":                                    fine,
		"%%32":                                 fine,
		"%zz/%2":                               fine,
		"%D9%85%D9%84%D9%81.txt":               fine, // UTF-8
		"%E9t%E9.txt":                          fine, // Latin-1
		"%C0%20la%20carte":                     fine, // Latin-1 À
		"x/https%3A%2F%2Fexample.org%2F..":     fine,
		"a%2fb%2f..%2f..":                      fine,
		"0x2e.bin":                             fine,
		"dump_0x5c_0X2F.bin":                   fine,
		"%2e%2e":                               outside,
		"%2E%2e/x":                             outside,
		"..%2fx":                               outside,
		"..%5Cx":                               outside,
		"%2fetc%2fpasswd":                      outside,
		"%252e%252e/x":                         outside,
		"%25252e%25252e/x":                     outside,
		"%2525252e%2525252e/x":                 outside,
		"%252525252e%252525252e/x":             deep,
		"%%32%65%%32%65/x":                     outside,
		"a%2fb/../../x":                        outside, // a name to those who do not decode
		"%2e%252e/x":                           outside,
		"%u002e%u002e/x":                       outside,
		"%u002e%u002e%u002f%u002e%u002e%u002f": outside,
		"a%u002fb%2f..%2f..%2fx":               outside, // a%u002fb is a name to most
		"..%u2215x":                            outside,
		"..%u2216x":                            outside,
		"..%uEFC8x":                            outside,
		"..%uf025x":                            outside,
		"%uff0e%uff0e/x":                       outside,
		"0x2e0x2e0x2fx":                        outside,
		"..0x5cx":                              outside,
		"%c0%ae%c0%ae/x":                       outside,
		"%c0%2e%c0%ee/x":                       outside,
		"%c0.%c0./x":                           outside,
		"..%c0%afx":                            outside,
		"..%c0%5cx":                            outside,
		"..%c1%9cx":                            outside,
		"..%c1%1cx":                            outside,
		"..%c1%afx":                            outside,
		"%e0%80%ae%e0%80%ae%e0%80%afx":         outside,
		"%f0%80%80%ae./x":                      outside,
		"%f8%80%80%80%ae./x":                   outside,
		"%fc%80%80%80%80%ae./x":                outside,
		"%c0%a52e%c0%a52e/x":                   outside, // an overlong %
		".%ff./x":                              outside, // dropped by who wants UTF-8
		"a%00b":                                nulByte,
		"a%2500b":                              nulByte,
		"a%c0%80b":                             nulByte,
		"a\x00b":                               nulByte,
		"a%0ab":                                ctrl,
		"a\nb":                                 ctrl,
		"a\x1b[31mb":                           ctrl,
		"a\x7fb":                               ctrl,
	})
}

func TestCharacters(t *testing.T) {
	t.Parallel()
	o := &Options{Within: []string{"/srv/data"}}
	judged(t, o, check.World{}, map[string]string{
		"À la carte/résumé e\u0301.txt":       fine,
		"данные/отчёт.csv":                    fine,
		"ＦＵＬＬ.txt":                            fine,
		"名前：説明。txt":                           fine,
		"Ａ：メモ.txt":                            fine,
		"½ … ﬁ.txt":                           fine,
		"…/x":                                 fine,
		"a．．／x":                               fine,
		"👨\u200d👩\u200d👧.txt":                 fine,
		"1\ufe0f\u20e3.txt":                   fine,
		"می\u200cخواهم.txt":                   fine,
		"葛\U000e0100飾区.txt":                   fine,
		"🏴\U000e0067\U000e0062\U000e007f.txt": fine,
		"a\u00a0b\u202f\u3000c":               fine,
		"．．／x":                                outside,
		"․․/x":                                outside,
		"‥/x":                                 outside,
		"︰/x":                                 outside,
		"。。/x":                                outside,
		"../x／../y":                           outside,
		"..∕x":                                outside,
		"..⁄x":                                outside,
		"..∖x":                                outside,
		"..＼x":                                outside,
		"a／b/../../x":                         outside, // a name to those who do not normalise
		"a\\b／../../x":                        outside,
		"％2e％2e/x":                            outside,
		"%２ｅ%𝟐𝐞/x":                            outside,
		".\u00ad./x":                          outside,
		".\ufe0f./x":                          outside,
		"ok/\u202egnp.sh":                     invisible,
		"\u2066a":                             invisible,
		"a\u200bb":                            invisible,
		"a\ufeffb":                            invisible,
		"a\u200db":                            invisible,
		"a\u0085b":                            invisible,
		"a\u2028b":                            invisible,
		"a%e2%80%8bb":                         invisible,
		"a\U000e0041b":                        invisible,
		"Ｃ：＼x":                                drive,
		"ｆｉｌｅ：／／x":                            url,
		"～／x":                                 atHome,
		"＄ＨＯＭＥ／x":                             byVariable,
	})
}

func TestBeginnings(t *testing.T) {
	t.Parallel()
	judged(t, &Options{Platform: "posix"}, check.World{}, map[string]string{
		"~":                       atHome,
		"~/x":                     atHome,
		"~root":                   atHome,
		"~root/x":                 atHome,
		`~\x`:                     atHome,
		"~+/x":                    atHome,
		" ~/x":                    atHome,
		"%7e/x":                   atHome,
		"~.md":                    fine,
		"~$report.docx":           fine,
		"~backup.txt":             fine,
		"file~":                   fine,
		"a/~/b":                   fine,
		"./~root":                 fine,
		"$HOME":                   byVariable,
		"$HOME/x":                 byVariable,
		"$HOME.bak":               byVariable,
		"${x}/y":                  byVariable,
		"$lib/x":                  byVariable,
		"$env:APPDATA/x":          byVariable,
		"%APPDATA%/x":             byVariable,
		"%ProgramFiles(x86)%/x":   byVariable,
		"%SystemDrive:~0,1%":      byVariable,
		"%2524HOME/x":             byVariable,
		"$.md":                    fine,
		"$id.tsx":                 fine,
		"$5.txt":                  fine,
		"a/$HOME/b":               fine,
		"routes/a.$b.tsx":         fine,
		"./$HOME":                 fine,
		"a${":                     fine,
		"file:///etc/passwd":      url,
		"FILE:/x":                 url,
		"file:x":                  url,
		"jar:file:/x!/y":          url,
		"php://filter/x":          url,
		"url:file:/x":             url,
		`smb:\\h\s`:               url,
		"data:text/plain;base64,": url,
		"file%3A%2F%2Fx":          url,
		"foo:bar":                 fine,
		"std::vector.md":          fine,
		"C++/main.cpp":            fine,
		"data:2026.csv":           fine,
		"a/b://c":                 fine,
		"a$(id)b":                 shellish,
		"a`id`b":                  shellish,
		"a%24%28id%29":            shellish,
		"back`tick":               fine,
		"($lang)._index.tsx":      fine,
		"$(":                      fine,
	})
}

// TestCustom holds that what some servers take on purpose only warns where nothing says
// which directories are allowed, and that the warning hides nothing.
func TestCustom(t *testing.T) {
	t.Parallel()
	known, unknown := &Options{Within: []string{"/srv"}}, &Options{Platform: "posix"}
	for path, want := range map[string]string{"~/x": atHome, "$HOME/x": byVariable, "%7E": atHome, "https://example.org/x": url} {
		for o, severity := range map[*Options]check.Severity{known: check.Error, unknown: check.Warning} {
			faults := o.judge(check.World{}, path)
			if len(faults) != 1 || faults[0].severity != severity || !strings.HasPrefix(faults[0].message, want) {
				t.Errorf("%q: got %+v, want %q with severity %v", path, faults, want, severity)
			}
		}
	}
	for _, path := range []string{"~/a%00", "$HOME/a\n", "~/%2e%2e/%2e%2e/x", "http://x/\x00", "http://x/%00", "\u200ea%00", "$X/$(id)", "\u200e%2e%2e/x"} {
		if !refused(unknown.judge(check.World{}, path)) {
			t.Errorf("%q is not refused", path)
		}
	}
	windowsPaths := &Options{Platform: "windows"}
	for _, path := range []string{"~/NUL", "\u200ea:b", "%X%/a.\\b"} {
		if !refused(windowsPaths.judge(check.World{}, path)) {
			t.Errorf("%q is not refused on Windows", path)
		}
	}
}

// TestVariablesInside holds that a ".." behind a variable counts as if that were empty.
func TestVariablesInside(t *testing.T) {
	t.Parallel()
	judged(t, &Options{Within: []string{"/srv/data"}}, check.World{}, map[string]string{
		"a/$X/..":           fine,
		"a/$X/../..":        outside,
		"a/${X}/../../b":    outside,
		"a/%X%/../../b":     outside,
		".${X}./b":          outside,
		"a/$X.tsx/../..":    fine,
		"%2e%home%x/../..b": fine,
	})
}

func TestWithoutRoots(t *testing.T) {
	t.Parallel()
	judged(t, &Options{Platform: "posix"}, check.World{}, map[string]string{
		"/etc/passwd":      fine,
		"/a/../../b":       fine,
		"../x":             fine,
		"a/../../x":        fine,
		`..\x`:             fine,
		`\x`:               fine,
		"../a%20b":         fine,
		`..\a%20b`:         fine,
		`a\..\..\b%20c`:    fine,
		"../données.csv":   fine,
		"a%2f..%2fb":       fine,
		"%2e%2e/x":         disguise,
		"a%2f..%2f..%2fb":  disguise,
		"/a/%2e%2e/b":      disguise,
		"．．/x":             disguise,
		"../a/%2e%2e/../b": disguise,
		"%2fetc":           rooted,
		"／etc":             rooted,
		`\\host\share`:     share,
		"C:\\x":            drive,
		"a%00":             nulByte,
	})
	judged(t, &Options{Platform: "posix"}, check.World{Base: "/home/u"}, map[string]string{
		"/etc/passwd":      fine,
		"x/../y":           fine,
		"../u/x":           fine,
		"../x":             above,
		"a/../../x":        above,
		`..\x`:             above,
		"../uu/x":          above,
		"%2e%2e/x":         above,
		"%2fhome/u/x":      rooted,
		"/home/u/%2e%2e/x": disguise,
	})
}

func TestUnusableRoots(t *testing.T) {
	t.Parallel()
	for _, world := range []check.World{
		{Roots: []string{"srv/data"}},
		{Roots: []string{"srv/data"}, Base: "/srv"},
		{Roots: []string{""}},
	} {
		o := &Options{Platform: "posix"}
		judged(t, o, world, map[string]string{"x": outside, "/srv/data/x": outside, "srv/data/x": outside, "/": outside})
	}
	judged(t, &Options{Within: []string{"/"}}, check.World{}, map[string]string{"/": fine, "/etc/x": fine, "../x": fine, `\x`: fine})
}

// TestRootsThatLookEncoded holds that roots are taken as they stand, and that paths in
// them are not refused for what the root itself would decode to.
func TestRootsThatLookEncoded(t *testing.T) {
	t.Parallel()
	o := &Options{Within: []string{"/srv/a%20b", "/srv/ＤＡＴＡ", `/srv/c\d`}}
	judged(t, o, check.World{}, map[string]string{
		"/srv/a%20b/x":       fine,
		"/srv/ＤＡＴＡ/x":        fine,
		`/srv/c\d/x`:         fine,
		"/srv/a b/x":         outside,
		"/srv/DATA/x":        outside,
		"/srv/c/d/x":         outside,
		"/srv/a%20b/%2e%2e/": outside,
	})
}
