// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"fmt"
	"net"

	"github.com/toolvet/toolvet/internal/policy"
)

// CheckListen reports an address, HOST:PORT, that is not safe without authorization: any program that reaches it
// could make calls. Only addresses of this machine itself are safe.
func CheckListen(address string, a *policy.Authorization) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("the address to listen at must be HOST:PORT, such as 127.0.0.1:8080")
	}
	if a == nil && !policy.Loopback(host) {
		return fmt.Errorf("without authorization in the policy, everybody who reaches %s could make calls: add it, or listen on 127.0.0.1", address)
	}
	return nil
}
