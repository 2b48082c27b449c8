// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
)

// An Unasked is what a coding agent may do without a question, besides what the preset lets pass. It takes nothing from what the preset
// refuses, but for the files that it names. A demand on a tool's argument replaces the preset there, and this with it.
type Unasked struct {
	Kinds       []string `policy:"kinds" doc:"kinds of what the preset asks about, as the answers of hooks name them: privilege, wipe, later, startup, setting, package …"`
	Hosts       []string `policy:"hosts" doc:"hosts besides those that the preset lists, such as intranet.example or *.intranet.example"`
	Directories []string `policy:"directories" doc:"absolute directories besides the project"`
	Commands    []string `policy:"commands" doc:"first words of commands that may delete or publish, such as git branch -D"`
	Files       []string `policy:"files" doc:"files of secrets that pass, such as .env.local; relative names begin where the call does"`
}

// Consentable are the kinds of what commands do that the presets of agents ask about: a person may consent to them, and so may a policy.
func Consentable() []string {
	return strings.Fields("code project setting environment package later elsewhere unread wipe startup network privilege credential outside")
}

// Problems says what is wrong, by the names of the fields in a policy.
func (u *Unasked) Problems() []check.Problem {
	var list []check.Problem
	for _, kind := range u.Kinds {
		if !slices.Contains(Consentable(), kind) {
			list = append(list, check.Problem{Field: "kinds", Message: "must be of " + strings.Join(Consentable(), ", ") + "; what a preset refuses stays refused, and files may name one file of secrets"})
			break
		}
	}
	if slices.ContainsFunc(u.Hosts, func(host string) bool { return !hostName.MatchString(host) || strings.Contains(host, ":") }) {
		list = append(list, check.Problem{Field: "hosts", Message: "must name hosts as HOST or *.HOST"})
	}
	if slices.ContainsFunc(u.Directories, func(dir string) bool {
		return !filepath.IsAbs(dir) || filepath.Dir(filepath.Clean(dir)) == filepath.Clean(dir)
	}) {
		list = append(list, check.Problem{Field: "directories", Message: "must hold absolute paths, and not the root of a file system"})
	}
	for _, words := range u.Commands {
		if wrong := unmatched(words); wrong != "" {
			list = append(list, check.Problem{Field: "commands", Message: "must hold the words that a command begins with, with one blank between them; more may follow: " + wrong})
			break
		}
	}
	if slices.ContainsFunc(u.Files, func(file string) bool { return file == "" || strings.ContainsAny(file, "*?[~$\x00") }) {
		list = append(list, check.Problem{Field: "files", Message: "must name files, without patterns, ~ and variables"})
	}
	return list
}

// unmatched says why no command begins with some words as a shell's parser has them; "" if one may.
func unmatched(words string) string {
	first, _, _ := strings.Cut(words, " ")
	switch {
	case strings.ContainsAny(words, "*?["):
		return "leave out patterns, such as * and :*"
	case strings.ContainsAny(words, "'\"`|;&<>()$\\"):
		return "leave out quotes, variables, and all else that a shell acts on, such as | and ;"
	case slices.Contains(strings.Fields("sudo doas env command exec nohup nice time timeout xargs"), first) || strings.Contains(first, "="):
		return "leave out what starts another command, such as sudo, env and X=1"
	case words == "" || words != strings.Join(strings.Fields(words), " "):
		return "give at least one word"
	}
	return ""
}

// Given reports whether it says anything.
func (u *Unasked) Given() bool {
	return len(u.Kinds)+len(u.Hosts)+len(u.Directories)+len(u.Commands)+len(u.Files) > 0
}
