package config

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"unicode"

	"github.com/unecho/unecho/consumer/certificate"
	"github.com/unecho/unecho/index/setting"
)

// HTTPParams say where health, metrics and the API are served, and to whom.
type HTTPParams struct {
	Listen string `key:"listen" doc:"address for /live, /ready, /metrics, /log/level and the API; empty serves none" example:"127.0.0.1:9464"`
	Token  string `key:"token" doc:"callers of the API must send it; without a token the API answers only on a loopback address" secret:"true"`
	// TokenFile is where Token was read from, so that it can be read again; empty if it was given otherwise. Load sets it.
	TokenFile string `key:"-"`

	ShowText bool `key:"show_text" doc:"let the API and the page show the texts of documents, read from the source topics"`

	TLS    HTTPTLSParams `key:"tls" doc:"With both files, http.listen speaks TLS (1.2 or later) and nothing else; both are read again when they change." advanced:"true"`
	Ingest IngestParams  `key:"ingest" doc:"POST /api/v1/documents, which accepts documents for the source topics from callers with the token." advanced:"true"`
}

// HTTPTLSParams say by which certificate http.listen is known.
type HTTPTLSParams struct {
	CertFile string `key:"cert_file" doc:"PEM file of the certificate of http.listen and of its intermediate authorities" example:"/etc/unecho/tls/tls.crt"`
	KeyFile  string `key:"key_file" doc:"PEM file of the private key of that certificate" example:"/etc/unecho/tls/tls.key"`
}

// Enabled says whether http.listen speaks TLS.
func (p HTTPTLSParams) Enabled() bool { return p.CertFile != "" }

// IngestParams say whether documents are taken over HTTP, and how many.
type IngestParams struct {
	Enabled bool `key:"enabled" doc:"accept documents over HTTP"`
	Rate    int  `key:"rate" doc:"documents a second that are accepted; more get 429"`
}

// Takes says whether documents are taken over HTTP.
func (p HTTPParams) Takes() bool { return p.Listen != "" && p.Ingest.Enabled }

// LogParams say what is logged, and how.
type LogParams struct {
	Level  string `key:"level" doc:"the lowest level that is logged" enum:"debug|info|warn|error"`
	Format string `key:"format" doc:"console is for people, json for collectors; auto is console on a terminal and json elsewhere" enum:"auto|console|json" advanced:"true"`
}

// leastToken is the least length of a token, so that it cannot be guessed.
const leastToken = 16

var (
	errShortToken = fmt.Errorf("has fewer than %d characters", leastToken)
	errNoToken    = errors.New("has control characters, or a blank at an end, and no request can carry that")
)

// wrongToken says why a text is no token; nil: it is one.
func wrongToken(token string) error {
	switch {
	case strings.ContainsFunc(token, unicode.IsControl) || strings.TrimSpace(token) != token:
		return errNoToken
	case len(token) < leastToken:
		return errShortToken
	}
	return nil
}

// Validate returns every mistake.
func (p HTTPParams) Validate() (mistakes []setting.Mistake) {
	if err := wrongToken(p.Token); p.Token != "" && err != nil {
		mistakes = append(mistakes, setting.Wrong("token", p.Token, err.Error(),
			"take a random one, for example of openssl rand -hex 16"))
	}
	pair := certificate.Params{CertFile: p.TLS.CertFile, KeyFile: p.TLS.KeyFile}
	mistakes = append(mistakes, setting.Under("tls", pair.Validate(""))...)
	if p.Ingest.Rate < 1 {
		mistakes = append(mistakes, setting.Wrong("ingest.rate", p.Ingest.Rate, "takes no documents",
			"write how many are taken a second; ingest.enabled: false takes none"))
	}
	_, port, err := net.SplitHostPort(p.Listen)
	if _, portErr := strconv.ParseUint(port, 10, 16); p.Listen != "" && (err != nil || portErr != nil) {
		mistakes = append(mistakes, setting.Wrong("listen", p.Listen, "is no address",
			"write host:port, such as 127.0.0.1:9464"))
	}
	return mistakes
}

// ReadToken reads the token from its file once more.
func (p HTTPParams) ReadToken() (string, error) {
	token, problem := readSecret(p.TokenFile)
	if problem != "" {
		return "", errors.New(problem)
	}
	if err := wrongToken(token); err != nil {
		return "", err
	}
	return token, nil
}

// Loopback says whether http.listen is reached from this machine alone.
func (p HTTPParams) Loopback() bool {
	host, _, err := net.SplitHostPort(p.Listen)
	return err == nil && certificate.Loopback(strings.ToLower(host))
}

// Warnings are about settings that are allowed and unwise. The caller logs them once.
func (p HTTPParams) Warnings() []setting.Mistake {
	if p.Listen == "" || p.Token == "" || p.TLS.Enabled() || p.Loopback() {
		return nil
	}
	return []setting.Mistake{setting.Wrong("listen", p.Listen, "takes the token unencrypted over the network",
		"set http.tls.cert_file and http.tls.key_file, or listen on 127.0.0.1 behind a proxy that speaks TLS")}
}
