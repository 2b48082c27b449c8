// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package userservice

import (
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// label makes a name that is unique among all programs.
func label(name string) string { return "io.github.toolvet." + name }

var launchd = &Manager{
	file: func(home, name string) string {
		return filepath.Join(home, "Library", "LaunchAgents", label(name)+".plist")
	},
	traces: func(string, string) []string { return nil },
	text:   propertyList,
	ask: func(name string) []string {
		return []string{"launchctl", "print", fmt.Sprintf("gui/%d/%s", os.Getuid(), label(name))}
	},
	read: printed,
	Start: func(name, file string) []string {
		return []string{"launchctl bootout gui/$(id -u)/" + label(name) + "   # if it runs already", "launchctl bootstrap gui/$(id -u) " + shell(file)}
	},
	Stop: func(name, _ string) []string { return []string{"launchctl bootout gui/$(id -u)/" + label(name)} },
	Log:  func(name, _ string) []string { return []string{"tail -f ~/Library/Logs/" + label(name) + ".log"} },
}

// propertyList writes a service for launchd (launchd.plist(5)).
func propertyList(home string, s *Service) (string, error) {
	var b strings.Builder
	b.WriteString(xml.Header + `<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">` + "\n<!-- " + marker + " -->\n<plist version=\"1.0\">\n<dict>\n")
	var bad error
	element := func(kind, s string) string {
		var t strings.Builder
		if strings.ContainsFunc(s, unspeakable) {
			bad = errors.New("a path or an argument has control characters, which a property list cannot hold")
		}
		_ = xml.EscapeText(&t, []byte(s)) // a Builder takes all
		return "<" + kind + ">" + t.String() + "</" + kind + ">"
	}
	text := func(s string) string { return element("string", s) }
	key := func(name, value string) { fmt.Fprintf(&b, "\t<key>%s</key>\n\t%s\n", name, value) }
	key("Label", text(label(s.Name)))
	arguments := make([]string, len(s.Command))
	for i, a := range s.Command {
		arguments[i] = "\t\t" + text(a) + "\n"
	}
	key("ProgramArguments", "<array>\n"+strings.Join(arguments, "")+"\t</array>")
	key("WorkingDirectory", text(s.Dir))
	var environment strings.Builder
	for _, e := range s.Environment {
		name, value, _ := strings.Cut(e, "=")
		environment.WriteString("\t\t" + element("key", name) + "\n\t\t" + text(value) + "\n")
	}
	key("EnvironmentVariables", "<dict>\n"+environment.String()+"\t</dict>")
	key("RunAtLoad", "<true/>")
	key("KeepAlive", "<dict>\n\t\t<key>SuccessfulExit</key>\n\t\t<false/>\n\t</dict>")
	key("ThrottleInterval", "<integer>5</integer>")
	key("ExitTimeOut", fmt.Sprintf("<integer>%d</integer>", int(s.Stop.Seconds())))
	key("ProcessType", text("Background"))
	log := text(filepath.ToSlash(filepath.Join(home, "Library", "Logs", label(s.Name)+".log")))
	key("StandardOutPath", log)
	key("StandardErrorPath", log)
	b.WriteString("</dict>\n</plist>\n")
	return b.String(), bad
}

// unspeakable reports whether XML 1.0 cannot represent a character.
func unspeakable(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff
}

// shell quotes a text as one word for a shell.
func shell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
