package ops

import (
	"crypto/tls"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/certificate"
	"github.com/unecho/unecho/consumer/reload"
	"github.com/unecho/unecho/consumer/stop"
)

// Certificate is what a server is known by. It is read again when its files change, and used for connections from
// then on.
type Certificate struct {
	files *reload.Value[*tls.Certificate]
}

// OpenCertificate reads a certificate and its private key from PEM files, and tells of one that is not valid, or not
// for long. It returns a *stop.Error if it cannot read them.
func OpenCertificate(cert, key string, logger zerolog.Logger) (*Certificate, error) {
	var last tls.Certificate
	read := func() (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(cert, key)
		last = pair
		return &pair, err
	}
	tell := func() {
		if life, err := certificate.LifeOf(&last); err == nil && life.Trouble(time.Now()) != "" {
			logger.Warn().Str("file", cert).Str("because", "it "+life.Trouble(time.Now())).
				Msg("clients that check the certificate of http.listen do not connect, or soon will not: renew it")
		}
	}
	told := func(err error) {
		if err != nil {
			logger.Warn().Err(err).Msg(
				"the certificate of http.listen was renewed and cannot be read: the old one stays in use")
			return
		}
		logger.Info().Str("file", cert).Msg("the certificate of http.listen was read again")
		tell()
	}
	files, err := reload.Open(read, told, cert, key)
	if err != nil {
		return nil, &stop.Error{
			What: fmt.Sprintf("read the certificate of http.listen (%s, %s)", cert, key), Err: err,
			Remedy: "let http.tls.cert_file name a certificate in PEM, and http.tls.key_file its private key; this user must be " +
				"able to read both",
		}
	}
	tell()
	return &Certificate{files: files}, nil
}

// Trouble says what is wrong with the certificate's life at a moment; empty: nothing is.
func (c *Certificate) Trouble(now time.Time) string {
	return certificate.TroubleOf(c.files.Get(), now)
}

// left is the part of its life that is left at a moment.
func (c *Certificate) left(now time.Time) float64 {
	life, err := certificate.LifeOf(c.files.Get())
	if err != nil {
		return 0
	}
	return life.Left(now)
}

// config is for a server that speaks TLS. It speaks HTTP/1.1 in it, so that the bound on connections is one on
// requests at a time.
func (c *Certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.files.Get(), nil },
	}
}

// Token returns the token by which the API of a service may be asked, or nil if there is none. A token of a file is
// read again when that changes.
func Token(p config.HTTPParams, logger zerolog.Logger) (func() string, error) {
	if p.Token == "" {
		return nil, nil
	}
	if p.TokenFile == "" {
		return func() string { return p.Token }, nil
	}
	token, err := reload.Open(p.ReadToken, func(err error) {
		if err != nil {
			logger.Warn().Err(err).Str("file", p.TokenFile).
				Msg("http.token_file was changed and cannot be read: the old token stays valid")
			return
		}
		logger.Info().Str("file", p.TokenFile).
			Msg("the token of http.token_file was read again: the old one is not valid any more")
	}, p.TokenFile)
	if err != nil {
		return nil, err
	}
	return token.Get, nil
}
