// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package when_test

import (
	"fmt"
	"log"
	"time"

	"github.com/toolvet/toolvet/internal/when"
)

// The clock is put forward on the last Sunday of March: 02:30 does not exist then.
func ExampleParse() {
	zone, err := when.LoadZone("Europe/Berlin")
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, time.March, 27, 12, 0, 0, 0, zone)
	s, err := when.Parse("every day at 2:30", zone, now)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Words())
	for _, t := range s.Times(now, 3) {
		fmt.Println(t.Format(time.RFC1123Z))
	}
	// Output:
	// at 02:30, every day
	// Sat, 28 Mar 2026 02:30:00 +0100
	// Sun, 29 Mar 2026 03:00:00 +0200
	// Mon, 30 Mar 2026 02:30:00 +0200
}

// What is not understood is not guessed at: the error says what may stand there.
func ExampleError() {
	_, err := when.Parse("tuesday at 5", time.UTC, time.Date(2026, time.March, 27, 12, 0, 0, 0, time.UTC))
	fmt.Println(err)
	// Output:
	// the schedule has a time that may be in the morning or in the evening: write for instance "at 5am", "at 5pm", "at 5:00"
}
