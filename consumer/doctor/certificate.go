package doctor

import (
	"context"
	"time"

	"github.com/unecho/unecho/consumer/certificate"
)

// Certificate is one that the service shows.
type Certificate struct {
	Of    string // whom it belongs to: http.listen
	Why   string // what happens where it is not valid
	Files string // the settings that name it and its key
	Life  func() (certificate.Life, error)
}

// certificates checks when those that the service shows are valid.
func (p *target) certificates(context.Context) (findings []Finding, err error) {
	for _, c := range p.in.Certificates {
		findings = append(findings, c.look(p.now()))
	}
	return findings, nil
}

func (c Certificate) look(now time.Time) Finding {
	life, err := c.Life()
	trouble := life.Trouble(now)
	switch {
	case err != nil:
		return problem("the certificate of "+c.Of+" cannot be read: "+err.Error(), "a start ends with that",
			"let "+c.Files+" name a certificate and its private key, in PEM")
	case trouble != "" && life.Left(now) > 0:
		return note("the certificate of "+c.Of+" "+trouble, c.Why, "renew it: it is read again without a restart")
	case trouble != "":
		return problem("the certificate of "+c.Of+" "+trouble, c.Why, "renew it: it is read again without a restart")
	}
	return fine("that of " + c.Of + " is valid until " + life.Ends.UTC().Format(time.DateOnly))
}
