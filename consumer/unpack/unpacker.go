package unpack

import (
	"crypto/rand"
	"errors"
	"hash/maphash"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Bounds say how much is unpacked, in bytes of memory.
type Bounds struct {
	Batch int // of one batch
	Held  int // of all batches of the client until they are given back, beside what it fetched, and no less than Batch; 0: no bound
}

// Unpacker is the decompressor of one client, which gets it by Options. It unpacks one batch at a time, so that no more than one
// is on its way beside those that are held. A client that is opened anew takes Renew's.
type Unpacker struct {
	bounds Bounds
	token  [tokenBytes]byte
	seed   maphash.Seed

	held    account
	stopped stopped
	mu      sync.Mutex // of what follows
	turns   turns
	full    bool   // a batch found no room: none is unpacked until everything is given back, so that a large one has its turn
	worked  int64  // bytes unpacked since the last poll
	piece   []byte // to unpack into
	gzip    gzip.Reader
	lz4     *lz4.Reader
	zstd    *zstd.Decoder
}

// New makes an Unpacker.
func New(b Bounds) *Unpacker {
	u := &Unpacker{bounds: b, seed: maphash.MakeSeed()}
	_, _ = rand.Read(u.token[:]) // never fails
	u.token[0] = 0xff            // no text, and no record of a journal
	return u
}

// Renew makes an Unpacker for the next client in the place of one that is closed, which may have kept records. Both know each
// other's withheld records.
func (u *Unpacker) Renew() *Unpacker {
	return &Unpacker{bounds: u.bounds, token: u.token, seed: u.seed}
}

// Options make a client unpack its batches here, uncompressed ones as well, and tell what becomes of their records. They come
// after those that reach the cluster: it is reached as the client like reaches it.
func (u *Unpacker) Options(like *kgo.Client) []kgo.Opt {
	return []kgo.Opt{
		kgo.WithDecompressor(u), kgo.WithHooks(hooks{u}),
		kgo.Dialer(marking(like)), kgo.DialTLSConfig(nil), // the library takes only one of them, and like dials with TLS by itself
	}
}

// Decompress unpacks a batch. See the package comment for what becomes of a large one.
func (u *Unpacker) Decompress(src []byte, codec kgo.CompressionCodecType) ([]byte, error) {
	if codec == kgo.CodecNone {
		return src, nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	batch := maphash.Bytes(u.seed, src)
	if !u.mayBegin(batch) {
		u.turns.wait(batch)
		return nil, ErrLater
	}
	raw, size, err := u.unpack(src, codec)
	if err != nil {
		u.turns.had(batch)
		u.stopped.batch(len(src))
		return nil, stop(err)
	}
	if sum := u.held.sum(); u.bounds.Held > 0 && sum > 0 && sum+size > u.bounds.Held {
		u.full = true
		u.turns.wait(batch)
		return nil, ErrLater
	}
	u.turns.had(batch)
	u.held.unpacked(size)
	return raw, nil
}

// workedMost is how many times Held may be unpacked between two polls: what is withheld, or not forwarded at all, takes no
// memory, and should not keep the other partitions waiting either.
const workedMost = 4

func (u *Unpacker) mayBegin(batch uint64) bool {
	switch {
	case u.bounds.Held == 0:
		return true
	case u.full && u.held.sum() == 0:
		u.full = false
		u.turns.begin()
	}
	return !u.full && u.worked < workedMost*int64(u.bounds.Held) && u.turns.may(batch)
}

// unpack returns the records of a batch, or those in their place, and what they add to what is held.
func (u *Unpacker) unpack(src []byte, codec kgo.CompressionCodecType) (raw []byte, adds int, err error) {
	raw, err = u.whole(src, codec, u.bounds.Batch)
	if codec != plain {
		u.worked += int64(len(raw))
	}
	var sum, beside int
	if err == nil {
		sum, beside, err = cost(raw)
	}
	switch {
	case err == nil && sum <= u.bounds.Batch && codec == plain:
		return raw, beside, nil
	case err == nil && sum <= u.bounds.Batch:
		return raw, sum, nil
	case err != nil && codec != plain && legacy(raw):
		return raw, len(raw) * recordBytes / 32, nil // a message has 26 bytes or more of its own
	case err != nil && !errors.Is(err, errTooMuch):
		return nil, 0, err
	}
	from, err := u.stream(src, codec)
	if err != nil {
		return nil, 0, err
	}
	if raw, err = u.withhold(from); err != nil {
		return nil, 0, err
	}
	sum, _, err = cost(raw)
	return raw, sum, err
}

// Polled says that the client was polled, whatever it handed out.
func (u *Unpacker) Polled() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.worked >= workedMost*int64(u.bounds.Held) {
		u.turns.begin()
	}
	u.worked = 0
	u.held.polled()
}

// Done gives records back that the client has handed out, as they were. They must not be in use any more.
func (u *Unpacker) Done(fetches kgo.Fetches) {
	n := 0
	for it := fetches.RecordIter(); !it.Done(); {
		n += u.counted(it.Next())
	}
	u.held.gone(n)
}

// Held is what is unpacked and not given back.
func (u *Unpacker) Held() int { return u.held.sum() }
