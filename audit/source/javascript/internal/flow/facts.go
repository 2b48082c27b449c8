// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

// Bits say which attacks are excluded: each names a family of values that an argument cannot have
// where the bit is set. Guards are read by trying the family on them (predicate.go), so a check that
// forgets a family is seen to.
type Bits uint64

// Families of paths.
const (
	bitDots    Bits = 1 << iota // climbs with ".."
	bitAbs                      // leads elsewhere from the root
	bitSibling                  // begins as the allowed folder does: /root-evil
	bitReal                     // symbolic links were resolved before it was looked at

	// Families of a shell's words.
	bitSemi
	bitDollar
	bitTick
	bitPipe
	bitAmp
	bitNewline
	bitQuote  // leaves double quotes
	bitSingle // leaves single quotes
	bitSpace
	bitDash

	// Families of hosts.
	bitLocalhost
	bitLoopback
	bitTen
	bitOneSevenTwo
	bitOneNineTwo
	bitLinkLocal
	bitZero
	bitLoopback6
	bitMapped6
	bitPublic     // any host of the internet
	bitHostPrefix // begins or ends as an allowed one does

	bitTyped // its type was looked at
)

// What else is told of a value. The families of hosts stand once more, shifted, for the addresses
// that a name resolves to. That the root of a path ends with a slash is told of the origin 0.
const (
	dnsShift                 = 30
	bitRootSlash        Bits = 1 << 58
	bitCheckedAtConnect Bits = 1 << 59
	bitAddress          Bits = 1 << 60 // a host that is an address and no name: it resolves to itself
)

const (
	bitsPath    = bitDots | bitAbs | bitSibling
	bitsShell   = bitSemi | bitDollar | bitTick | bitPipe | bitAmp | bitNewline
	bitsPrivate = bitLocalhost | bitLoopback | bitTen | bitOneSevenTwo | bitOneNineTwo | bitLinkLocal | bitZero | bitLoopback6 | bitMapped6
	bitsHost    = bitsPrivate | bitPublic | bitHostPrefix
	bitsCore    = bitLoopback | bitTen | bitOneSevenTwo | bitOneNineTwo | bitLinkLocal
	bitsAll     = ^Bits(0)
)

// facts are what is known of the arguments on a way through the program, by their origin. They are
// sorted and never changed. Mostly nothing is known, and values have many of them: so they are one pointer.
type facts struct{ list *[]fact }

type fact struct {
	origin int
	bits   Bits
}

// factsOf are facts that are sorted.
func factsOf(list []fact) facts {
	if len(list) == 0 {
		return facts{}
	}
	return facts{&list}
}

func (f facts) all() []fact {
	if f.list == nil {
		return nil
	}
	return *f.list
}

func (f facts) of(origin int) Bits {
	for _, x := range f.all() {
		if x.origin == origin {
			return x.bits
		}
	}
	return 0
}

func known(origin int, bits Bits) facts {
	if bits == 0 {
		return facts{}
	}
	return factsOf([]fact{{origin, bits}})
}

// and is what is known where both are.
func (f facts) and(other facts) facts {
	if other.list == nil {
		return f
	}
	if f.list == nil {
		return other
	}
	f1, f2 := f.all(), other.all()
	out := make([]fact, 0, len(f1)+len(f2))
	i, j := 0, 0
	for i < len(f1) || j < len(f2) {
		switch {
		case j == len(f2) || i < len(f1) && f1[i].origin < f2[j].origin:
			out = append(out, f1[i])
			i++
		case i == len(f1) || f2[j].origin < f1[i].origin:
			out = append(out, f2[j])
			j++
		default:
			out = append(out, fact{f1[i].origin, ofAddress(f1[i].bits | f2[j].bits)})
			i++
			j++
		}
	}
	return factsOf(out)
}

// ofAddress adds what is known of what an address resolves to.
func ofAddress(b Bits) Bits {
	if b&bitAddress != 0 {
		b |= b & bitsPrivate << dnsShift
	}
	return b
}

// ofAddresses adds to what is known where a condition holds what follows for a host that then is an
// address.
func (st *state) ofAddresses(v Value) Value {
	for i := range v {
		v[i].yes, v[i].no = v[i].yes.ofAddresses(st.facts), v[i].no.ofAddresses(st.facts)
	}
	return v
}

func (f facts) ofAddresses(before facts) facts {
	out := f
	for _, x := range f.all() {
		if x.bits&bitAddress != 0 {
			out = out.and(known(x.origin, before.of(x.origin)&bitsPrivate<<dnsShift))
		}
	}
	return out
}

// or is what is known where one of both is, it is not known which.
func (f facts) or(other facts) facts {
	if f == other {
		return f
	}
	var out []fact
	f1, f2 := f.all(), other.all()
	for i, j := 0, 0; i < len(f1) && j < len(f2); {
		switch {
		case f1[i].origin < f2[j].origin:
			i++
		case f2[j].origin < f1[i].origin:
			j++
		default:
			if b := f1[i].bits & f2[j].bits; b != 0 {
				out = append(out, fact{f1[i].origin, b})
			}
			i++
			j++
		}
	}
	return factsOf(out)
}
