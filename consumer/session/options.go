package session

import (
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/unpack"
)

// partitionBytes is how much of a partition one fetch brings at most. The client's 1 MiB fills a transaction of a few
// partitions only in part: of documents of 2 kB in four partitions it brings some 3,000, and 4 MiB bring enough for the
// default poll_records.
const partitionBytes = 4 << 20

// unpackBounds are the bounds of one session. It holds two things unpacked: the batch that it forwards, and the one
// that comes next.
func (s *Setup) unpackBounds() unpack.Bounds {
	batch := int(s.Source.MaxBatchBytes)
	return unpack.Bounds{Batch: batch, Held: max(batch, unpackedFetches*int(s.Params.FetchBytes))}
}

// unpackedFetches is how many fetch_bytes a session holds unpacked. Text is compressed to a fourth, as a rule.
const unpackedFetches = 4

// heartbeat is how soon a session learns of a rebalance. Each phase of a rebalance waits for the last member to learn
// of it, and there are more rebalances than one would think. For example, a session that leads the group comes back
// after a kill. It is given the plan of before, and has the group make a new one, because topics may have come meanwhile.
const heartbeat = 500 * time.Millisecond

// refusedAgain is how soon a session may look at the metadata again. The library repeats a refused record only after
// a look, though nothing has moved. Kafka refuses the first records of a transaction (CONCURRENT_TRANSACTIONS) while
// it still writes the end of the one before. With the library's 5 s each such moment became 5 s.
const refusedAgain = 100 * time.Millisecond

// readOptions are the options of a client that reads parts of the source once more.
func (s *Setup) readOptions() []kgo.Opt {
	return []kgo.Opt{
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(),
		kgo.FetchMaxWait(time.Second),
		kgo.FetchMaxBytes(int32(s.Params.FetchBytes)),
		kgo.BrokerMaxReadBytes(int32(max(100<<20, s.Params.FetchBytes))),
		kgo.FetchMaxPartitionBytes(int32(min(s.Params.FetchBytes, partitionBytes))),
	}
}

// options are those of the client, without those that the taking of partitions has.
func (c *client) options() []kgo.Opt {
	codec, _ := c.Sink.Codec()
	return append(slices.Concat(c.Cluster.Options, c.Options),
		kgo.ConsumerGroup(c.Params.Group),
		kgo.ConsumeTopics(c.reads...),
		kgo.InstanceID(c.slot),
		kgo.TransactionalID(c.Cluster.TransactionalID(c.slot)),
		kgo.TransactionTimeout(c.Params.TransactionTimeout),
		kgo.MetadataMinAge(refusedAgain),
		kgo.SessionTimeout(c.Params.SessionTimeout),
		kgo.HeartbeatInterval(min(c.Params.SessionTimeout/3, heartbeat)),
		kgo.RebalanceTimeout(5*c.Params.SessionTimeout),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		// what is polled is committed: so are the markers, and with them what was aborted before them
		kgo.KeepControlRecords(),
		kgo.FetchMaxWait(time.Second),
		kgo.FetchMaxBytes(int32(c.Params.FetchBytes)),
		kgo.BrokerMaxReadBytes(int32(max(100<<20, c.Params.FetchBytes))), // the library's, or more
		kgo.FetchMaxPartitionBytes(int32(min(c.Params.FetchBytes, partitionBytes))),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerLinger(0),
		kgo.ProducerBatchCompression(codec),
		kgo.MaxBufferedRecords(c.Params.PollRecords+1),
		kgo.ProducerBatchMaxBytes(int32(max(int(c.Sink.MaxRecordBytes), 1<<20))),
	)
}
