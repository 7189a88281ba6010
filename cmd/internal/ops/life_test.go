package ops

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/consumer/certificate"
)

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
