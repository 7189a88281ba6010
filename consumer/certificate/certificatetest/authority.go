// Package certificatetest makes certificates for tests.
package certificatetest

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
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority signs certificates and leaves them as PEM files in a directory.
type Authority struct {
	Cert *x509.Certificate

	t   testing.TB
	dir string
	key *ecdsa.PrivateKey
}

// New makes an authority with a directory of its own, in which it is ca.pem.
func New(t testing.TB) *Authority {
	t.Helper()
	a := &Authority{t: t, dir: t.TempDir()}
	a.Cert, a.key = a.Sign("ca", &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	return a
}

// Path returns the name of a file in the directory.
func (a *Authority) Path(name string) string { return filepath.Join(a.dir, name) }

// Sign writes name.pem and name.key, each in the place of the one that was there. A certificate that says nothing else
// is valid from an hour ago until an hour from now.
func (a *Authority) Sign(name string, template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	a.must(err)
	template.SerialNumber, template.Subject = big.NewInt(time.Now().UnixNano()), pkix.Name{CommonName: name}
	if template.NotAfter.IsZero() {
		template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	}
	parent, signer := a.Cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	a.must(err)
	cert, err := x509.ParseCertificate(der)
	a.must(err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	a.must(err)
	a.put(name+".pem", "CERTIFICATE", der)
	a.put(name+".key", "PRIVATE KEY", keyDER)
	return cert, key
}

func (a *Authority) put(name, kind string, der []byte) {
	a.t.Helper()
	Put(a.t, a.Path(name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// Put puts a file in the place of another, as who renews a certificate does.
func Put(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path+".new", text, 0o600), os.Rename(path+".new", path)); err != nil {
		t.Fatal(err)
	}
}

func (a *Authority) must(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

// OfServer is a template for who serves at 127.0.0.1, and is called kafka.test.
func OfServer() *x509.Certificate {
	return &x509.Certificate{
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"kafka.test"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
}

// OfClient is a template for who asks a server.
func OfClient() *x509.Certificate {
	return &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
}

// Server is the TLS side of a server at 127.0.0.1, which asks clients for a certificate if mutual.
func (a *Authority) Server(mutual bool) *tls.Config {
	a.t.Helper()
	a.Sign("server", OfServer())
	pair, err := tls.LoadX509KeyPair(a.Path("server.pem"), a.Path("server.key"))
	a.must(err)
	c := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if mutual {
		c.ClientCAs, c.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
		c.ClientCAs.AddCert(a.Cert)
	}
	return c
}
