// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

// innerGate is a Gate with the methods that only toolvet's doors use. Package internal/inside documents them.
type innerGate struct{ *Gate }

// Inside is for toolvet's own packages: the type of its value is internal.
func (g *Gate) Inside() any { return innerGate{g} }
