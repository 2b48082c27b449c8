// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"testing"

	"github.com/toolvet/toolvet/check"
)

func TestWindows(t *testing.T) {
	t.Parallel()
	o := &Options{Within: []string{`C:\Data`, "d:/x/"}}
	const (
		device   = "names a device of Windows"
		devPath  = "is a device path"
		current  = "begins with a separator and no drive letter"
		relative = "has a drive letter and no separator behind it"
		stream   = "names an alternate data stream"
		dropped  = "has a name that ends with a dot or a space"
		never    = "holds a character that Windows allows in no name"
	)
	judged(t, o, check.World{}, map[string]string{
		`C:\Data\a`:          fine,
		`c:/dAtA/a`:          fine,
		`a\b/c`:              fine,
		`..\Data\x`:          fine,
		`D:\x\y`:             fine,
		"console.log":        fine,
		"com10.txt":          fine,
		"PROGRA~1":           fine,
		`C:\Data2\a`:         outside,
		`C:\Data\..\x`:       outside,
		`C:\..\..\Windows`:   outside,
		`..\x`:               outside,
		`D:\y`:               outside,
		`E:\Data`:            outside,
		`a%5c..%5c..%5cb`:    outside,
		`a／..／..／b`:          outside,
		`\Data\x`:            current,
		`/Data/x`:            current,
		`\??\C:\Data\x`:      current,
		"C:x":                relative,
		"C:":                 relative,
		"a:b":                relative,
		`\\?\C:\Data\x`:      devPath,
		`\\.\PhysicalDrive0`: devPath,
		"//./C:/Data":        devPath,
		`\\h\s\x`:            share,
		"//h/s/x":            share,
		"NUL":                device,
		`a\nul.txt`:          device,
		"com¹.x":             device,
		"Lpt9":               device,
		"CON .txt":           device,
		"conin$":             device,
		"file.txt::$DATA":    stream,
		`a\b:c`:              stream,
		`dir.\x`:             dropped,
		`dir \x`:             dropped,
		`.. \x`:              dropped,
		"...":                dropped,
		"a?b":                never,
		"%APPDATA%/x":        byVariable,
	})
	judged(t, &Options{Within: []string{`\\Srv\share\d`}}, check.World{}, map[string]string{
		`\\srv\SHARE\d\x`:            fine,
		"x":                          fine,
		`\\srv\share\e`:              outside,
		`\\srv\share\d\..\..\..\e\d`: outside,
		`\\srv\other\d`:              outside,
		`..\x`:                       outside,
		`\\?\UNC\srv\share\d\x`:      devPath,
	})
}

func TestPlatform(t *testing.T) {
	t.Parallel()
	remote := check.World{Remote: true}
	for _, tt := range []struct {
		options *Options
		world   check.World
		want    platform
	}{
		{&Options{Platform: "windows"}, check.World{Base: "/x"}, windows},
		{&Options{Platform: "posix"}, check.World{Base: `C:\x`}, posix},
		{&Options{Within: []string{`C:\x`}}, check.World{Base: "/x"}, windows},
		{&Options{}, check.World{Roots: []string{"/x"}}, posix},
		{&Options{}, check.World{Base: `\\h\s\x`}, windows},
		{&Options{Platform: "auto"}, remote, auto},
	} {
		if got := tt.options.confinesFor(tt.world).platform; got != tt.want {
			t.Errorf("%+v in %+v: got %v, want %v", tt.options, tt.world, got, tt.want)
		}
	}
	judged(t, new(Options), remote, map[string]string{`C:\x`: fine, "/x": fine, `\\h\s`: share})
}
