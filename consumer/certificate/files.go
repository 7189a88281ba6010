// Package certificate reads the files by which two sides of a TLS connection know each other, and reads them again when
// they change: what was renewed is used from the next connection on, without a restart.
//
//   - Files are our side of connections to servers: the authorities that we trust, and our own certificate.
//   - Life says when a certificate is valid, and when somebody should renew it.
package certificate

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/consumer/reload"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index/setting"
)

// Params name our files for TLS connections to servers, and say what a server must show.
type Params struct {
	Section            string // of the settings, for messages: kafka.tls
	CAFile             string // empty: the authorities of the system
	System             bool   // those of the system are trusted beside CAFile
	CertFile, KeyFile  string // empty: we show no certificate
	ServerName         string // empty: the host that we connect to
	InsecureSkipVerify bool
}

// Validate returns every mistake, by keys below Section. Whose is the certificate that is checked.
func (p Params) Validate(whose string) (out []setting.Mistake) {
	if p.CertFile != "" && p.KeyFile == "" {
		out = append(out, setting.Wrong("key_file", "", "is missing", "name the private key of tls.cert_file"))
	}
	if p.KeyFile != "" && p.CertFile == "" {
		out = append(out, setting.Wrong("cert_file", "", "is missing", "name the certificate of tls.key_file"))
	}
	if p.InsecureSkipVerify && (p.CAFile != "" || p.ServerName != "") {
		out = append(out, setting.Wrong("insecure_skip_verify", true, "makes tls.ca_file and tls.server_name pointless",
			"remove it, so that "+whose+" certificate is checked"))
	}
	return out
}

// Files are what Params name. Any number of goroutines may use them.
type Files struct {
	params  Params
	logger  zerolog.Logger
	now     *reload.Value[*tls.Config]
	watched watched
}

// Open reads the files. A *stop.Error says which of them cannot be used. What comes later is logged: that they were
// read again, or cannot be, and that our certificate is not valid, or not for long.
func Open(p Params, logger zerolog.Logger) (*Files, error) {
	f := &Files{params: p, logger: logger}
	told := func(err error) {
		if err != nil {
			logger.Warn().Err(err).Str("settings", p.Section).
				Msg("certificates were changed and cannot be read: the old ones stay in use")
			return
		}
		logger.Info().Str("settings", p.Section).Strs("files", p.files()).
			Msg("certificates were read again: the next connection uses them")
	}
	read := func() (*tls.Config, error) {
		c, err := p.read()
		if err == nil {
			f.renewed(c.Certificates)
		}
		return c, err
	}
	var err error
	f.now, err = reload.Open(read, told, p.files()...)
	return f, err
}

// files are the names of those that there are.
func (p Params) files() (names []string) {
	for _, name := range []string{p.CAFile, p.CertFile, p.KeyFile} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

func (p Params) read() (*tls.Config, error) {
	c := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		ServerName:         p.ServerName,
		InsecureSkipVerify: p.InsecureSkipVerify, // the user asks for it by name, and is warned
	}
	if p.CAFile != "" {
		roots, err := p.authorities()
		if err != nil {
			return nil, err
		}
		c.RootCAs = roots
	}
	if p.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(p.CertFile, p.KeyFile)
		if err != nil {
			return nil, &stop.Error{
				What: fmt.Sprintf("cannot use %s.cert_file %s and key_file %s", p.Section, p.CertFile, p.KeyFile), Err: err,
				Remedy: "name a certificate and its own, unencrypted private key, both PEM",
			}
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// authorities reads the file of certificates that a setting names.
func (p Params) authorities() (*x509.CertPool, error) {
	key, path := p.Section+".ca_file", p.CAFile
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, &stop.Error{What: "cannot read " + key, Err: err, Remedy: "name a PEM file that this process may read"}
	}
	roots := x509.NewCertPool()
	if p.System {
		if system, err := x509.SystemCertPool(); err == nil { // a system may have none
			roots = system
		}
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, &stop.Error{
			What:   fmt.Sprintf("%s %s holds no certificate", key, path),
			Remedy: "write PEM into it; a Java trust store is converted by: keytool -exportcert -rfc",
		}
	}
	return roots, nil
}

// TroubleOf says what is wrong with a certificate's life at a moment; empty: nothing is.
func TroubleOf(c *tls.Certificate, now time.Time) string {
	life, err := LifeOf(c)
	if err != nil {
		return "cannot be read: " + err.Error()
	}
	return life.Trouble(now)
}

// Config is for the next connection. It belongs to the caller.
func (f *Files) Config() *tls.Config {
	f.look(time.Now())
	return f.now.Get().Clone()
}

// RoundTripper is for servers that are asked seldom: each request has a connection of its own.
func (f *Files) RoundTripper() http.RoundTripper { return roundTripper{f} }

type roundTripper struct{ files *Files }

// RoundTrip implements http.RoundTripper.
func (t roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	once := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: t.files.Config(), ForceAttemptHTTP2: true,
		DisableKeepAlives: true,
	}
	answer, err := once.RoundTrip(r)
	if err != nil {
		return nil, t.files.explain(err)
	}
	return answer, nil
}

