// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package render writes the report of an audit: for a terminal, as JSON, SARIF, an HTML page, an SVG
// badge and Markdown. It decides nothing. All text of a report is already printable; see
// [audit.New].
package render
