package retry

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestWhile(t *testing.T) {
	fail := errors.New("fails")
	for name, c := range map[string]struct {
		fails int           // so many tries
		until time.Duration // again says no from then on
		tries int
		want  error
	}{
		"at once":    {0, time.Hour, 1, nil},
		"after some": {3, time.Hour, 4, nil},
		"given up":   {9, 2 * time.Second, 3, fail},
	} {
		synctest.Test(t, func(t *testing.T) {
			tries := 0
			err := While(t.Context(), time.Second, func() error {
				if tries++; tries <= c.fails {
					return fail
				}
				return nil
			}, func(_ error, since time.Duration) bool { return since < c.until })
			if tries != c.tries || !errors.Is(err, c.want) {
				t.Errorf("%s: %d tries, %v", name, tries, err)
			}
		})
	}
}

func TestWhileEnds(t *testing.T) {
	why := errors.New("why")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Minute, func() { cancel(why) })
		err := While(ctx, time.Hour, func() error { return errors.New("fails") },
			func(error, time.Duration) bool { return true })
		if !errors.Is(err, why) {
			t.Error(err)
		}
	})
}
