// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// The files of certificates in /dev inside.
const (
	addedCertificates = "toolvet-added.pem" // [Config.Trust], and certificates from the environment
	allCertificates   = "toolvet-all.pem"   // with the machine's
)

// machineCertificates lists the files with trusted authorities in Linux distributions.
var machineCertificates = []string{
	"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/pki/tls/certs/ca-bundle.crt",
	"/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
}

// Variables that name a file of certificates, in addition to the program's own or instead of them.
var (
	adding    = []string{"NODE_EXTRA_CA_CERTS", "DENO_CERT"}
	replacing = []string{"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "PIP_CERT", "AWS_CA_BUNDLE", "CARGO_HTTP_CAINFO"}
)

// maxCertificates bounds a file of certificates, in bytes.
const maxCertificates = 1 << 20

// trust makes programs trust [Config.Trust], by files below /dev and variables.
func trust(c Config) (files map[string][]byte, variables map[string]string) {
	if len(c.Trust) == 0 {
		return nil, nil
	}
	variables = map[string]string{}
	named := map[string]string{}
	for _, v := range c.Env {
		name, file, _ := strings.Cut(v, "=")
		named[name] = file
	}
	added := joined(c.Trust, certificates(named[adding[0]]))
	machine := certificates(named[replacing[0]])
	for i := 0; machine == nil && i < len(machineCertificates); i++ {
		machine = certificates(machineCertificates[i])
	}
	for _, name := range adding {
		variables[name] = "/dev/" + addedCertificates
	}
	for _, name := range replacing {
		variables[name] = "/dev/" + allCertificates
	}
	return map[string][]byte{addedCertificates: added, allCertificates: joined(added, machine)}, variables
}

// withVariables sets variables of an environment, each once, because programs differ in the choice
// between two values.
func withVariables(env []string, variables map[string]string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		_, ok := variables[name]
		return ok
	})
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		env = append(env, name+"="+variables[name])
	}
	return env
}

// certificates reads a file, or returns nil.
func certificates(file string) []byte {
	if file == "" {
		return nil
	}
	f, err := os.OpenFile(file, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxCertificates+1))
	if err != nil || len(raw) > maxCertificates {
		return nil
	}
	return raw
}

func joined(a, b []byte) []byte {
	if len(b) == 0 {
		return a
	}
	return slices.Concat(a, []byte("\n"), b)
}
