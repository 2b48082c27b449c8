// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret_test

import (
	"fmt"
	"log"
	"slices"

	"github.com/toolvet/toolvet/scan/secret"
)

func ExampleScanner_Scan() {
	scanner, err := secret.New(secret.Options{})
	if err != nil {
		log.Fatal(err)
	}
	text := "DATABASE_URL=postgres://app:Zx81-kq93mm@db.internal:5432/app"
	for _, m := range slices.Backward(scanner.Scan(text)) {
		text = text[:m.Start] + secret.Marker(m.Pattern) + text[m.End:]
	}
	fmt.Println(text)
	fmt.Println(secret.ContainsMarker(text))
	// Output:
	// DATABASE_URL=postgres://app:[redacted:url-password]@db.internal:5432/app
	// true
}
