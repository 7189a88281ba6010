package consumer

import (
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"
)

// farewell hands on what a session's client logs. Once the session has left the group, the client finds that the group does
// not know it any more, and calls an error what is as it should be: from then on it is information.
type farewell struct {
	kgo.Logger
	left *atomic.Bool
}

// Log implements kgo.Logger.
func (f farewell) Log(level kgo.LogLevel, msg string, keyvals ...any) {
	if f.left.Load() {
		level = max(level, kgo.LogLevelInfo)
	}
	f.Logger.Log(level, msg, keyvals...)
}

// quietFarewell is the option for the client of this session, or nothing where nobody logs.
func (s *session) quietFarewell() []kgo.Opt {
	logger, ok := s.admin.OptValue(kgo.WithLogger).(kgo.Logger)
	if !ok {
		return nil
	}
	return []kgo.Opt{kgo.WithLogger(farewell{logger, &s.left})}
}
