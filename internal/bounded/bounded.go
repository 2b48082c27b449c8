// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package bounded lets the checks of toolvet itself say what no other check can: that they are toolvet's, and that they
// need no goroutine. A check that breaks the promise holds up the caller of Judge, so it is not for everybody to make.
package bounded

import (
	"context"
	"errors"
)

// A Promise says that a check waits for nothing, and returns within a time that its own limits set. The zero
// Promise is none.
type Promise struct{ own, made, tried bool }

// Promised is the promise.
func Promised() Promise { return Promise{own: true, made: true} }

// Unpromised is what a check of toolvet says that may wait. It may have a reserved name.
func Unpromised() Promise { return Promise{own: true} }

// Tried is what a check of toolvet says that may wait, and knows before it does. With the context of [Promptly] it keeps
// the promise, and returns [ErrWaits] where it cannot.
func Tried() Promise { return Promise{own: true, tried: true} }

// Tries reports whether the check knows [Promptly].
func (p Promise) Tries() bool { return p.tried }

// ErrWaits is the error of a check that would have to wait. Its driver runs it again, in a goroutine.
var ErrWaits = errors.New("it would have to wait")

type promptKey struct{}

// Promptly returns a context for a run that nobody can leave behind.
func Promptly(ctx context.Context) context.Context { return context.WithValue(ctx, promptKey{}, true) }

// Prompt reports whether ctx is from Promptly.
func Prompt(ctx context.Context) bool { return ctx.Value(promptKey{}) != nil }

// Own reports whether the check is toolvet's.
func (p Promise) Own() bool { return p.own }

// Holds reports whether the promise is made.
func (p Promise) Holds() bool { return p.made }
