// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package egress

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"sync"
	"time"
)

// An Authority issues certificates for any name. It is for one sandbox, and exists only in memory. Its
// methods are safe for concurrent use.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	encoded     []byte

	mu     sync.Mutex
	issued map[string]*tls.Certificate
}

// lifetime of certificates: longer than a rehearsal, with a margin for clock differences.
const lifetime = 24 * time.Hour

// maxIssued bounds the stored certificates.
const maxIssued = 1000

// NewAuthority makes an authority with a key of its own.
func NewAuthority() (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := template("toolvet rehearsal")
	template.IsCA, template.BasicConstraintsValid, template.MaxPathLenZero = true, true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &Authority{
		certificate: certificate, key: key, issued: map[string]*tls.Certificate{},
		encoded: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
	}, nil
}

func template(name string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)) // crypto/rand does not fail
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-lifetime), NotAfter: now.Add(lifetime),
	}
}

// PEM returns the authority's certificate, for programs that should trust it.
func (a *Authority) PEM() []byte { return a.encoded }

// TLS returns a configuration to stand in for a host.
func (a *Authority) TLS(host string) *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return a.issue(host) },
	}
}

// issue makes a certificate for a host, a name or an IP address.
func (a *Authority) issue(host string) (*tls.Certificate, error) {
	if host == "" || len(host) > 253 {
		return nil, errors.New("egress: no host")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.issued[host]; c != nil {
		return c, nil
	}
	if len(a.issued) >= maxIssued {
		return nil, errors.New("egress: too many hosts")
	}
	t := template("a host in a toolvet rehearsal") // not the authority's name: OpenSSL would take the certificate for self-signed
	t.KeyUsage, t.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	if ip := net.ParseIP(host); ip != nil {
		t.IPAddresses = []net.IP{ip}
	} else {
		t.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, t, a.certificate, &a.key.PublicKey, a.key)
	if err != nil {
		return nil, err
	}
	c := &tls.Certificate{Certificate: [][]byte{der, a.certificate.Raw}, PrivateKey: a.key}
	a.issued[host] = c
	return c, nil
}
