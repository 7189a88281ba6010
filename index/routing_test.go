package index_test

import (
	"testing"

	"github.com/unecho/unecho/index"
)

// Replicas that differ in the text or the number of the routing differ in their hashes, so members notice.
func TestRoutingIsHashed(t *testing.T) {
	h := index.Header{Fingerprint: index.Fingerprint(settings)}
	seen := map[uint64]string{}
	for _, texts := range [][]string{{"a"}, {"b"}, {"a", "b"}, {"a", "a"}, {}} {
		r := newReplica(t, index.DefaultParams())
		r.Apply(index.Stamp{}, &index.Settings{Text: settings})
		for i, text := range texts {
			r.Apply(index.Stamp{Offset: int64(i) + 1},
				&index.Routing{Header: h, Routes: index.Routes{Number: uint32(i) + 1, Text: []byte(text)}})
		}
		for i := len(texts); i < 2; i++ { // both histories use the same offsets, because offsets are hashed too
			r.Apply(index.Stamp{Offset: int64(i) + 1}, &index.Routing{Header: h})
		}
		if other, ok := seen[r.Hash()]; ok {
			t.Errorf("%v and %s have one hash", texts, other)
		}
		seen[r.Hash()] = "another"
	}
}
