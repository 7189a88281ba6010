package member

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/index/files"
)

// TestFileTrouble: that judging waits for files is a trouble once it lasts, and it says for which and since when. The log says
// so once.
func TestFileTrouble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := restedFollower(t)
		var said bytes.Buffer
		c, failure := f.Counters, &Failure{Err: errors.New("segment abc: input/output error"), At: time.Now()}
		f.Logger = zerolog.New(&said)
		c.FileErr.Store(failure)
		if got := c.FileTrouble(time.Now().Add(time.Hour)); got != "" {
			t.Errorf("judging goes on, and the trouble is %q", got)
		}
		over := f.old.halt()
		var read, written func()
		for _, s := range []struct {
			after time.Duration
			err   *Failure
			want  string
		}{
			{haltsAfter - time.Second, failure, ""},
			{time.Second, failure, "since 2000-01-01T00:00:00Z (segment abc: input/output error): make room"},
			{0, nil, "(the disk does not answer, or is slower than documents come): make room"},
			{0, failure, "(segment abc: input/output error): make room"}, // a read has begun
			{slowCall, failure, "(the disk does not answer: def is being read since 2000-01-01T00:00:03Z): make room"},
		} {
			time.Sleep(s.after)
			synctest.Wait()
			c.FileErr.Store(s.err)
			if got := c.FileTrouble(time.Now()); (got == "") != (s.want == "") || !strings.Contains(got, s.want) {
				t.Errorf("the trouble is %q, want %q", got, s.want)
			}
			if s.err == nil {
				written, read = c.writes.begin("jkl"), c.reads.begin("def")
				c.reads.begin("ghi")()
			}
		}
		for _, end := range []struct {
			over func()
			says string
		}{{read, "def is being read since"}, {written, "jkl is being written since"}} {
			if got := c.Silent(time.Now()); !strings.Contains(got, end.says) || !strings.HasSuffix(got, "Z in duplicates.remember.directory") {
				t.Errorf("it says %q, want %q", got, end.says)
			}
			end.over()
		}
		if over(); c.FileTrouble(time.Now()) != "" {
			t.Error("the trouble does not end")
		}
		if n := strings.Count(said.String(), "segment abc"); n != 1 || strings.Count(said.String(), "\n") != 2 {
			t.Errorf("the log says %s", &said)
		}
		if got := c.Silent(time.Now().Add(time.Hour)); got != "" {
			t.Errorf("nothing goes on, and it says %q", got)
		}
		f.old.halt()()
		if time.Sleep(time.Hour); strings.Count(said.String(), "\n") != 2 {
			t.Errorf("of a short wait the log says %s", &said)
		}
	})
}

// TestTroubleOfRun: what is said of a run's directory names that, not one of members.
func TestTroubleOfRun(t *testing.T) {
	t.Parallel()
	directory, err := files.OpenRun(filepath.Join(t.TempDir(), "old"), "a test", false)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := directory.End(false); err != nil {
			t.Error(err)
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		f := restedFollower(t)
		var said bytes.Buffer
		f.Files, f.Logger = directory, zerolog.New(&said)
		f.Counters.Watch(directory)
		over := f.old.halt()
		time.Sleep(haltsAfter)
		synctest.Wait()
		over()
		said.WriteString(f.old.gone(files.ErrVanished).Error())
		for _, want := range []string{"make room in --directory, ", "old documents cannot be kept in --directory"} {
			if !strings.Contains(said.String(), want) || strings.Contains(said.String(), "duplicates.remember") {
				t.Errorf("it says %s, want %q", &said, want)
			}
		}
	})
}

// TestStopwatch: what still goes on counts.
func TestStopwatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s Stopwatch
		for n := range time.Duration(3) {
			stop := s.start()
			time.Sleep(time.Second)
			if got := s.Total(); got != (n+1)*time.Second || time.Since(s.Since()) != time.Second {
				t.Errorf("wait %d: %v, since %v", n, got, s.Since())
			}
			stop()
			time.Sleep(time.Minute)
			if got := s.Total(); got != (n+1)*time.Second || !s.Since().IsZero() {
				t.Errorf("after wait %d: %v, since %v", n, got, s.Since())
			}
		}
	})
}
