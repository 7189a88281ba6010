package broker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"
)

type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func TestClientLogIsQuietByDefault(t *testing.T) {
	tests := []struct {
		level zerolog.Level
		want  kgo.LogLevel
	}{
		{zerolog.TraceLevel, kgo.LogLevelDebug},
		{zerolog.DebugLevel, kgo.LogLevelInfo},
		{zerolog.InfoLevel, kgo.LogLevelWarn},
		{zerolog.WarnLevel, kgo.LogLevelWarn},
		{zerolog.ErrorLevel, kgo.LogLevelError},
		{zerolog.Disabled, kgo.LogLevelNone},
	}
	for _, tt := range tests {
		if got := (&clientLogger{log: zerolog.Nop().Level(tt.level)}).Level(); got != tt.want {
			t.Errorf("at %s the client logs %s, want %s", tt.level, got, tt.want)
		}
	}
	var out strings.Builder
	l := &clientLogger{log: zerolog.New(&out).Level(zerolog.DebugLevel)}
	l.Log(kgo.LogLevelInfo, "joined", "group", "g", "err", errors.New("e"), "n", 3)
	l.Log(kgo.LogLevelDebug, "too much")
	l.Log(kgo.LogLevelError, "lost", "err", io.EOF)
	l.Log(kgo.LogLevelWarn, "given up", "err", fmt.Errorf("produce: %w", context.Canceled))
	const want = `{"level":"debug","part":"kafka client","group":"g","err":"e","n":3,"message":"joined"}` + "\n" +
		`{"level":"error","part":"kafka client","err":"EOF","message":"lost"}` + "\n" +
		`{"level":"debug","part":"kafka client","err":"produce: context canceled","message":"given up"}` + "\n"
	if out.String() != want {
		t.Errorf("got %s", out.String())
	}
}

// TestClientDurationsHaveAUnit: the client's durations are logged as milliseconds, and their names say so.
func TestClientDurationsHaveAUnit(t *testing.T) {
	var out strings.Builder
	l := &clientLogger{log: zerolog.New(&out)}
	l.Log(kgo.LogLevelError, "slow", "reauthenticate_in", 1500*time.Millisecond, "n", 3)
	if got := out.String(); !strings.Contains(got, `"reauthenticate_in_ms":1500,"n":3`) {
		t.Errorf("logged %s", got)
	}
}

// A client that cannot reach a broker tries again at once, and must not fill the log of a night.
func TestClientComplainsOnceOfABroker(t *testing.T) {
	var out strings.Builder
	l := &clientLogger{log: zerolog.New(&out).Level(zerolog.InfoLevel)}
	for range 1000 {
		l.Log(kgo.LogLevelWarn, "unable to open connection to broker", "addr", "one:9092", "err", io.EOF)
		l.Log(kgo.LogLevelWarn, "unable to open connection to broker", "addr", "two:9092", "err", io.EOF)
		l.Log(kgo.LogLevelError, "another matter", "broker", 1)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 3 {
		t.Errorf("%d lines: %.2000s", lines, out.String())
	}
	for c := range l.said {
		l.said[c] = l.said[c].Add(-repeatAfter)
	}
	l.Log(kgo.LogLevelWarn, "unable to open connection to broker", "addr", "two:9092", "err", io.EOF)
	if lines := strings.Count(out.String(), "\n"); lines != 4 {
		t.Errorf("%d lines, and after a while one more is wanted", lines)
	}
}
