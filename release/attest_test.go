// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	"golang.org/x/mod/modfile"
)

// TestSBOM compares the bill of materials with what the linker wrote into the program, and with the versions that cmd/go.mod
// requires: "go install" takes those.
func TestSBOM(t *testing.T) {
	t.Parallel()
	c, files, program := unpacked(t)
	var bom cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(bytes.NewReader(files[c.base(here)+".cdx.json"]), cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for _, part := range *bom.Components {
		sum := ""
		if part.Properties != nil {
			sum = (*part.Properties)[0].Value
		}
		listed[part.Name+" "+part.Version] = sum
		if part.Licenses == nil || (*part.Licenses)[0].License == nil && (*part.Licenses)[0].Expression == "" {
			t.Errorf("%s has no licence", part.Name)
		}
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "cmd", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, dep := range info.Deps {
		if strings.HasPrefix(dep.Path, own) {
			continue
		}
		name := dep.Path + " " + dep.Version
		if sum, ok := listed[name]; !ok || sum != dep.Sum {
			t.Errorf("the program links %s %s, and the SBOM says %q", name, dep.Sum, sum)
		}
		delete(listed, name)
		if !slices.ContainsFunc(mod.Require, func(r *modfile.Require) bool { return r.Mod.Path == dep.Path && r.Mod.Version == dep.Version }) {
			t.Errorf("the program links %s, and cmd/go.mod requires no such version: another module of go.work asks for it", name)
		}
	}
	for name := range listed {
		if !strings.HasPrefix(name, own) && !strings.HasPrefix(name, "std ") {
			t.Errorf("the SBOM has %s, and the program does not", name)
		}
	}
	notices, err := os.ReadFile(filepath.Join(filepath.Dir(program), "THIRD_PARTY_NOTICES.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dep := range info.Deps {
		if !strings.HasPrefix(dep.Path, own) && !bytes.Contains(notices, []byte("\n"+dep.Path+" "+dep.Version+"\n")) {
			t.Errorf("the notices leave %s out", dep.Path)
		}
	}
	for _, copied := range []string{"LICENSE.betterleaks", "LICENSE.gitleaks", "LICENSE.unicode", "internal/jsonschema/LICENSE", "Go's standard library"} {
		if !bytes.Contains(notices, []byte(copied)) {
			t.Errorf("the notices leave %s out", copied)
		}
	}
}

// TestProvenance holds that every file is a subject, with its hash.
func TestProvenance(t *testing.T) {
	t.Parallel()
	c, files := release(t)
	var st statement
	d := json.NewDecoder(bytes.NewReader(files[c.Name+"_"+c.version+"_provenance.json"]))
	d.DisallowUnknownFields()
	if err := d.Decode(&st); err != nil {
		t.Fatal(err)
	}
	named := map[string]string{}
	for _, s := range st.Subject {
		named[s.Name] = s.Digest["sha256"]
	}
	for name, data := range files {
		if name != "SHA256SUMS" && !strings.HasSuffix(name, "_provenance.json") && named[name] != digest(data) {
			t.Errorf("%s has the hash %q", name, named[name])
		}
	}
	for _, t2 := range c.Targets {
		if named[c.base(t2)+"/"+c.Name+t2.exe()] == "" {
			t.Errorf("the program for %s is no subject", t2)
		}
	}
	if got := st.Predicate.BuildDefinition.ResolvedDependencies[0].Digest["gitCommit"]; len(strings.TrimSuffix(got, "-modified")) != 40 {
		t.Errorf("the commit is %q", got)
	}
}

func TestIdentify(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Apache License\n   Version 2.0, January 2004":                                               "Apache-2.0",
		"Permission is hereby granted, free of charge, to any\nperson obtaining a copy":              "MIT",
		"Redistribution and use in source and binary forms, with or without\n * Neither the name of": "BSD-3-Clause",
		"Redistribution and use in source and binary forms":                                          "BSD-2-Clause",
		"Mozilla Public License Version 2.0 … GNU General Public License":                            "MPL-2.0",
		"All rights reserved": "",
		"Permission to use, copy, modify, and/or distribute this software for any\npurpose with or without fee is hereby granted. UNICODE LICENSE V3": "ISC Unicode-3.0",
	} {
		if got, err := identify(text); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %v, %v; want %s", text, got, err, want)
		}
	}
	if _, err := identify("GNU GENERAL PUBLIC LICENSE\nVersion 3"); err == nil {
		t.Error("the GPL passes")
	}
}
