package unpack

import (
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
)

// ErrLater is the error that a client reports for a partition whose next batch found no room. The client fetches the
// batch again by itself.
var ErrLater = errors.New("as much is unpacked as may be: the batch is fetched again")

var (
	errTooMuch    = errors.New("it unpacks to more than the bound")
	errUnreadable = errors.New("it holds no records as Kafka writes them")
)

// stop returns an error after which the client leaves the partition alone, and says where the next batch begins.
func stop(because error) error { return fmt.Errorf("%w: %w", kgo.ErrMaxDecompress, because) }
