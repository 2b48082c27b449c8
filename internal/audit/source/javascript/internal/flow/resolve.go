// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"net/netip"
	"strings"
)

// Names and addresses. A request goes to an address, and a name can resolve to any: the owner of
// a name sets its addresses, and may change them between a check and the request.

// resolveName is a look-up of a host name. The addresses are the argument in another form: guards
// of them count for the shifted families, which say where the request really goes.
//
//	const { address } = await dns.lookup(url.hostname)
//	if (isPrivate(address)) throw …
//
// A failed look-up throws. The request would fail, too, for the same name, so a catch around it
// may assume that all internal addresses are excluded; the catcher collects these facts.
//
// dns.lookup gives an address back as it is; dns.resolve fails for one. Options and the kind of
// function decide whether the result is an address, an object or a list.
func (in *interp) resolveName(name string, host Value, args []Value, at position) Value {
	address := unknownDepIf(host.depends())
	if list := host.tainted(); len(list) > 0 {
		// See exceptions.go: if the look-up throws, so does the request.
		if c := in.state.catcher; c != nil {
			for _, h := range list {
				c.resolved = c.resolved.and(known(h.origin.id, bitsPrivate<<dnsShift))
			}
		}
		address = reshape(host, func(h hole) hole {
			h.form, h.lookup = formAddress, !strings.Contains(name, "resolve")
			return h
		})
	}
	o := in.heap.newObject("")
	in.heap.set(o, "address", address)
	in.heap.set(o, "family", unknown())
	list := in.heap.newArray()
	// dns.resolve gives a list of texts.
	if strings.Contains(name, "resolve") {
		list.array.rest = address
		in.nodeCallback(args, objectOf(list), at)
		return objectOf(list)
	}
	all := truth(false)
	if opts := arg(args, 1); len(opts) == 1 && opts[0].kind == isObject && opts[0].obj.call == nil {
		all = in.get(opts, "all", at)
	}
	list.array.rest = objectOf(o)
	// dns.lookup gives one object, or with { all: true } a list of them.
	yes, no := choices(all)
	var out Value
	if yes.possible {
		out = join(out, objectOf(list))
		in.nodeCallback(args, objectOf(list), at)
	}
	if no.possible {
		out = join(out, objectOf(o))
		in.nodeCallback(args, address, at)
	}
	return out
}

// isIP is net.isIP and its like. net.isIP gives 0, 4 or 6: where it is not 0, the host is an
// address, and checks of its text are checks of the address.
func (in *interp) isIP(name string, v Value) Value {
	s, ok := v.one()
	if !ok {
		switch name {
		case "net.isIP":
			out := unknownDepIf(v.depends())
			for _, h := range textOf(v).tainted() {
				if h.form == formHost {
					out[0].yes = out[0].yes.and(known(h.origin.id, bitAddress))
				}
			}
			return out
		}
		return in.state.holds(v, nil, func(s, _ string) ternary { return tern(ipVersion(s, name) != 0) })
	}
	n := ipVersion(s, name)
	if name == "net.isIP" {
		return number(float64(n))
	}
	return truth(n != 0)
}

// ipVersion is the version of an address as the function sees it: net.isIPv4 knows no version 6.
func ipVersion(s, name string) int {
	a, err := netip.ParseAddr(s)
	switch {
	case err != nil:
		return 0
	case a.Is4():
		if name == "net.isIPv6" {
			return 0
		}
		return 4
	}
	if name == "net.isIPv4" {
		return 0
	}
	return 6
}
