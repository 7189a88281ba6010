package journal

import (
	"encoding/binary"
	"errors"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

// requestBytes is what the request of an entry takes at most: its hash and the number of the entry.
const requestBytes = len(entry.Request{}) + binary.MaxVarintLen32

// requestsOf returns how many entries of a run came with a request. A run without any is of the plain kind.
func requestsOf(run *index.Run) (n int) {
	for i := range run.Entries {
		if run.Entries[i].Request != (entry.Request{}) {
			n++
		}
	}
	return n
}

func appendRequests(dst []byte, run *index.Run, n int) []byte {
	dst = binary.AppendUvarint(dst, uint64(n))
	next := 0
	for i := range run.Entries {
		if e := &run.Entries[i]; e.Request != (entry.Request{}) {
			dst = append(binary.AppendUvarint(dst, uint64(i-next)), e.Request[:]...)
			next = i + 1
		}
	}
	return dst
}

func readRequests(rd *wire.Reader, run *index.Run) error {
	n := rd.Count(1 + len(entry.Request{}))
	if n == 0 {
		return errors.New("a run of requests without any")
	}
	for i := uint64(0); n > 0; n-- {
		ahead := rd.Uvarint()
		if ahead >= uint64(len(run.Entries))-i {
			return errors.New("a request of no entry")
		}
		i += ahead
		e := &run.Entries[i]
		if copy(e.Request[:], rd.Take(uint64(len(e.Request)))); e.Request == (entry.Request{}) {
			return errors.New("an empty request")
		}
		i++
	}
	return nil
}
