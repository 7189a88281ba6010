package broker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// clientLogger hands the Kafka client's log to ours, one level lower from info down: what it calls information is of use
// to those who look for a fault in the connection, and to nobody else. So is what went wrong because we ended it ourselves.
// The client never logs credentials.
//
// It says of a broker that is away each time it tries again, which is many times a second: what it has just said of one is said
// again after a while only.
type clientLogger struct {
	log zerolog.Logger

	mu   sync.Mutex
	said map[complaint]time.Time
}

// complaint is what the client warns of. There are as many as it has warnings, for each broker.
type complaint struct{ msg, broker string }

// saidWithin is for how long nobody needs to hear the same again.
const saidWithin = 10 * time.Second

// Level implements kgo.Logger.
func (l *clientLogger) Level() kgo.LogLevel {
	switch level := max(l.log.GetLevel(), zerolog.GlobalLevel()); {
	case level <= zerolog.TraceLevel:
		return kgo.LogLevelDebug
	case level <= zerolog.DebugLevel:
		return kgo.LogLevelInfo
	case level <= zerolog.WarnLevel:
		return kgo.LogLevelWarn
	case level <= zerolog.ErrorLevel:
		return kgo.LogLevelError
	}
	return kgo.LogLevelNone
}

// Log implements kgo.Logger.
func (l *clientLogger) Log(level kgo.LogLevel, msg string, keyvals ...any) {
	if level < kgo.LogLevelInfo && (slices.ContainsFunc(keyvals, canceled) || l.justSaid(msg, keyvals)) {
		level = kgo.LogLevelInfo
	}
	at := zerolog.TraceLevel
	switch level {
	case kgo.LogLevelError:
		at = zerolog.ErrorLevel
	case kgo.LogLevelWarn:
		at = zerolog.WarnLevel
	case kgo.LogLevelInfo:
		at = zerolog.DebugLevel
	case kgo.LogLevelDebug, kgo.LogLevelNone:
	}
	l.log.WithLevel(at).Str("part", "kafka client").Fields(withUnits(keyvals)).Msg(msg)
}

func (l *clientLogger) justSaid(msg string, keyvals []any) bool {
	c, now := complaint{msg: msg, broker: brokerIn(keyvals)}, time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.said[c]) < saidWithin {
		return true
	}
	if l.said == nil {
		l.said = map[complaint]time.Time{}
	}
	l.said[c] = now
	return false
}

// brokerIn is the address or number of the broker that a message is about.
func brokerIn(keyvals []any) string {
	for i := 0; i+1 < len(keyvals); i += 2 {
		if name := keyvals[i]; name == "addr" || name == "broker" {
			return fmt.Sprint(keyvals[i+1])
		}
	}
	return ""
}

// withUnits puts the unit into the name of each duration, which is logged in milliseconds.
func withUnits(keyvals []any) []any {
	out := slices.Clone(keyvals)
	for i := 0; i+1 < len(out); i += 2 {
		if _, duration := out[i+1].(time.Duration); duration {
			out[i] = fmt.Sprint(out[i]) + "_ms"
		}
	}
	return out
}

func canceled(value any) bool {
	err, ok := value.(error)
	return ok && errors.Is(err, context.Canceled)
}

// embeddedLogger does the same for the embedded broker. That a transaction took milliseconds to end is a stopwatch for its
// authors, and no warning. An error is nearly always one of writing, after which the data on disk are not to be trusted.
type embeddedLogger struct {
	log    zerolog.Logger
	broken *atomic.Bool
}

// Logf implements kfake.Logger.
func (l embeddedLogger) Logf(level kfake.LogLevel, format string, args ...any) {
	if level == kfake.LogLevelWarn && strings.HasPrefix(format, "txn: EndTxn slow") {
		level = kfake.LogLevelInfo
	}
	at := zerolog.TraceLevel
	switch level {
	case kfake.LogLevelError:
		at = zerolog.ErrorLevel
		l.broken.Store(true)
	case kfake.LogLevelWarn:
		at = zerolog.WarnLevel
	case kfake.LogLevelInfo:
		at = zerolog.DebugLevel
	case kfake.LogLevelDebug, kfake.LogLevelNone:
	}
	l.log.WithLevel(at).Str("part", "embedded broker").Msgf(format, args...)
}
