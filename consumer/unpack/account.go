package unpack

import (
	"bytes"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
)

// account is what is unpacked and not given back, in bytes of memory.
//
// Of the records that a client keeps for a poll it tells each, when it takes it in and when it lets go of it. Between unpacking
// and that it drops records without a word: those of aborted transactions, and those below the offset where it begins. What it
// has not told of after two polls counts as dropped. So nothing stays in the account for ever: where nothing is unpacked, two
// polls later it is what the client told, and that is polled and given back, or thrown away and told.
type account struct {
	mu     sync.Mutex // its own: nobody waits here for a batch that is being unpacked
	fresh  int        // unpacked since the last poll, and not told of yet
	before int        // the same, between the last poll and the one before
	told   int        // with the client, or handed out
}

func (a *account) sum() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.fresh + a.before + a.told
}

func (a *account) unpacked(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fresh += n
}

// kept says that the client keeps a record of those that were unpacked.
func (a *account) kept(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.told += n
	old := min(n, a.before)
	a.before -= old
	a.fresh -= min(n-old, a.fresh)
}

func (a *account) polled() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.before, a.fresh = a.fresh, 0
}

func (a *account) gone(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.told = max(0, a.told-n)
}

// hooks hear what becomes of records in the client.
type hooks struct{ u *Unpacker }

// OnFetchRecordBuffered implements kgo.HookFetchRecordBuffered.
func (h hooks) OnFetchRecordBuffered(r *kgo.Record) {
	if n := h.u.counted(r); n > 0 {
		h.u.held.kept(n)
	}
}

// OnFetchRecordUnbuffered implements kgo.HookFetchRecordUnbuffered. What is handed out is given back by Done.
func (h hooks) OnFetchRecordUnbuffered(r *kgo.Record, polled bool) {
	if n := h.u.counted(r); n > 0 && !polled {
		h.u.held.gone(n)
	}
}

// counted is what a record has added to what is held: nothing if it did not come by way of the Unpacker, and not its bytes if
// they still lie where they were fetched to.
func (u *Unpacker) counted(r *kgo.Record) int {
	switch codec := kgo.CompressionCodecType(r.Attrs.CompressionType()); {
	case codec == kgo.CodecNone:
		return 0
	case codec == plain && !bytes.HasPrefix(r.Value, u.token[:]):
		return recordBytes + headerBytes*len(r.Headers)
	}
	return Cost(r)
}
