package broker

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// clientLogger hands the Kafka client's log to ours, one level lower from info down: what it calls information is of use
// to those who look for a fault in the connection, and to nobody else. So is what went wrong because we ended it ourselves.
// The client never logs credentials.
type clientLogger struct{ log zerolog.Logger }

// Level implements kgo.Logger.
func (l clientLogger) Level() kgo.LogLevel {
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
func (l clientLogger) Log(level kgo.LogLevel, msg string, keyvals ...any) {
	if level < kgo.LogLevelInfo && slices.ContainsFunc(keyvals, canceled) {
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
	l.log.WithLevel(at).Str("part", "kafka client").Fields(keyvals).Msg(msg)
}

func canceled(value any) bool {
	err, ok := value.(error)
	return ok && errors.Is(err, context.Canceled)
}

// embeddedLogger does the same for the embedded broker. That a transaction took milliseconds to end is a stopwatch for its
// authors, and no warning.
type embeddedLogger struct{ log zerolog.Logger }

// Logf implements kfake.Logger.
func (l embeddedLogger) Logf(level kfake.LogLevel, format string, args ...any) {
	if level == kfake.LogLevelWarn && strings.HasPrefix(format, "txn: EndTxn slow") {
		level = kfake.LogLevelInfo
	}
	at := zerolog.TraceLevel
	switch level {
	case kfake.LogLevelError:
		at = zerolog.ErrorLevel
	case kfake.LogLevelWarn:
		at = zerolog.WarnLevel
	case kfake.LogLevelInfo:
		at = zerolog.DebugLevel
	case kfake.LogLevelDebug, kfake.LogLevelNone:
	}
	l.log.WithLevel(at).Str("part", "embedded broker").Msgf(format, args...)
}
