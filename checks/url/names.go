// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package url

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/checks/url/internal/address"
)

// names are hosts that lead inside for any resolver, and all names below them. They are looked up
// label by label: "internal" stands for "db.internal" as well.
var names = map[string]address.Class{
	// RFC 6761, section 6.3, and what systems write into /etc/hosts
	"localhost":     loopbackName,
	"localdomain":   loopbackName,
	"localhost4":    loopbackName,
	"localhost6":    loopbackName,
	"ip6-localhost": loopbackName,
	"ip6-loopback":  loopbackName,
	"loopback":      loopbackName,
	"broadcasthost": loopbackName,

	// Public names that always answer with an address of this machine
	"localtest.me": loopbackName,
	"lvh.me":       loopbackName,
	"vcap.me":      loopbackName,
	"local.gd":     loopbackName,

	// Public names that change their address between two questions
	"rbndr.us":       rebindingName,
	"rebind.network": rebindingName,
	"1u.ms":          rebindingName,

	// Containers and their host
	"host.docker.internal":       loopbackName,
	"host.containers.internal":   loopbackName,
	"gateway.docker.internal":    loopbackName,
	"kubernetes.docker.internal": loopbackName,
	"host.lima.internal":         loopbackName,
	"host.minikube.internal":     loopbackName,

	// Clouds
	"metadata.google.internal":          metadataName,
	"metadata.goog":                     metadataName,
	"metadata":                          metadataName,
	"instance-data":                     metadataName,
	"instance-data.ec2.internal":        metadataName,
	"metadata.azure.internal":           metadataName,
	"metadata.packet.net":               metadataName,
	"metadata.platformequinix.com":      metadataName,
	"metadata.tencentyun.com":           metadataName,
	"metadata.exoscale.com":             metadataName,
	"api.metadata.cloud.ibm.com":        metadataName,
	"rancher-metadata":                  metadataName,
	"rancher-metadata.rancher.internal": metadataName,

	// RFC 6762 appendix G, RFC 8375, ICANN's reservations (internal, 2024; corp and home,
	// 2018), and what routers, clusters and service registries answer for
	"local":      privateName,
	"internal":   privateName,
	"intranet":   privateName,
	"private":    privateName,
	"corp":       privateName,
	"home":       privateName,
	"home.arpa":  privateName,
	"lan":        privateName,
	"localnet":   privateName,
	"fritz.box":  privateName,
	"svc":        privateName,
	"kubernetes": privateName,
	"default":    privateName,
	"consul":     privateName,
	"nomad":      privateName,
	"mesos":      privateName,
	"priv":       privateName,
	"workgroup":  privateName,
	"wpad":       privateName,
	"isatap":     privateName,
	"router":     privateName,
	"gateway":    privateName,
}

var (
	rebindingName = address.Class{Group: address.Special, Name: "a name that changes its address between two questions"}
	loopbackName  = address.Class{Group: address.Loopback, Name: "a name of this machine"}
	metadataName  = address.Class{Group: address.Metadata, Name: "a name of cloud metadata"}
	privateName   = address.Class{Group: address.Private, Name: "a name that only a private network answers"}
)

// classifyName says what a name leads to, as far as the name says it. The name is in lower
// case and has no dot at its end.
func classifyName(name string) address.Class {
	for more := true; more; _, name, more = strings.Cut(name, ".") {
		if class, ok := names[name]; ok {
			return class
		}
	}
	return address.Class{}
}

// spelling are services that answer a name with the address in it, public or not.
var spelling = []string{"nip.io", "sslip.io", "xip.io", "traefik.me"}

// spellsAddress reports whether a name belongs to such a service.
func spellsAddress(name string) bool {
	return slices.ContainsFunc(spelling, func(service string) bool { return below(name, service) })
}

// below reports whether a name is another or lies below it.
func below(name, other string) bool {
	rest, ok := strings.CutSuffix(name, other)
	return ok && (rest == "" || strings.HasSuffix(rest, "."))
}
