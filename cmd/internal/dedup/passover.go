package dedup

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

// Resumed are documents that were judged in an earlier run of the same files.
type Resumed struct {
	Documents int64  `json:"documents"`
	Front     uint64 `json:"front"` // hash of them all, as Add makes it
}

// Add adds a document, by its Sum.
func (r *Resumed) Add(sum uint64) {
	var both [16]byte
	binary.LittleEndian.PutUint64(both[:8], r.Front)
	binary.LittleEndian.PutUint64(both[8:], sum)
	r.Front = xxhash.Sum64(both[:])
	r.Documents++
}

// skipJudged reads the documents that were judged before, without judging them, and checks that they are the same. Where
// the last of them is not the last of its chunk, the job has the rest, and left is true.
func (j *job) skipJudged(ctx context.Context, r *corpus.Reader) (left bool, err error) {
	var now Resumed
	p, before := j.params, j.params.Before
	for now.Documents < before.Documents && !left {
		err := r.Next(ctx, &j.chunk)
		if errors.Is(err, io.EOF) {
			return false, fmt.Errorf("%s judged before, and now there are only %d: %w", were(int(before.Documents), "document"),
				now.Documents, errChanged)
		}
		if err != nil {
			return false, err
		}
		j.skip = 0
		err = j.parser.Each(&j.chunk, func(rec *corpus.Record) bool {
			if left = now.Documents == before.Documents; left {
				return false
			}
			if p.Skipped != nil {
				p.Skipped(now.Documents, rec)
			}
			now.Add(j.sum(rec))
			j.skip++
			return true
		})
		if err != nil {
			return false, err
		}
		if p.Passing != nil {
			p.Passing()
		}
	}
	if now.Front != before.Front {
		return false, fmt.Errorf("the first %s are not those that were judged before: %w",
			terminal.Several(int(now.Documents), "document"), errChanged)
	}
	if !left {
		j.skip = 0
	}
	return left, nil
}
