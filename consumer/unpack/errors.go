package unpack

import (
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/stop"
)

// ErrLater is the error that a client reports for a partition whose next batch found no room. The client fetches the
// batch again by itself.
var ErrLater = errors.New("as much is unpacked as may be: the batch is fetched again")

var (
	errTooMuch    = errors.New("it unpacks to more than the bound")
	errUnreadable = errors.New("it holds no records as Kafka writes them")
)

// Ended is the error of a backfill that comes to a batch which cannot be unpacked. Nobody could tell a partition that
// waits from one that is slow.
func Ended(e *kgo.ErrDecompressTooLarge) *stop.Error {
	return &stop.Error{
		What: fmt.Sprintf("a batch of %s/%d, from offset %d to below %d, holds more records than there is "+
			"room for, or cannot be read",
			e.Topic, e.Partition, e.Offset, e.NextOffset), Err: e,
		Remedy: "raise advanced.max_document_bytes beyond 16MiB, a batch has room for twice as much, and begin a backfill of another name",
	}
}
