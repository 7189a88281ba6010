package signing

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/unpack"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/sink"
)

// Setup is what signing needs. It does not change.
type Setup struct {
	Index         index.Params
	Reader        *document.Reader
	Encoder       *sink.Encoder
	MaxEntryBytes int                 // of the journal
	Large         *semaphore.Weighted // LargeAtOnce, for all workers of the process
	// Untimely says why no output would take a document of that time, whatever its verdict. It may be called from many
	// goroutines.
	Untimely func(*kgo.Record) (detail string, refused bool)
}

// Chunk is how many documents a worker should take at a time: enough to forget the cost of taking, few enough to
// share fairly.
const Chunk = 32

// Workers sign on all cores, each with memory of its own. They serve one caller at a time.
type Workers []*Worker

// NewWorkers makes a worker for each core. The unpacker is that of the client which polls the records, or one that
// recognises the records that it withholds.
func NewWorkers(setup *Setup, u *unpack.Unpacker) (Workers, error) {
	workers := make(Workers, runtime.GOMAXPROCS(0))
	for i := range workers {
		signer, err := index.NewSigner(setup.Index)
		if err != nil {
			return nil, err
		}
		workers[i] = &Worker{setup: setup, signer: signer, unpacker: u}
	}
	return workers, nil
}

// Each calls sign with the numbers below chunks, each once, on all cores. It lets go of the entries that were signed
// before.
func (w Workers) Each(ctx context.Context, chunks int,
	sign func(ctx context.Context, w *Worker, chunk int) error,
) error {
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for _, w := range w[:min(len(w), chunks)] {
		w.rest()
		group.Go(func() error {
			for {
				n := int(next.Add(1)) - 1
				if n >= chunks {
					return nil
				}
				if err := sign(ctx, w, n); err != nil {
					return err
				}
			}
		})
	}
	return group.Wait()
}

// Rest lets go of the entries, and of memory that only few documents need.
func (w Workers) Rest() {
	for _, w := range w {
		w.rest()
	}
}
