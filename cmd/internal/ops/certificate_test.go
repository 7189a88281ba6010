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

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/certificate"
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

// A start tells of a certificate that has expired, or soon will, and so does one that is put in its place. The file's
// certificate that ends first counts, and the metric says how much is left.
func TestExpiringCertificate(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	write := func(left, ofAuthority time.Duration) {
		t.Helper()
		leaf, secret := certificateOf(t, 1, time.Now().Add(-time.Hour), time.Now().Add(left))
		authority, _ := certificateOf(t, 2, time.Now().Add(-time.Hour), time.Now().Add(ofAuthority))
		put(t, key, secret)
		put(t, cert, append(leaf, authority...))
	}
	for name, c := range map[string]struct {
		left, ofAuthority time.Duration
		says              string
	}{
		"in order":              {time.Hour, time.Hour, ""},
		"expired":               {-time.Minute, time.Hour, "has expired"},
		"soon":                  {5 * time.Minute, time.Hour, "expires on"},
		"its authority expired": {time.Hour, -time.Minute, "has expired"},
	} {
		write(c.left, c.ofAuthority)
		var logged bytes.Buffer
		shown, err := OpenCertificate(cert, key, zerolog.New(&logged))
		if err != nil {
			t.Fatal(err)
		}
		if got := logged.String(); !strings.Contains(got, c.says) || (got == "") != (c.says == "") {
			t.Errorf("%s: want %q at the start, got %q", name, c.says, got)
		}
		if got := shown.Trouble(time.Now()); !strings.HasPrefix(got, c.says) || (got == "") != (c.says == "") {
			t.Errorf("%s: want trouble %q, got %q", name, c.says, got)
		}
		life, err := certificate.ReadLife(cert, key)
		if err != nil || life.Trouble(time.Now()) != shown.Trouble(time.Now()) {
			t.Errorf("%s: who reads the file sees %+v, %v", name, life, err)
		}
	}
	var logged bytes.Buffer
	write(time.Hour, time.Hour)
	shown, err := OpenCertificate(cert, key, zerolog.New(&logged))
	if err != nil {
		t.Fatal(err)
	}
	if v := series(t, shown); v < 0.4 || v > 0.5 {
		t.Errorf("want half of its life left, got %v", v)
	}
	write(-time.Minute, time.Hour)
	if v := series(t, shown); v != 0 || !strings.Contains(logged.String(), "has expired") {
		t.Errorf("want 0 left and a word in the log, got %v, %q", v, logged.String())
	}
	if _, err := certificate.ReadLife(cert, filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("want that there is no key, got %v", err)
	}
}

// series is what the metrics say of a certificate.
func series(t *testing.T, c *Certificate) float64 {
	t.Helper()
	all, err := newRegistry(Setup{Stats: statsOf(fresh()), Ready: isReady(true), Certificate: c}).Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if f.GetName() == "unecho_ops_certificate_left_ratio" {
			return f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatal("no metric tells of the certificate")
	return 0
}

// TestTokenIsRenewed: a token of a file is the one that is in it now.
func TestTokenIsRenewed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	put := func(text string) {
		t.Helper()
		if err := errors.Join(os.WriteFile(path+".new", []byte(text), 0o600), os.Rename(path+".new", path)); err != nil {
			t.Fatal(err)
		}
	}
	put("the first of some length\n")
	c, err := config.Load("", nil, []string{
		"http.token_file=" + path, "kafka.brokers=a:1", "sources.topics=t", "group=g",
		"snapshots.directory.path=d",
	})
	if err != nil {
		t.Fatal(err)
	}
	var logged bytes.Buffer
	token, err := Token(c.HTTP, zerolog.New(&logged))
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ put, want string }{
		{"", "the first of some length"},
		{"the second of some length\n", "the second of some length"},
		{"short\n", "the second of some length"},
		{strings.Repeat("\x00", 32), "the second of some length"},
		{"the third of some length", "the third of some length"},
	} {
		if step.put != "" {
			put(step.put)
		}
		if got := token(); got != step.want {
			t.Errorf("after %q: %q, want %q", step.put, got, step.want)
		}
	}
	if text := logged.String(); strings.Contains(text, "of some length") || strings.Contains(text, "short") ||
		strings.Count(text, "was read again") != 2 || strings.Count(text, "cannot be read") != 2 {
		t.Errorf("logged %s", text)
	}
	for _, p := range []config.HTTPParams{{Listen: ":1"}, {Listen: ":1", Token: "given in the environment"}} {
		if token, err := Token(p, zerolog.Nop()); err != nil || (token != nil) != (p.Token != "") ||
			token != nil && token() != p.Token {
			t.Errorf("Token of %+v has error %v, or gives another token; want that of the settings, if they have one, and no error", p, err)
		}
	}
}
