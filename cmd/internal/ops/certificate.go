package ops

import (
	"crypto/tls"
	"fmt"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/cmd/internal/reload"
	"github.com/unecho/unecho/consumer/stop"
)

// Certificate is what a server is known by. It is read again when its files change, and used for connections from
// then on.
type Certificate struct {
	files *reload.Value[*tls.Certificate]
}

// OpenCertificate reads a certificate and its private key from PEM files. It returns a *stop.Error if it cannot.
func OpenCertificate(cert, key string, logger zerolog.Logger) (*Certificate, error) {
	read := func() (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(cert, key)
		return &pair, err
	}
	told := func(err error) {
		if err != nil {
			logger.Warn().Err(err).Msg(
				"the certificate of ops.listen was renewed and cannot be read: the one from before is shown on")
			return
		}
		logger.Info().Str("file", cert).Msg("the certificate of ops.listen was read again")
	}
	files, err := reload.Open(read, told, cert, key)
	if err != nil {
		return nil, &stop.Error{
			What: fmt.Sprintf("read the certificate of ops.listen (%s, %s)", cert, key), Err: err,
			Remedy: "let ops.tls.cert_file name a certificate in PEM, and ops.tls.key_file its private key; this user must be " +
				"able to read both",
		}
	}
	return &Certificate{files: files}, nil
}

// config is for a server that speaks TLS. It speaks HTTP/1.1 in it, so that the bound on connections is one on
// requests at a time.
func (c *Certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.files.Get(), nil },
	}
}
