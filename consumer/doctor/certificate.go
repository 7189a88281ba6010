package doctor

import (
	"context"
	"time"
)

// Certificate is what is known of a certificate at a moment.
type Certificate struct {
	Valid   bool
	Ends    time.Time
	Trouble string // what is wrong with it; empty: nothing is
}

// certificate checks when that of ops.listen is valid.
func (p *patient) certificate(context.Context) ([]Finding, error) {
	if p.in.Certificate == nil {
		return nil, nil
	}
	const why = "probes, Prometheus and people who check it do not connect"
	c, err := p.in.Certificate(p.now())
	switch {
	case err != nil:
		return []Finding{problem( //nolint:nilerr // it is the finding
			"the certificate of ops.listen cannot be read: "+err.Error(), "a start ends with that",
			"let ops.tls.cert_file and ops.tls.key_file name a certificate and its private key, in PEM")}, nil
	case c.Trouble != "" && c.Valid:
		return []Finding{note("the certificate of ops.listen "+c.Trouble, why, "renew it: it is read again without a restart")}, nil
	case c.Trouble != "":
		return []Finding{problem("the certificate of ops.listen "+c.Trouble, why, "renew it: it is read again without a restart")}, nil
	}
	return []Finding{fine("that of ops.listen is valid until " + c.Ends.UTC().Format(time.DateOnly))}, nil
}
