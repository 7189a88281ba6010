package session

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index/entry"
)

// Waiting is a partition that waits for a person, at a batch that cannot be unpacked. The others go on.
type Waiting struct {
	protocol.PartitionName
	Offset int64 // where the batch begins
	Next   int64 // where the next one does
}

// WaitingList are the partitions of this process that wait. It is safe for concurrent use.
type WaitingList struct {
	mu sync.Mutex
	at map[protocol.PartitionName]Waiting
}

// add notes a partition. It says whether that is news.
func (w *WaitingList) add(p Waiting) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.at == nil {
		w.at = map[protocol.PartitionName]Waiting{}
	}
	before := w.at[p.PartitionName]
	w.at[p.PartitionName] = p
	return before != p
}

// forget strikes off partitions that were taken away, or begin anew.
func (w *WaitingList) forget(name protocol.PartitionName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.at, name)
}

// List returns them in order.
func (w *WaitingList) List() []Waiting {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []Waiting
	for _, p := range w.at {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b Waiting) int { return a.Compare(b.PartitionName) })
	return all
}

// bears says that the other partitions go on in spite of an error of one. The next batch of that one has no room yet,
// or cannot be unpacked at all.
func (c *client) bears(err error, member *protocol.Member) bool {
	if errors.Is(err, unpack.ErrLater) {
		return true
	}
	var stopped *kgo.ErrDecompressTooLarge
	if !errors.As(err, &stopped) {
		return false
	}
	name := entry.Name(stopped.Topic, stopped.Partition)
	c.unpacker.Reported(name)
	a := member.Find(name)
	if a != nil && a.Mode.Finite() {
		if stopped.Offset < a.Range.To {
			_ = c.mail.stop(unpack.Ended(stopped)) // which wakes the loop, and ends the process
		}
		return true
	}
	if a != nil && c.Waiting.add(Waiting{name, stopped.Offset, stopped.NextOffset}) {
		c.Logger.Error().Str("topic", stopped.Topic).Int32("partition", stopped.Partition).Int64("offset", stopped.Offset).
			Int64("next_offset", stopped.NextOffset).Str("remedy", c.pass(stopped)).
			Msg("a batch holds more records than source.max_batch_bytes has room for, or cannot be read: its partition waits, " +
				"the others go on")
	}
	return true
}

// untoldPatience is how long a partition may have been left alone when a poll begins that does not tell of it.
const untoldPatience = 5 * time.Second

// told returns an error if the client has left a partition alone and has thrown away the message about it. A client
// that is opened anew comes to the same batch again, and tells. A full poll may leave the message to the next one.
func (c *client) told(fetches kgo.Fetches, most int, polling time.Time) error {
	if fetches.NumRecords() >= most {
		return nil
	}
	if p, is := c.unpacker.Unreported(polling.Add(-untoldPatience)); is {
		return rebuild("%v stands still at a batch that cannot be unpacked, and the client does not say so", p)
	}
	return nil
}

// pass says how a person can go on. All members are stopped and a command leaves out the batch, or the batch gets
// more room. A batch of many small records may be wanted.
func (c *client) pass(e *kgo.ErrDecompressTooLarge) string {
	return fmt.Sprintf("stop all members, then kafka-consumer-groups.sh --group %s --topic %s:%d --reset-offsets "+
		"--to-offset %d --execute; "+
		"or, if its documents are wanted, raise source.max_batch_bytes, for which all members take new settings "+
		"(deploy/docs/operations.md: Change a setting that decides)",
		c.Params.Group, e.Topic, e.Partition, e.NextOffset)
}
