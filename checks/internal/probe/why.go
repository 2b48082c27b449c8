// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"syscall"
)

// Why says in words what a connection or a request failed of, without any name or address:
// a predicate such as "refuses connections". It is not for errors of a context.
func Why(err error) string {
	if name, ok := errors.AsType[*net.DNSError](err); ok {
		if name.IsNotFound {
			return "has a name that does not exist"
		}
		return "has a name that could not be resolved"
	}
	if cert, ok := errors.AsType[x509.CertificateInvalidError](err); ok && cert.Reason == x509.Expired {
		return "has a certificate that is expired or not valid yet"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "has a certificate for another name"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "has a certificate of an untrusted authority"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "has a certificate that is not valid"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "does not speak TLS"
	}
	for _, known := range reasons {
		if errors.Is(err, known.err) {
			return known.why
		}
	}
	return "does not answer as it should"
}

var reasons = []struct {
	err error
	why string
}{
	{ErrForbidden, "is not at a public address; the policy does not allow that"},
	{errRedirects, "redirects to where the policy does not allow"},
	{syscall.ECONNREFUSED, "refuses connections"},
	{syscall.EHOSTUNREACH, "cannot be reached"},
	{syscall.ENETUNREACH, "cannot be reached"},
	{syscall.ETIMEDOUT, "does not answer"},
	{syscall.ECONNRESET, "closes the connection"},
	{io.EOF, "closes the connection"},
	{io.ErrUnexpectedEOF, "closes the connection"},
}

// Ended returns the error to give back if a look failed because its context ended, and nil
// if the world is to blame.
func Ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return nil
}
