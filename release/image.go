// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// The image is an OCI image layout in a tar archive, of one index for all architectures. Its only layer holds the static
// program, the licences and root certificates: there is no shell, and no other program. It runs as a user without rights.

// imageUser is the number that distroless images call nonroot.
const imageUser = "65532:65532"

type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    *platform         `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

const (
	indexType    = "application/vnd.oci.image.index.v1+json"
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.oci.image.config.v1+json"
	layerType    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// A layout collects the blobs of an image.
type layout struct{ blobs []file }

func (l *layout) add(mediaType string, data []byte) descriptor {
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	l.blobs = append(l.blobs, file{"blobs/sha256/" + sum, 0o644, data})
	return descriptor{MediaType: mediaType, Digest: "sha256:" + sum, Size: len(data)}
}

func (l *layout) addJSON(mediaType string, value any) (descriptor, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return descriptor{}, err
	}
	return l.add(mediaType, data), nil
}

// image returns the image for the Linux targets among these.
func (c *config) image(builds []*build, at time.Time) ([]byte, error) {
	var l layout
	var manifests []descriptor
	labels := map[string]string{
		"org.opencontainers.image.title":       c.Name,
		"org.opencontainers.image.description": c.Summary,
		"org.opencontainers.image.source":      c.Repository,
		"org.opencontainers.image.version":     c.version,
		"org.opencontainers.image.licenses":    c.Licence,
		"org.opencontainers.image.created":     at.UTC().Format(time.RFC3339),
		"io.modelcontextprotocol.server.name":  c.Registry, // the MCP Registry demands it
	}
	for _, b := range builds {
		if b.os != "linux" {
			continue
		}
		m, err := c.imageOf(&l, b, labels, at)
		if err != nil {
			return nil, err
		}
		manifests = append(manifests, m)
	}
	if len(manifests) == 0 {
		return nil, nil
	}
	index := map[string]any{"schemaVersion": 2, "mediaType": indexType, "manifests": manifests, "annotations": labels}
	all, err := l.addJSON(indexType, index)
	if err != nil {
		return nil, err
	}
	all.Annotations = map[string]string{"org.opencontainers.image.ref.name": c.version, "io.containerd.image.name": c.Image + ":" + c.version}
	root, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": indexType, "manifests": []descriptor{all}})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(l.blobs, func(a, b file) int { return strings.Compare(a.name, b.name) })
	files := append([]file{{"oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`)}, {"index.json", 0o644, root}}, l.blobs...)
	return tarball(files, at, "", true)
}

// certificates are Mozilla's roots, without those that only hold for some certificates: a PEM file cannot say so.
func certificates() []byte {
	b := bytes.NewBufferString("Mozilla's root certificates (MPL-2.0), from golang.org/x/crypto/x509roots/fallback\n")
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			b.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
		}
	}
	return b.Bytes()
}

func (c *config) imageOf(l *layout, b *build, labels map[string]string, at time.Time) (descriptor, error) {
	inside := append(c.installed(b.program, b.texts), file{"etc/ssl/certs/ca-certificates.crt", 0o644, certificates()})
	slices.SortFunc(inside, func(a, b file) int { return strings.Compare(a.name, b.name) })
	layer, err := tarball(inside, at, "", true)
	if err != nil {
		return descriptor{}, err
	}
	small, err := gzipped(layer)
	if err != nil {
		return descriptor{}, err
	}
	blob := l.add(layerType, small)
	about, err := l.addJSON(configType, map[string]any{
		"created": at.UTC().Format(time.RFC3339), "architecture": b.arch, "os": b.os,
		"config": map[string]any{"User": imageUser, "Entrypoint": []string{"/usr/bin/" + c.Name}, "Cmd": []string{"--help"},
			"WorkingDir": "/", "Env": []string{"PATH=/usr/bin"}, "Labels": labels},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{fmt.Sprintf("sha256:%x", sha256.Sum256(layer))}},
		"history": []map[string]any{{"created": at.UTC().Format(time.RFC3339), "created_by": "go run ./release"}},
	})
	if err != nil {
		return descriptor{}, err
	}
	m, err := l.addJSON(manifestType, map[string]any{"schemaVersion": 2, "mediaType": manifestType, "config": about, "layers": []descriptor{blob}, "annotations": labels})
	m.Platform = &platform{Architecture: b.arch, OS: b.os}
	return m, err
}
