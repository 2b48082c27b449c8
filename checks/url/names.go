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
var names = named([]classified{
	// RFC 6761, section 6.3, and what systems write into /etc/hosts
	{&loopbackName, `localhost localdomain localhost4 localhost6 localdomain6 ip6-localhost ip6-loopback loopback broadcasthost`},
	// Public names that always answer with an address of this machine
	{&loopbackName, `localtest.me lvh.me localho.st lacolhost.com vcap.me local.gd`},
	// Public names that change their address between two questions
	{&rebindingName, `rbndr.us rebind.network 1u.ms`},
	// Containers and their host
	{&loopbackName, `host.docker.internal host.containers.internal gateway.docker.internal kubernetes.docker.internal host.lima.internal host.minikube.internal`},
	// Clouds
	{&metadataName, `metadata.google.internal metadata.goog metadata instance-data instance-data.ec2.internal metadata.azure.internal metadata.packet.net metadata.platformequinix.com metadata.tencentyun.com metadata.exoscale.com api.metadata.cloud.ibm.com rancher-metadata rancher-metadata.rancher.internal`},
	// RFC 6762 appendix G, RFC 8375, ICANN's reservations (internal, 2024; corp and home,
	// 2018), and what routers, clusters and service registries answer for
	{&privateName, `local internal intranet private corp home home.arpa lan localnet fritz.box mshome.net lxd svc kubernetes default consul nomad mesos priv workgroup wpad isatap router gateway`},
})

// A classified list has names of one class, between blanks.
type classified struct {
	class *address.Class
	names string
}

func named(lists []classified) map[string]address.Class {
	all := map[string]address.Class{}
	for _, l := range lists {
		for name := range strings.FieldsSeq(l.names) {
			all[name] = *l.class
		}
	}
	return all
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