// Refused says which of our files a connection failed by.
type Refused struct {
	Why    string
	Remedy string
	Err    error
}

// Error says why, and what to do: where it is logged, nobody asks for the remedy.
func (r *Refused) Error() string { return r.Why + "; " + r.Remedy }

// Unwrap returns the cause.
func (r *Refused) Unwrap() error { return r.Err }

// explain names our file in an error of a connection that one of them may explain.
func (f *Files) explain(err error) error {
	var authority x509.UnknownAuthorityError
	p := f.params
	switch {
	case errors.As(err, new(*Refused)):
	case errors.As(err, &authority) && p.CAFile != "":
		return &Refused{
			Why:    "its certificate is signed by an authority we do not know: " + p.CAFile + " does not have it",
			Remedy: fmt.Sprintf("add the authority's certificate to %s (%s.ca_file), which is read again without a restart", p.CAFile, p.Section),
			Err:    err,
		}
	case p.CertFile != "" && remote(err) != "":
		why := fmt.Sprintf("it breaks off (%s): it may refuse our certificate, %s", remote(err), p.CertFile)
		if now := f.now.Get(); len(now.Certificates) > 0 {
			if trouble := TroubleOf(&now.Certificates[0], time.Now()); trouble != "" {
				why = fmt.Sprintf("it refuses our certificate, %s, which %s (%s)", p.CertFile, trouble, remote(err))
			}
		}
		return &Refused{
			Why: why,
			Remedy: fmt.Sprintf("put a certificate that is valid and that the other side trusts, and its key, in the place of %s and %s "+
				"(%s.cert_file and key_file), which are read again without a restart", p.CertFile, p.KeyFile, p.Section),
			Err: err,
		}
	}
	return err
}

// Dial connects to a server, and shakes hands with it by the files as they are now.
func (f *Files) Dial(ctx context.Context, by *net.Dialer, network, address string) (net.Conn, error) {
	c, err := (&tls.Dialer{NetDialer: by, Config: f.Config()}).DialContext(ctx, network, address)
	if err != nil {
		return nil, f.explain(err)
	}
	return &conn{Conn: c, files: f}, nil
}

// conn is a connection that says why it ends: in TLS 1.3 the other side looks at our certificate when our part of the
// handshake is over. While it is open, it has an eye on when that expires.
type conn struct {
	net.Conn
	files *Files
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.files.look(time.Now())
	if err != nil {
		err = c.files.explain(err)
	}
	return n, err
}

// remote is what the other side said when it broke a connection off; empty: it said nothing.
func remote(err error) string {
	var e *net.OpError
	if errors.As(err, &e) && e.Op == "remote error" {
		return e.Err.Error()
	}
	return ""
}
