package certificate_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/consumer/certificate"
	"github.com/unecho/unecho/consumer/certificate/certificatetest"
)

// side is a server that asks for a certificate, and our side of connections to it.
type side struct {
	t      *testing.T
	ca     *certificatetest.Authority
	server *httptest.Server
	files  *certificate.Files
	log    bytes.Buffer
}

func newSide(t *testing.T, client *x509.Certificate) *side {
	t.Helper()
	s := &side{t: t, ca: certificatetest.New(t)}
	s.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.TLS.PeerCertificates[0].SerialNumber.String())
	}))
	s.server.TLS = s.ca.Server(true)
	s.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.server.StartTLS()
	t.Cleanup(s.server.Close)
	s.ca.Sign("client", client)
	var err error
	s.files, err = certificate.Open(certificate.Params{
		Section: "kafka.tls", CAFile: s.ca.Path("ca.pem"), CertFile: s.ca.Path("client.pem"), KeyFile: s.ca.Path("client.key"),
	}, zerolog.New(&s.log))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shown connects as Kafka's clients do, and returns the serial number of the certificate that the server saw.
func (s *side) shown() (string, error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer cancel()
	c, err := s.files.Dial(ctx, &net.Dialer{}, "tcp", s.server.Listener.Addr().String())
	if err != nil {
		return "", err
	}
	defer func() { _ = c.Close() }()
	if _, err := io.WriteString(c, "GET / HTTP/1.0\r\n\r\n"); err != nil {
		return "", err
	}
	answer, err := io.ReadAll(c)
	if err != nil {
		return "", err
	}
	return string(answer[bytes.LastIndexByte(answer, '\n')+1:]), nil
}

func (s *side) shows(what string, cert *x509.Certificate) {
	s.t.Helper()
	if got, err := s.shown(); err != nil || got != cert.SerialNumber.String() {
		s.t.Errorf("%s: the server sees certificate %q, error %v; want %v", what, got, err, cert.SerialNumber)
	}
	answer, err := (&http.Client{Transport: s.files.RoundTripper()}).Get(s.server.URL)
	if err != nil {
		s.t.Errorf("%s: a request ends with %v", what, err)
		return
	}
	defer answer.Body.Close()
	if got, err := io.ReadAll(answer.Body); err != nil || string(got) != cert.SerialNumber.String() {
		s.t.Errorf("%s: the server of a request sees certificate %q, error %v; want %v", what, got, err, cert.SerialNumber)
	}
}

// What is renewed counts for the next connection. Half of a pair does not.
func TestFilesAreReadAgain(t *testing.T) {
	s := newSide(t, certificatetest.OfClient())
	read := func(name string) []byte {
		t.Helper()
		text, err := os.ReadFile(s.ca.Path(name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	old, key := read("client.pem"), read("client.key")
	next, _ := s.ca.Sign("next", certificatetest.OfClient())
	certificatetest.Put(t, s.ca.Path("client.pem"), read("next.pem"))
	pair, err := tls.X509KeyPair(old, key)
	if err != nil {
		t.Fatal(err)
	}
	s.shows("half of it is renewed", pair.Leaf)
	certificatetest.Put(t, s.ca.Path("client.key"), read("next.key"))
	s.shows("all of it is renewed", next)

	ca := read("ca.pem")
	certificatetest.Put(t, s.ca.Path("ca.pem"), nil)
	s.shows("an empty bundle", next)
	certificatetest.Put(t, s.ca.Path("ca.pem"), ca)
	s.shows("the bundle is there again", next)
	log := s.log.String()
	for _, want := range []string{
		`"level":"warn","error":"cannot use kafka.tls.cert_file ` + s.ca.Path("client.pem"),
		s.ca.Path("ca.pem") + " holds no certificate",
		"certificates were read again",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log is %s; want %q in it", log, want)
		}
	}
	if strings.Contains(log, "PRIVATE") {
		t.Errorf("the log shows the key: %s", log)
	}
}

// A connection that fails by one of our files says which, and what to do.
func TestRefused(t *testing.T) {
	refused := func(s *side, why ...string) {
		t.Helper()
		_, err := s.shown()
		var r *certificate.Refused
		if !errors.As(err, &r) {
			t.Fatalf("got %v, want what is refused", err)
		}
		for _, want := range why {
			if !strings.Contains(r.Why+" | "+r.Remedy, want) {
				t.Errorf("it says %q, with the remedy %q; want %q", r.Why, r.Remedy, want)
			}
		}
	}
	old := certificatetest.OfClient()
	old.NotBefore, old.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(-time.Minute)
	s := newSide(t, old)
	refused(s, s.ca.Path("client.pem")+", which has expired", "expired certificate", s.ca.Path("client.key"), "kafka.tls.cert_file")
	if log := s.log.String(); !strings.Contains(log, `"because":"it has expired`) || !strings.Contains(log, s.ca.Path("client.pem")) {
		t.Errorf("the log at the start is %q; want that the certificate has expired, and its file", log)
	}

	s = newSide(t, certificatetest.OfClient())
	other := certificatetest.New(t)
	other.Sign("client", certificatetest.OfClient())
	for _, name := range []string{"client.pem", "client.key"} {
		text, err := os.ReadFile(other.Path(name))
		if err != nil {
			t.Fatal(err)
		}
		certificatetest.Put(t, s.ca.Path(name), text)
	}
	refused(s, "it may refuse our certificate, "+s.ca.Path("client.pem"), "kafka.tls.cert_file")

	text, err := os.ReadFile(other.Path("ca.pem"))
	if err != nil {
		t.Fatal(err)
	}
	certificatetest.Put(t, s.ca.Path("ca.pem"), text)
	refused(s, "an authority we do not know: "+s.ca.Path("ca.pem"), "add the authority's certificate to "+s.ca.Path("ca.pem"))
}
