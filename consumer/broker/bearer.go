package broker

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/oauth"

	"github.com/unecho/unecho/consumer/broker/token"
	"github.com/unecho/unecho/consumer/certificate"
)

// bearer asks for a token at each login. The client logs in again before the broker ends a session.
type bearer struct {
	tokens     *token.Cache
	extensions map[string]string
}

// newBearer returns how to log in with tokens. A token endpoint may be known by the authorities of Kafka, too.
func newBearer(p Params, logger zerolog.Logger) (*bearer, error) {
	b := &bearer{extensions: map[string]string{}}
	for _, e := range p.SASL.OAuth.Extensions {
		name, value, _ := strings.Cut(e, "=")
		b.extensions[name] = value
	}
	files, err := certificate.Open(certificate.Params{Section: "kafka.tls", CAFile: p.TLS.CAFile, System: true}, logger)
	if err != nil {
		return nil, faulty(err)
	}
	b.tokens = token.New(p.SASL.OAuth, files.RoundTripper(), logger)
	return b, nil
}

// Name implements sasl.Mechanism.
func (b *bearer) Name() string { return OAuthBearer }

// Authenticate implements sasl.Mechanism.
func (b *bearer) Authenticate(ctx context.Context, host string) (sasl.Session, []byte, error) {
	value, err := b.tokens.Token(ctx)
	if err != nil {
		return nil, nil, err
	}
	_, first, err := oauth.Auth{Token: value, Extensions: b.extensions}.AsMechanism().Authenticate(ctx, host)
	return &bearerSession{bearer: b, value: value}, first, err
}

// bearerSession is one login.
type bearerSession struct {
	bearer *bearer
	value  string
}

// Challenge implements sasl.Session. A broker that refuses a token answers with JSON (RFC 7628, section 3.2.2); one
// that accepts it answers with nothing.
func (s *bearerSession) Challenge(answer []byte) (bool, []byte, error) {
	if len(answer) == 0 {
		return true, nil, nil
	}
	s.bearer.tokens.Refused(s.value)
	var refusal struct {
		Status string `json:"status"`
	}
	_ = json.Unmarshal(answer, &refusal) // it counts as a refusal whatever it says
	return false, nil, fmt.Errorf("%w: the broker says %.100q", kerr.SaslAuthenticationFailed, refusal.Status)
}
