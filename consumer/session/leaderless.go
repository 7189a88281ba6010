package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/unecho/unecho/consumer/broker"
)

// ledAgain looks from time to time whether a partition that was left out has a leader again. Then the session is
// built anew, and takes the steps of an assignment for all it has: the client offers no way to begin with one
// partition more.
func (s *Session) ledAgain(ctx context.Context) error {
	s.mu.Lock()
	unled := slices.Collect(maps.Keys(s.unled))
	s.mu.Unlock()
	if len(unled) == 0 || time.Since(s.looked) < quiet {
		return nil
	}
	s.looked = time.Now()
	topics := map[string][]key{}
	for _, at := range unled {
		topics[at.topic] = append(topics[at.topic], at)
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	for topic, unled := range topics {
		ends, err := broker.Offsets(ctx, s.Cluster.Admin().ListEndOffsets, topic)
		if err != nil {
			continue // the topic may be gone; the next look may tell
		}
		for _, at := range unled {
			if end, ok := ends.Lookup(at.topic, at.partition); ok && end.Err == nil {
				return rebuild("%s has a leader again", at)
			}
		}
	}
	return nil
}

// lookTimeout bounds how long the other partitions are held up by that.
const lookTimeout = time.Second

func (k key) String() string { return fmt.Sprintf("%s/%d", k.topic, k.partition) }
