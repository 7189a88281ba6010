package removal

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// Erase appends what lets every member forget the documents judged at these positions, and returns the journal offset
// from which on they are forgotten. It appends a record for every 256 documents. After an error some of them may be
// appended; to repeat it changes nothing.
func (w *Window) Erase(ctx context.Context, targets []entry.Position) (offset int64, err error) {
	appender := journal.NewAppender(w.client, w.group.Name)
	header := index.Header{Fingerprint: w.replica.Fingerprint(), Wall: time.Now().UnixMilli()}
	for _, rec := range Records(header, targets) {
		if offset, err = appender.Append(ctx, rec); err != nil {
			return 0, fmt.Errorf("append to journal %s: %w", w.group.journal().Topic, err)
		}
	}
	return offset, nil
}

// Records returns what lets every replica forget the documents judged at these positions, in the order of Targets.
func Records(header index.Header, targets []entry.Position) (records []*index.Erase) {
	for part := range slices.Chunk(targets, index.MostErased) {
		records = append(records, &index.Erase{Header: header, Targets: part})
	}
	return records
}
