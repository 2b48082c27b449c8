// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package sarif reads the results of other engines (CodeQL, Semgrep, Bandit, gosec and the like), in the
// form SARIF 2.1.0 of OASIS, as suspicions about a server. [Read] reads a file, and [Log.Suspicions]
// finds the tool and the parameter of each result. A suspicion proves nothing. It steers the probes,
// and it names the line behind their proof.
//
// The files come from anywhere. Read bounds their bytes, results and values, and opens no file that they name.
// Suspicions looks only at files of the audited directory.
package sarif
