// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package bounded lets the checks of toolvet itself say what no other check can: that they are toolvet's, and that they
// need no goroutine. A check that breaks the promise holds up the caller of Judge, so it is not for everybody to make.
package bounded

// A Promise says that a check waits for nothing, and returns within a time that its own limits set. The zero
// Promise is none.
type Promise struct{ own, made bool }

// Promised is the promise.
func Promised() Promise { return Promise{own: true, made: true} }

// Unpromised is what a check of toolvet says that may wait. It may have a reserved name.
func Unpromised() Promise { return Promise{own: true} }

// Own reports whether the check is toolvet's.
func (p Promise) Own() bool { return p.own }

// Holds reports whether the promise is made.
func (p Promise) Holds() bool { return p.made }
