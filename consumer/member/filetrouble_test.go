package member

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestFileTrouble: that judging waits for files is a trouble once it lasts, and it says for which and since when.
func TestFileTrouble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := NewCounters()
		c.FileErr.Store(&Failure{errors.New("segment abc: input/output error"), time.Now()})
		if got := c.FileTrouble(time.Now().Add(time.Hour)); got != "" {
			t.Errorf("judging goes on, and the trouble is %q", got)
		}
		done := c.halt()
		for _, s := range []struct {
			after time.Duration
			err   *Failure
			want  string
		}{
			{haltsAfter - time.Second, c.FileErr.Load(), ""},
			{time.Second, c.FileErr.Load(), "since 2000-01-01T00:00:00Z (segment abc: input/output error): make room"},
			{0, nil, "(its disk writes more slowly than documents come): make room"},
		} {
			time.Sleep(s.after)
			c.FileErr.Store(s.err)
			if got := c.FileTrouble(time.Now()); (got == "") != (s.want == "") || !strings.Contains(got, s.want) {
				t.Errorf("the trouble is %q, want %q", got, s.want)
			}
		}
		if done(); c.FileTrouble(time.Now()) != "" {
			t.Error("the trouble does not end")
		}
	})
}
