package session

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/unpack"
)

// heartbeat is how soon a session learns of a rebalance. Each phase of a rebalance waits for the last member to learn
// of it, and there are more rebalances than one would think. For example, a session that leads the group comes back
// after a kill. It is given the plan of before, and has the group make a new one, because topics may have come meanwhile.
const heartbeat = 500 * time.Millisecond

// refusedAgain is how soon a session may look at the metadata again. The library repeats a refused record only after
// a look, though nothing has moved. Kafka refuses the first records of a transaction (CONCURRENT_TRANSACTIONS) while
// it still writes the end of the one before. With the library's 5 s each such moment became 5 s.
const refusedAgain = 100 * time.Millisecond

// readOptions are those of a client that reads the source.
func (s *Setup) readOptions() []kgo.Opt {
	return append(unpack.SourceOptions(int(s.Params.FetchBytes)), kgo.FetchMaxWait(time.Second))
}

// options are those of a session's client, without those that the taking of partitions has.
func (s *Setup) options(slot string, topics []string) []kgo.Opt {
	return append(slices.Concat(s.Cluster.Options, []kgo.Opt{kgo.ProducerBatchCompression(kgo.SnappyCompression())}, s.Options, s.readOptions()),
		kgo.ConsumerGroup(s.Params.Group),
		kgo.ConsumeTopics(topics...),
		kgo.InstanceID(slot),
		kgo.TransactionalID(s.Cluster.TransactionalID(slot)),
		kgo.TransactionTimeout(s.Params.TransactionTimeout),
		kgo.MetadataMinAge(refusedAgain),
		kgo.SessionTimeout(s.Params.SessionTimeout),
		kgo.HeartbeatInterval(min(s.Params.SessionTimeout/3, heartbeat)),
		kgo.RebalanceTimeout(5*s.Params.SessionTimeout),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerLinger(0),
		kgo.MaxBufferedRecords(s.Params.PollRecords+1),
		kgo.ProducerBatchMaxBytes(int32(s.Sink.MaxRecordBytes)),
	)
}

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

// leaveLogger is the option for the client of a session, or nothing where nobody logs.
func (s *Setup) leaveLogger(left *atomic.Bool) []kgo.Opt {
	logger, ok := s.Cluster.Client.OptValue(kgo.WithLogger).(kgo.Logger)
	if !ok {
		return nil
	}
	return []kgo.Opt{kgo.WithLogger(leaveLogger{logger, left})}
}
