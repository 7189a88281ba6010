package unpack

import (
	"crypto/rand"
	"errors"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Bounds say how much is unpacked, in bytes of memory.
type Bounds struct {
	Batch int // of one batch
	Held  int // of all batches of the client until they are given back, and no less than Batch; 0: no bound
}

// Unpacker is the decompressor of one client: give it to kgo.WithDecompressor. It unpacks one batch at a time, so that no more
// than one is on its way beside those that are held.
type Unpacker struct {
	bounds Bounds
	token  [tokenBytes]byte

	mu     sync.Mutex
	held   int    // the costs of what was unpacked and not given back
	fresh  int    // of them those since the last poll
	full   bool   // a batch found no room: none is unpacked until everything is given back, so that a large one has its turn
	worked int64  // bytes unpacked since the last poll
	piece  []byte // to unpack into
	gzip   gzip.Reader
	lz4    *lz4.Reader
	zstd   *zstd.Decoder
}

// New makes an Unpacker.
func New(b Bounds) *Unpacker {
	u := &Unpacker{bounds: b}
	_, _ = rand.Read(u.token[:]) // never fails
	u.token[0] = 0xff            // no text, and no record of a journal
	return u
}

// Decompress unpacks a batch. See the package comment for what becomes of a large one.
func (u *Unpacker) Decompress(src []byte, codec kgo.CompressionCodecType) ([]byte, error) {
	if codec == kgo.CodecNone {
		return src, nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.mayBegin() {
		return nil, ErrLater
	}
	raw, size, err := u.unpack(src, codec)
	if err != nil {
		return nil, stop(err)
	}
	if u.bounds.Held > 0 && u.held > 0 && u.held+size > u.bounds.Held {
		u.full = true
		return nil, ErrLater
	}
	u.held += size
	u.fresh += size
	return raw, nil
}

// workedMost is how many times Held may be unpacked between two polls: what is withheld, or not forwarded at all, takes no
// memory, and should not keep the other partitions waiting either.
const workedMost = 4

func (u *Unpacker) mayBegin() bool {
	if u.bounds.Held == 0 {
		return true
	}
	u.full = u.full && u.held > 0
	return !u.full && u.worked < workedMost*int64(u.bounds.Held)
}

// unpack returns the records of a batch, or those in their place, and what they cost.
func (u *Unpacker) unpack(src []byte, codec kgo.CompressionCodecType) (raw []byte, size int, err error) {
	raw, err = u.whole(src, codec, u.bounds.Batch)
	u.worked += int64(len(raw))
	if err == nil {
		size, err = cost(raw)
		if err != nil && legacy(raw) {
			return raw, len(raw) * recordBytes / 32, nil // a message has 26 bytes or more of its own
		}
	}
	if err != nil && !errors.Is(err, errTooMuch) || err == nil && size <= u.bounds.Batch {
		return raw, size, err
	}
	from, err := u.stream(src, codec)
	if err != nil {
		return nil, 0, err
	}
	if raw, err = u.withhold(from); err != nil {
		return nil, 0, err
	}
	size, err = cost(raw)
	return raw, size, err
}

// Polled says what the client handed out, and whether it has more that it has not. Where it has not, the account is made anew:
// the client drops records without a word, those of aborted transactions and of partitions that were taken away.
func (u *Unpacker) Polled(fetches kgo.Fetches, more bool) {
	n := compressed(fetches)
	u.mu.Lock()
	defer u.mu.Unlock()
	if !more {
		u.held = n + u.fresh // of which some may be among n: the next time they are not
	}
	u.worked, u.fresh = 0, 0
}

// Done gives records back that the client has handed out. They must not be in use any more.
func (u *Unpacker) Done(fetches kgo.Fetches) {
	n := compressed(fetches)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.held = max(0, u.held-n)
}

// compressed is what those of the records cost that were unpacked.
func compressed(fetches kgo.Fetches) (n int) {
	for it := fetches.RecordIter(); !it.Done(); {
		if r := it.Next(); r.Attrs.CompressionType() != uint8(kgo.CodecNone) {
			n += Cost(r)
		}
	}
	return n
}

// Held is what is unpacked and not given back.
func (u *Unpacker) Held() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.held
}
