package broker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"
)

// clientLogger hands the Kafka client's log to ours, one level lower from info down: what the client calls information
// only helps those who look for a fault in the connection. The same holds for errors that we caused by ending the
// client. The client never logs credentials.
//
// The client warns of a broker that is away each time it tries again, many times a second. Such a warning is logged
// again only after a while.
type clientLogger struct {
	log zerolog.Logger
	tls bool // the client speaks TLS

	mu   sync.Mutex
	said map[complaint]time.Time
}

// complaint is a warning of the client. There is at most one for each kind of warning and each broker.
type complaint struct{ msg, broker string }

// repeatAfter is how long a warning is not repeated.
const repeatAfter = 10 * time.Second

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
	if level < kgo.LogLevelInfo && (slices.ContainsFunc(keyvals, canceled) || l.repeated(msg, keyvals)) {
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

func (l *clientLogger) repeated(msg string, keyvals []any) bool {
	c, now := complaint{msg: msg, broker: brokerIn(keyvals)}, time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.said[c]) < repeatAfter {
		return true
	}
	if l.said == nil {
		l.said = map[complaint]time.Time{}
	}
	l.said[c] = now
	return false
}

// brokerIn returns the address or number of the broker that a message is about.
func brokerIn(keyvals []any) string {
	for i := 0; i+1 < len(keyvals); i += 2 {
		if name := keyvals[i]; name == "addr" || name == "broker" {
			return fmt.Sprint(keyvals[i+1])
		}
	}
	return ""
}

// withUnits adds the unit to the name of each duration, which is logged in milliseconds.
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
