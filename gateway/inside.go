// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

// innerGateway is a Gateway with the methods that only toolvet's daemon uses. Package internal/serving documents them.
type innerGateway struct{ *Gateway }

// Inside is for toolvet's own packages: the type of its value is internal.
func (g *Gateway) Inside() any { return innerGateway{g} }
