package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// requests counts the requests of all clients of a contender, by kind.
type requests struct {
	mu     sync.Mutex
	counts map[int16]traffic
}

// traffic is a number of requests, and the bytes of the requests and their answers.
type traffic struct{ requests, bytes int }

var _ kgo.HookBrokerE2E = (*requests)(nil)

// OnBrokerE2E implements kgo.HookBrokerE2E.
func (q *requests) OnBrokerE2E(_ kgo.BrokerMetadata, kind int16, e2e kgo.BrokerE2E) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := q.counts[kind]
	q.counts[kind] = traffic{requests: t.requests + 1, bytes: t.bytes + e2e.BytesWritten + e2e.BytesRead}
}

// take returns the counts and resets them.
func (q *requests) take() map[int16]traffic {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken := q.counts
	q.counts = map[int16]traffic{}
	return taken
}

// requestsText lists the kinds that occur at least once in 100,000 documents: how many in a thousand documents, and how
// many bytes for each document.
func requestsText(runs []result) string {
	sums, documents := map[int16]traffic{}, 0
	for _, r := range runs {
		documents += r.documents
		for kind, t := range r.requests {
			sums[kind] = traffic{requests: sums[kind].requests + t.requests, bytes: sums[kind].bytes + t.bytes}
		}
	}
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(sums)) {
		if t := sums[kind]; 100_000*t.requests >= documents {
			perThousand := 1000 * float64(t.requests) / float64(documents)
			kinds = append(kinds, fmt.Sprintf("%s %.2f (%d B)", kmsg.NameForKey(kind), perThousand, t.bytes/documents))
		}
	}
	return strings.Join(kinds, ", ")
}
