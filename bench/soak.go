// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
)

// soakSize is the size of a soak.
type soakSize struct {
	servers, clients int
	duration         time.Duration // of the phases before, again, trouble and after, together
	drain            time.Duration // bounds the wait for the gateway to free its resources after the clients have left
}

// A footprint is a measurement of the gateway's resources.
type footprint struct {
	when       string
	goroutines int
	heap       float64 // bytes in use
	resident   float64 // bytes
}

// runSoak prints how a gateway bears load.
func runSoak(ctx context.Context, f flags, p programs, dir string, out io.Writer) error {
	dir = filepath.Join(dir, "fleet")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	size := soakSize{servers: 20, clients: 200, duration: f.soak, drain: 2 * time.Minute}
	l, footprints, err := soak(ctx, p, f.everything, dir, size)
	if err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	fmt.Fprintf(out, "%s, %s/%s, %d processors; %d servers, %d clients, %v\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(),
		size.servers, size.clients, size.duration)
	writeLoad(out, l)
	fmt.Fprintln(out)
	writeFootprints(out, footprints)
	return nil
}

// soak puts load on "toolvet serve". An answer that is wrong, late or missing is an error. Two failures are none: the
// hanging server does not answer, and the killed server is reported as down.
func soak(ctx context.Context, p programs, everything, dir string, size soakSize) (*load, []footprint, error) {
	fleet, err := newFleet(p, everything, dir, size.servers)
	if err != nil {
		return nil, nil, err
	}
	policy, err := fleet.writePolicy()
	if err != nil {
		return nil, nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, nil, err
	}
	gateway, err := startDaemon(ctx, nil, p.toolvet, "serve", "--policy", policy, "--listen", address(port))
	if err != nil {
		return nil, nil, err
	}
	defer gateway.close()
	if err := answers(ctx, "http://"+address(port)+"/healthz", gateway); err != nil {
		return nil, nil, err
	}
	l := &load{url: endpoint(port), fleet: fleet, patience: time.Minute}
	var footprints []footprint
	metrics := "http://" + address(port) + "/metrics"
	look := func(when string) error {
		seen, err := look(ctx, metrics, when)
		footprints = append(footprints, seen)
		return err
	}
	if err := look("before the first client"); err != nil {
		return nil, nil, err
	}
	calling, stop := context.WithCancel(ctx)
	defer stop()
	leave, err := l.start(calling, size.clients)
	if err != nil {
		return nil, nil, err
	}
	quarter := size.duration / 4
	for _, step := range []func() error{
		func() error { return l.pass(ctx, warming, 0) },
		func() error { return l.pass(ctx, before, quarter) },
		func() error { return l.pass(ctx, again, quarter) },
		func() error { return look("with all clients") },
		func() error { return l.harm(ctx, quarter) },
		func() error { return look("after the trouble") },
		func() error { return l.pass(ctx, after, quarter) },
		func() error { return look("and a while later") },
	} {
		if err = step(); err != nil {
			break
		}
	}
	stop()
	leave()
	if err != nil {
		return nil, nil, err
	}
	left, err := drained(ctx, metrics, "when all have left", footprints[0], size.drain)
	if err != nil {
		return nil, nil, err
	}
	if err := (&load{url: l.url, fleet: fleet, patience: l.patience}).visit(ctx, size.clients); err != nil {
		return nil, nil, err
	}
	last, err := drained(ctx, metrics, "when they have come and left again", footprints[0], size.drain)
	return l, append(footprints, left, last), err
}

// visit makes clients come, make one call each, and leave.
func (l *load) visit(ctx context.Context, clients int) error {
	calling, stop := context.WithCancel(ctx)
	defer stop()
	leave, err := l.start(calling, clients)
	if err != nil {
		return err
	}
	err = l.pass(ctx, warming, 0)
	stop()
	leave()
	return err
}

// harm kills one server, and makes another hang for a time.
func (l *load) harm(ctx context.Context, d time.Duration) error {
	l.phase.Store(int32(harming))
	if err := errors.Join(l.fleet.signal(killed, "KILL"), l.fleet.signal(hanging, "STOP")); err != nil {
		return err
	}
	err := l.pass(ctx, trouble, d)
	return errors.Join(err, l.fleet.signal(hanging, "CONT"))
}

// drained waits until the gateway has no more goroutines than at first and has given its memory back. It returns the
// last footprint.
func drained(ctx context.Context, metrics, when string, first footprint, d time.Duration) (footprint, error) {
	for late := time.Now().Add(d); ; {
		last, err := look(ctx, metrics, when)
		if err != nil || time.Now().After(late) || last.goroutines <= first.goroutines && last.resident <= returned*first.resident {
			return last, err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return last, context.Cause(ctx)
		}
	}
}

// returned is the tolerance for memory in comparison with the start: the first client makes the gateway build what
// all share.
const returned = 1.5

// answers waits until a new program answers at a URL.
func answers(ctx context.Context, url string, program *daemon) error {
	for late := time.After(30 * time.Second); ; {
		_, err := get(ctx, url)
		if err == nil {
			return nil
		}
		select {
		case <-program.ended:
			return program.failed()
		case <-late:
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// look reads a footprint from the metrics.
func look(ctx context.Context, url, when string) (footprint, error) {
	text, err := get(ctx, url)
	if err != nil {
		return footprint{}, err
	}
	f := footprint{when: when}
	for line := range bytes.Lines(text) {
		name, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		n, err := strconv.ParseFloat(string(value), 64)
		switch {
		case err != nil:
		case string(name) == "go_goroutines":
			f.goroutines = int(n)
		case string(name) == "go_memstats_heap_inuse_bytes":
			f.heap = n
		case string(name) == "process_resident_memory_bytes":
			f.resident = n // 0 if the operating system does not tell
		}
	}
	if f.goroutines == 0 {
		return f, errors.New("the metrics lack go_goroutines")
	}
	return f, nil
}

func get(ctx context.Context, url string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	r.Close = true
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return io.ReadAll(answer.Body)
}

// writeLoad prints the servers' answers by phase.
func writeLoad(w io.Writer, l *load) {
	fmt.Fprintln(w, "| phase | the others: calls | p50 ms | p99 ms | p99 of before's | refused: a check was late | the killed one: right | said to be down | the hanging one: right | given up |")
	fmt.Fprintln(w, "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	first := l.others(before)
	for _, row := range []struct {
		phase
		label string
	}{{before, "before"}, {again, "before, again"}, {trouble, "trouble"}, {after, "after"}} {
		others, dead, hung := l.others(row.phase), l.tallies[row.phase][killed], l.tallies[row.phase][hanging]
		fmt.Fprintf(w, "| %s | %d | %s | %s | %s | %d | %d | %d | %d | %d |\n", row.label,
			len(others.latencies), millis(others.percentile(0.5)), millis(others.percentile(0.99)), ratio(others.percentile(0.99), first.percentile(0.99)), others.late,
			len(dead.latencies), dead.told, len(hung.latencies), hung.givenUp)
	}
}

func millis(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond)) }

// writeFootprints prints the resources of the gateway's process.
func writeFootprints(w io.Writer, footprints []footprint) {
	fmt.Fprintln(w, "| when | goroutines | heap MB | resident MB |")
	fmt.Fprintln(w, "|---|--:|--:|--:|")
	for _, f := range footprints {
		fmt.Fprintf(w, "| %s | %d | %.0f | %.0f |\n", f.when, f.goroutines, f.heap/1e6, f.resident/1e6)
	}
}
