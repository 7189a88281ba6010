package token

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/rs/zerolog"
)

const (
	// mostEarly is the longest time before its expiry at which a token is renewed. A client logs in again when 95 to 98 %
	// of a session are over: for a token of an hour, that is at most 3 minutes before its end.
	mostEarly = 5 * time.Minute
	// leastEarly is how long a token must last to be worth a login. Brokers refuse a second login within a second, and the
	// client logs in up to a second before the end of a session.
	leastEarly = 3 * time.Second
	// unsaidLife is how long a token is used that does not say when it expires.
	unsaidLife = time.Minute
	// failurePause is the shortest time between a failure and the next attempt, because many connections may come up at
	// once.
	failurePause = time.Second
	// fetchTimeout is how long the source may take.
	fetchTimeout = 10 * time.Second
)

// Cache returns the present token, and gets another shortly before that expires. Any number of goroutines may use it.
type Cache struct {
	fetch  func(context.Context) (Token, error)
	again  bool // at each login, because asking the source costs little
	logger zerolog.Logger

	turn   chan struct{} // holds one element while somebody uses the fields below
	token  Token
	renew  time.Time
	failed error // the error of the last attempt, at failedAt
	at     time.Time
	away   bool // and that was logged
}

// New gets tokens from the source that p names. A token endpoint is asked by by.
func New(p Params, by http.RoundTripper, logger zerolog.Logger) *Cache {
	c := &Cache{logger: logger, turn: make(chan struct{}, 1)}
	if p.TokenURL != "" {
		c.fetch = endpoint(p, by)
	} else {
		c.fetch, c.again = file(p.File), true
	}
	return c
}

// Token returns a token to log in with.
func (c *Cache) Token(ctx context.Context) (string, error) {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	defer func() { <-c.turn }()
	now := time.Now()
	if !c.again && now.Before(c.renew) {
		return c.token.Value, nil
	}
	if c.failed == nil || now.Sub(c.at) >= failurePause {
		if c.get(ctx); errors.Is(ctx.Err(), context.Canceled) {
			return "", ctx.Err()
		}
	}
	if c.failed != nil && !time.Now().Before(c.token.Expiry.Add(-leastEarly)) {
		return "", c.failed
	}
	return c.token.Value, nil // while the source is away, the present token is used as long as it lasts
}

// Refused says that a broker refused a token. The next login shows another one, because the keys that sign tokens may
// have changed. Refused does not wait longer than the source may take: whoever has the turn for so long is asking for
// another token.
func (c *Cache) Refused(value string) {
	select {
	case c.turn <- struct{}{}:
	case <-time.After(fetchTimeout):
		return
	}
	defer func() { <-c.turn }()
	if c.token.Value == value {
		c.token, c.renew = Token{}, time.Time{}
	}
}

// get asks the source. If the asker goes away meanwhile, that is no failure of the source.
func (c *Cache) get(asker context.Context) {
	ctx, cancel := context.WithTimeout(asker, fetchTimeout)
	defer cancel()
	t, err := c.fetch(ctx)
	if err != nil && errors.Is(asker.Err(), context.Canceled) {
		return
	}
	now := time.Now()
	if err == nil && !t.Expiry.IsZero() && !now.Before(t.Expiry) {
		err = &Error{
			What:   fmt.Sprintf("the token that came expired at %s", t.Expiry.UTC().Format(time.RFC3339)),
			Remedy: "have its issuer renew it, and compare the clocks",
		}
	}
	if c.failed, c.at = err, now; err != nil {
		c.complain(err)
		return
	}
	if c.away {
		c.logger.Info().Msg("there are tokens for Kafka again")
	}
	c.token, c.renew, c.away = t, renewal(t, now), false
}

// complain logs once that no token can be had.
func (c *Cache) complain(err error) {
	if !c.away {
		c.logger.Warn().Err(err).Time("token_expires", c.token.Expiry).
			Msg("no new token for Kafka: asking again at the next login")
	}
	c.away = true
}

// renewal returns when a token is replaced: when a fifth of its life is left, within bounds.
func renewal(t Token, now time.Time) time.Time {
	if t.Expiry.IsZero() {
		return now.Add(unsaidLife)
	}
	return t.Expiry.Add(-max(leastEarly, min(t.Expiry.Sub(now)/5, mostEarly)))
}
