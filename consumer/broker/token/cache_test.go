package token

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

// issuer counts the tokens it issues. Each lasts for life, from the time it is asked.
type issuer struct {
	life   time.Duration
	takes  time.Duration
	away   error
	issued int
}

func (i *issuer) fetch(context.Context) (Token, error) {
	time.Sleep(i.takes) // in a bubble: virtual
	if i.away != nil {
		return Token{}, i.away
	}
	i.issued++
	t := Token{Value: fmt.Sprint("token-", i.issued)}
	if i.life != 0 {
		t.Expiry = time.Now().Add(i.life)
	}
	return t, nil
}

func (i *issuer) cache(log *strings.Builder) *Cache {
	c := New(Params{}, nil, zerolog.New(log))
	c.fetch, c.again = i.fetch, false
	return c
}

func (c *Cache) must(t *testing.T, want string) {
	t.Helper()
	if got, err := c.Token(t.Context()); got != want || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestATokenIsUsedUntilShortlyBeforeItExpires(t *testing.T) {
	for _, tt := range []struct {
		life, kept time.Duration
	}{
		{10 * time.Second, 7 * time.Second},
		{time.Minute, 48 * time.Second},
		{time.Hour, 55 * time.Minute},
		{0, unsaidLife},
	} {
		t.Run(tt.life.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := (&issuer{life: tt.life}).cache(&strings.Builder{})
				c.must(t, "token-1")
				time.Sleep(tt.kept - time.Millisecond)
				c.must(t, "token-1")
				time.Sleep(time.Millisecond)
				c.must(t, "token-2")
			})
		})
	}
}

// A broker that refuses a token gets another the next time. A second refusal of the same token, which comes late, costs
// no second one.
func TestARefusedTokenIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := (&issuer{life: time.Hour}).cache(&strings.Builder{})
		c.must(t, "token-1")
		c.Refused("token-1")
		c.must(t, "token-2")
		c.Refused("token-1")
		c.must(t, "token-2")
	})
}

// A refusal does not wait for ever while the source hangs.
func TestARefusalMayGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := (&issuer{life: 3 * time.Hour, takes: time.Hour}).cache(&strings.Builder{})
		var first sync.WaitGroup
		first.Go(func() { c.must(t, "token-1") })
		synctest.Wait()
		began := time.Now()
		c.Refused("token-0")
		if waited := time.Since(began); waited != fetchTimeout {
			t.Errorf("it waited %s", waited)
		}
		first.Wait()
	})
}

// All clients of a process ask at once, and cost one token.
func TestManyAskersCostOneToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &issuer{life: time.Hour, takes: time.Second}
		c := i.cache(&strings.Builder{})
		var askers sync.WaitGroup
		for range 50 {
			askers.Go(func() { c.must(t, "token-1") })
		}
		askers.Wait()
	})
}

func TestAnAskerMayGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := (&issuer{life: time.Hour, takes: time.Hour}).cache(&strings.Builder{})
		var first sync.WaitGroup
		first.Go(func() { c.must(t, "token-1") })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := c.Token(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		first.Wait()
	})
}

// The issuer of tokens may be away. The present token is used until it expires, and few requests go to the issuer
// meanwhile.
func TestAnIssuerThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i, log := &issuer{life: time.Minute}, strings.Builder{}
		c := i.cache(&log)
		c.must(t, "token-1")
		time.Sleep(55 * time.Second)
		i.away = &Error{What: "away", Remedy: "wait"}
		c.must(t, "token-1")
		time.Sleep(2 * time.Second) // 3 s before its expiry
		_, err := c.Token(t.Context())
		var e *Error
		if !errors.As(err, &e) || !e.Temporary() {
			t.Errorf("expired, and got %v", err)
		}
		i.away = nil
		time.Sleep(failurePause - time.Millisecond)
		if _, err := c.Token(t.Context()); err == nil {
			t.Error("asked again at once")
		}
		time.Sleep(time.Millisecond)
		c.must(t, "token-2")
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		if len(lines) != 2 || !strings.Contains(lines[0], `"warn"`) || !strings.Contains(lines[1], "again") {
			t.Errorf("logged %q, want that it is away once, and that it is back", lines)
		}
	})
}

func TestATokenThatCameTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := (&issuer{life: -time.Minute}).cache(&strings.Builder{})
		if _, err := c.Token(t.Context()); err == nil || !strings.Contains(err.Error(), "expired at ") {
			t.Errorf("got %v", err)
		}
	})
}

// If an asker goes away while the source is asked, that is no failure of the source: the next one asks at once.
func TestAnAskerThatGoesAwayFailsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i, log := &issuer{life: time.Hour}, strings.Builder{}
		c := i.cache(&log)
		c.fetch = func(ctx context.Context) (Token, error) {
			<-ctx.Done()
			return Token{}, ctx.Err()
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if got, err := c.Token(ctx); got != "" || !errors.Is(err, context.Canceled) {
			t.Errorf("got %q, %v", got, err)
		}
		c.fetch = i.fetch
		c.must(t, "token-1")
		if log.Len() > 0 {
			t.Errorf("logged %s", log.String())
		}
	})
}
