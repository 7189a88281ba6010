package session

import (
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"
)

// leaveLogger hands on what a session's client logs. Once the session has left the group, the client finds that the
// group does not know it any more. The client logs that as an error, though it is as it should be. So errors are
// logged as information from then on.
type leaveLogger struct {
	kgo.Logger
	left *atomic.Bool
}

// Log implements kgo.Logger.
func (l leaveLogger) Log(level kgo.LogLevel, msg string, keyvals ...any) {
	if l.left.Load() {
		level = max(level, kgo.LogLevelInfo)
	}
	l.Logger.Log(level, msg, keyvals...)
}

// leaveLogger is the option for the client of the session, or nothing where nobody logs.
func (st *standing) leaveLogger(of *kgo.Client) []kgo.Opt {
	logger, ok := of.OptValue(kgo.WithLogger).(kgo.Logger)
	if !ok {
		return nil
	}
	return []kgo.Opt{kgo.WithLogger(leaveLogger{logger, &st.left})}
}
