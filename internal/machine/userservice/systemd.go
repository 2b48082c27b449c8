// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package userservice

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

var systemd = &Manager{
	file: func(home, name string) string { return filepath.Join(unitDir(home), name+".service") },
	traces: func(home, name string) []string {
		return []string{filepath.Join(unitDir(home), "default.target.wants", name+".service")}
	},
	text: unit,
	ask: func(name string) []string {
		return []string{"systemctl", "--user", "show", name + ".service", "--property=ActiveState,UnitFileState,Result"}
	},
	read: properties,
	Start: func(name, _ string) []string {
		return []string{"systemctl --user daemon-reload", "systemctl --user enable " + name + ".service", "systemctl --user restart " + name + ".service",
			"loginctl enable-linger   # so that it runs while you are not logged in"}
	},
	Stop: func(name, _ string) []string {
		return []string{"systemctl --user stop " + name + ".service", "systemctl --user daemon-reload"}
	},
	Log: func(name, _ string) []string { return []string{"journalctl --user -u " + name + ".service"} },
}

// unitDir returns the directory of a user's units (systemd.unit(5)).
func unitDir(home string) string {
	config := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) {
		config = filepath.Join(home, ".config")
	}
	return filepath.Join(config, "systemd", "user")
}

// unit writes a service for systemd.
func unit(_ string, s *Service) (string, error) {
	// Systemd takes these values literally; only % can be escaped.
	if strings.ContainsFunc(s.Dir, control) || strings.TrimSpace(s.Dir) != s.Dir || strings.HasSuffix(s.Dir, `\`) {
		return "", errors.New("systemd cannot use this directory: its path has control characters, or a space or a backslash at its end")
	}
	if strings.ContainsFunc(s.Command[0], control) || strings.ContainsAny(s.Command[0], `"'\`) {
		return "", errors.New("systemd runs no program whose path has quotes, backslashes or control characters: put it elsewhere")
	}
	command := []string{quote(strings.ReplaceAll(s.Command[0], "%", "%%"))}
	for _, a := range s.Command[1:] {
		command = append(command, quote(strings.NewReplacer("%", "%%", "$", "$$").Replace(a)))
	}
	var environment []string
	for _, e := range s.Environment {
		environment = append(environment, "Environment="+quote(strings.ReplaceAll(e, "%", "%%"))+"\n")
	}
	return fmt.Sprintf(`# %s
[Unit]
Description=%s
StartLimitIntervalSec=300
StartLimitBurst=10

[Service]
Type=exec
WorkingDirectory=%s
%s# Variables that the policy names can be set here, as NAME=VALUE, a line each:
EnvironmentFile=-%%h/.config/toolvet/%s.env
ExecStart=%s
Restart=on-failure
RestartSec=5
# The scheduler alone is asked to stop: runs under way have 30 seconds, with the servers that they need.
KillMode=mixed
TimeoutStopSec=%d
# A server that takes too much memory is ended, not all.
OOMPolicy=continue
# What else could be walled off, servers may need: compilers of scripts, and namespaces for rehearsals.
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
LimitCORE=0

[Install]
WantedBy=default.target
`, marker, s.Description, strings.ReplaceAll(s.Dir, "%", "%%"), strings.Join(environment, ""), s.Name, strings.Join(command, " "), int(s.Stop.Seconds())), nil
}

func control(r rune) bool { return r < ' ' || r == 0x7f }

// quote quotes a text as one word (systemd.syntax(7), Quoting).
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
