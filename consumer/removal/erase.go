package removal

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
)

// Erase appends what lets every member forget the documents judged at these positions, and returns the journal offset
// from which on they are forgotten. It appends a record for every 256 documents. After an error some of them may be
// appended; to repeat it changes nothing.
func (w *Window) Erase(ctx context.Context, targets []index.Position) (offset int64, err error) {
	appender := journal.NewAppender(w.client, w.group.Name)
	for part := range slices.Chunk(targets, index.MostErased) {
		rec := &index.Erase{
			Header:  index.Header{Fingerprint: w.replica.Recorded(), Wall: time.Now().UnixMilli()},
			Targets: part,
		}
		if offset, err = appender.Append(ctx, rec); err != nil {
			return 0, fmt.Errorf("append to journal %s: %w", w.group.journal().Topic, err)
		}
	}
	return offset, nil
}
