// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package urlstate

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/url"
)

// nameServer answers DNS on loopback, and returns its address.
func nameServer(t *testing.T, answer func(q dnsmessage.Question) (dnsmessage.RCode, []dnsmessage.ResourceBody)) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	t.Cleanup(func() { conn.Close(); <-served })
	go func() {
		defer close(served)
		buffer := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buffer[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			code, bodies := answer(m.Questions[0])
			if code == silent {
				continue
			}
			m.Header = dnsmessage.Header{ID: m.ID, Response: true, RecursionAvailable: true, RCode: code}
			m.Additionals, m.Answers = nil, nil
			for _, body := range bodies {
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: m.Questions[0].Name, Class: dnsmessage.ClassINET, TTL: 1}, Body: body})
			}
			if packed, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(packed, from) // the resolver asks again if it is lost
			}
		}
	}()
	return conn.LocalAddr().String()
}

// silent stands for no answer at all.
const silent = dnsmessage.RCode(0xfff)

// TestNameServer has the world's resolver, and no other, be asked: a real name server on
// loopback.
func TestNameServer(t *testing.T) {
	t.Parallel()
	world := check.World{Resolver: nameServer(t, func(q dnsmessage.Question) (dnsmessage.RCode, []dnsmessage.ResourceBody) {
		v4 := func(a ...byte) []dnsmessage.ResourceBody {
			if q.Type != dnsmessage.TypeA {
				return nil
			}
			return []dnsmessage.ResourceBody{&dnsmessage.AResource{A: [4]byte(a)}}
		}
		switch q.Name.String() {
		case "metadata.example.":
			return dnsmessage.RCodeSuccess, v4(169, 254, 169, 254)
		case "public.example.":
			return dnsmessage.RCodeSuccess, v4(93, 184, 215, 14)
		case "only6.example.":
			if q.Type == dnsmessage.TypeAAAA {
				return dnsmessage.RCodeSuccess, []dnsmessage.ResourceBody{&dnsmessage.AAAAResource{AAAA: [16]byte{0xfd, 0, 0x0e, 0xc2, 14: 2, 15: 0x54}}}
			}
			return dnsmessage.RCodeSuccess, nil
		case "broken.example.":
			return dnsmessage.RCodeServerFailure, nil
		case "silent.example.":
			return silent, nil
		}
		return dnsmessage.RCodeNameError, nil
	})}
	c := newCheck(noResolver(t), noDial(t))
	for host, want := range map[string]string{
		"public.example":   "",
		"metadata.example": "error /url: the host resolves to the address of cloud metadata: only public hosts are allowed\n→ name a public host\n",
		"only6.example":    "error /url: the host resolves to the address of AWS's metadata: only public hosts are allowed\n→ name a public host\n",
		"unknown.example":  "error /url: the host does not exist: the resolver knows no address for it\n→ check how the host is spelt\n",
		"broken.example":   "error /url: the host could not be resolved, because the resolver failed; nothing is known of its addresses\n",
		"silent.example":   lateText,
	} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			limit := time.Minute
			if host == "silent.example" {
				limit = 300 * time.Millisecond // all of it will be waited for
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			if diff := cmp.Diff(want, runIn(ctx, t, world, c, &url.Options{Resolve: true}, "https://"+host+"/")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if host != "broken.example" {
				return
			}
			want := "warning" + strings.TrimPrefix(want, "error")
			if diff := cmp.Diff(want, runIn(ctx, t, world, c, &url.Options{Resolve: true, Existence: true}, "https://"+host+"/")); diff != "" {
				t.Errorf("in a job: (-want +got):\n%s", diff)
			}
		})
	}
}
