package ops

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/consumer/stop"
)

// newCertificate makes a certificate for 127.0.0.1 and its key, both in PEM.
func newCertificate(t *testing.T, serial int64) (cert, key []byte) {
	t.Helper()
	return certificateOf(t, serial, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
}

// certificateOf makes one that is valid between two moments.
func certificateOf(t *testing.T, serial int64, begins, ends time.Time) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true,
		BasicConstraintsValid: true,
		NotBefore:             begins, NotAfter: ends,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
}

func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path+".new", data, 0o600), os.Rename(path+".new", path)); err != nil {
		t.Fatal(err)
	}
}

// secure asks a server over TLS on a connection of its own, and returns the serial number of its certificate.
func (r *running) secure(t *testing.T, path string, trusted []byte,
	versions ...uint16,
) (serial int64, code int, err error) {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(trusted)
	c := &tls.Config{RootCAs: roots}
	if len(versions) > 0 {
		c.MinVersion, c.MaxVersion = versions[0], versions[0]
	}
	req, err := http.NewRequestWithContext(within(t), http.MethodGet, "https://"+r.Addr()+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: c, ForceAttemptHTTP2: true}}
	resp, err := client.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	if resp.ProtoMajor != 1 {
		t.Errorf("it speaks %s, whose connections carry many requests", resp.Proto)
	}
	return resp.TLS.PeerCertificates[0].SerialNumber.Int64(), resp.StatusCode, nil
}

func TestTLS(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	first, firstKey := newCertificate(t, 1)
	put(t, certFile, first)
	put(t, keyFile, firstKey)
	var logged bytes.Buffer
	logger := zerolog.New(zerolog.SyncWriter(&logged))
	shown, err := OpenCertificate(certFile, keyFile, logger)
	if err != nil {
		t.Fatal(err)
	}
	answers := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "page\n") })
	r := startWith(t, Setup{
		Stats: statsOf(full()), Ready: isReady(true), Certificate: shown, Page: answers,
		Profiles: true, Logger: zerolog.Nop(),
	})
	for _, path := range []string{"/", "/page/x", "/live", "/ready", "/metrics", "/debug/pprof/", "/log/level"} {
		if serial, code, err := r.secure(t, path, first); err != nil || code != http.StatusOK || serial != 1 {
			t.Errorf("%s: certificate %d, %d, %v", path, serial, code, err)
		}
	}
	if url := r.URL(); !strings.HasPrefix(url, "https://127.0.0.1:") {
		t.Errorf("its address is %s", url)
	}
	if _, _, err := r.secure(t, "/live", first, tls.VersionTLS12); err != nil {
		t.Errorf("TLS 1.2: %v", err)
	}
	if _, _, err := r.secure(t, "/live", first, tls.VersionTLS11); err == nil {
		t.Error("it speaks TLS 1.1")
	}
	if code, body, _ := r.ask(t, "GET", "/live"); code != http.StatusBadRequest || strings.Contains(body, "live") {
		t.Errorf("without TLS: %d %q", code, body)
	}

	second, secondKey := newCertificate(t, 2)
	put(t, certFile, second)
	if serial, _, err := r.secure(t, "/live", first); err != nil || serial != 1 {
		t.Errorf("half renewed: certificate %d, %v", serial, err)
	}
	put(t, keyFile, secondKey)
	if serial, _, err := r.secure(t, "/live", second); err != nil || serial != 2 {
		t.Errorf("renewed: certificate %d, %v", serial, err)
	}
	shown.files.Get() // waits for whoever writes the log
	text := logged.String()
	if strings.Count(text, "cannot be read") != 1 || strings.Count(text, "was read again") != 1 ||
		strings.Contains(text, "PRIVATE") {
		t.Errorf("logged %s", text)
	}
}

func TestNoCertificate(t *testing.T) {
	dir := t.TempDir()
	cert, _ := newCertificate(t, 1)
	_, otherKey := newCertificate(t, 2)
	put(t, filepath.Join(dir, "a.crt"), cert)
	put(t, filepath.Join(dir, "b.key"), otherKey)
	for _, key := range []string{"none.key", "b.key", "a.crt"} {
		_, err := OpenCertificate(filepath.Join(dir, "a.crt"), filepath.Join(dir, key), zerolog.Nop())
		var told *stop.Error
		if !errors.As(err, &told) || !strings.Contains(told.Remedy, "http.tls.key_file") {
			t.Errorf("OpenCertificate with the key %s says %v; want an error whose remedy names http.tls.key_file", key, err)
		}
	}
}
