package unpack

import (
	"crypto/rand"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Limits bound what is unpacked, in bytes of memory.
type Limits struct {
	Batch int // of one batch
	// Held bounds all batches of the client until they are given back, without what was fetched. It is at least Batch. 0:
	// no bound.
	Held int
}

// LimitsOf returns the limits of a client. batch bounds one batch, and fetch is how many bytes the client asks a broker for at
// a time. The client holds two things unpacked: the batch that is worked on, and what comes next.
func LimitsOf(batch, fetch int) Limits {
	return Limits{Batch: batch, Held: max(batch, unpackedFetches*fetch)}
}

// unpackedFetches is how many fetches are held unpacked. Text is compressed to a fourth, as a rule.
const unpackedFetches = 4

// PartitionBytes is how much of a partition one fetch brings at most. The client's 1 MiB fills a transaction of a few
// partitions only in part: of documents of 2 kB in four partitions it brings some 3,000, and 4 MiB bring enough for the
// default poll_records.
const PartitionBytes = 4 << 20

// SourceOptions are those of a client that reads the source, and asks one broker for so many bytes at a time.
func SourceOptions(fetch int) []kgo.Opt {
	return []kgo.Opt{
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		// The markers of transactions are polled too: a position moves over them, and over what was aborted before them.
		kgo.KeepControlRecords(),
		kgo.FetchMaxBytes(int32(fetch)),
		kgo.BrokerMaxReadBytes(int32(max(100<<20, fetch))), // the library's, or more
		kgo.FetchMaxPartitionBytes(int32(min(fetch, PartitionBytes))),
	}
}

// Unpacker is the decompressor of one client, which gets it by Options. It unpacks one batch at a time, so that at most
// one is under way in addition to those that are held. When a client is opened anew, it takes the Unpacker that Renew
// returns.
type Unpacker struct {
	bounds Limits
	entire bool // a batch beyond the bound is an error, and none is withheld
	token  [tokenBytes]byte
	seed   maphash.Seed

	held    account
	stopped stopped
	mu      sync.Mutex // guards the fields below
	turns   turns
	// full says that a batch found no room. Then none is unpacked until everything is given back, so that a large batch
	// has its turn.
	full   bool
	worked int64  // bytes unpacked since the last poll
	piece  []byte // a buffer to unpack into
	gzip   gzip.Reader
	lz4    *lz4.Reader
	zstd   *zstd.Decoder
}

// New makes an Unpacker.
func New(b Limits) *Unpacker {
	u := &Unpacker{bounds: b, seed: maphash.MakeSeed()}
	_, _ = rand.Read(u.token[:]) // never fails
	u.token[0] = 0xff            // so that it is neither text nor a record of a journal
	return u
}

// Entire makes an Unpacker for a client that reads a few records for a person to look at, as they are. A batch that
// unpacks to more than most bytes is an error that the client reports.
func Entire(most int) *Unpacker {
	u := New(Limits{Batch: most})
	u.entire = true
	return u
}

// Renew makes an Unpacker for the client that replaces a closed one. The closed client may have kept records. Both
// Unpackers recognise each other's withheld records.
func (u *Unpacker) Renew() *Unpacker {
	return &Unpacker{bounds: u.bounds, token: u.token, seed: u.seed}
}

// Options make a client unpack its batches here, uncompressed ones as well, and report what becomes of their records.
// They belong behind the options that reach the cluster. The client reaches it as the client like does.
func (u *Unpacker) Options(like *kgo.Client) []kgo.Opt {
	return []kgo.Opt{
		kgo.WithDecompressor(u), kgo.WithHooks(hooks{u}),
		// The library takes only one of the two options, and the dialer of like uses TLS by itself.
		kgo.Dialer(marking(like)), kgo.DialTLSConfig(nil),
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
		// after this the client leaves the partition alone, and says where the next batch begins
		return nil, fmt.Errorf("%w: %w", kgo.ErrMaxDecompress, err)
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

// workedMost times Held may be unpacked between two polls. Records that are withheld, or never handed out, take no
// memory, and must not keep the other partitions waiting either.
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

// unpack returns the records of a batch, or those in their place, and how many bytes they add to what is held.
func (u *Unpacker) unpack(src []byte, codec kgo.CompressionCodecType) (raw []byte, adds int, err error) {
	raw, err = u.whole(src, codec, u.bounds.Batch)
	if codec != plain {
		u.worked += int64(len(raw))
	}
	var b bill
	if err == nil {
		b, err = cost(raw)
	}
	fits := err == nil && (u.entire || b.sum <= u.bounds.Batch)
	switch {
	case fits && codec == plain:
		raw, err = u.markDistances(raw, b)
		return raw, b.beside, err
	case fits:
		raw, err = u.markDistances(raw, b)
		return raw, b.sum, err
	case err != nil && codec != plain && legacy(raw):
		return raw, len(raw) * recordBytes / 32, nil // a message has at least 26 bytes of its own
	case err != nil && (u.entire || !errors.Is(err, errTooMuch)):
		return nil, 0, err
	}
	from, err := u.stream(src, codec)
	if err != nil {
		return nil, 0, err
	}
	if raw, err = u.withhold(from); err != nil {
		return nil, 0, err
	}
	if b, err = cost(raw); err != nil {
		return nil, 0, err
	}
	raw, err = u.markDistances(raw, b)
	return raw, b.sum, err
}

// Polled notes that the client was polled, and what it handed out.
func (u *Unpacker) Polled(fetches kgo.Fetches) {
	handed := u.countedIn(fetches)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.worked >= workedMost*int64(u.bounds.Held) {
		u.turns.begin()
	}
	u.worked = 0
	u.held.polled(handed)
}

// Done gives back records that the client has handed out, unchanged. They must not be used any more.
func (u *Unpacker) Done(fetches kgo.Fetches) { u.held.back(u.countedIn(fetches)) }

// turns makes sure that each batch is unpacked in the end, whatever the other partitions do: whenever there is room
// again, the batch that has waited longest goes first. Otherwise the partitions that come first in a fetch could fill
// the room each time.
//
// A batch is identified by a hash of its bytes. Each partition has at most one waiting batch, its next.
type turns struct {
	waiting []waiting // the one that has waited longest is first
	first   bool      // the first of them goes before all other batches
	since   time.Time // when first was set
}

type waiting struct {
	batch uint64
	seen  time.Time // when it was asked for last
}

// patience is how long others wait for the batch whose turn it is. The batch may never come, because its partition was
// taken away.
const patience = 5 * time.Second

func (t *turns) wait(batch uint64) {
	now := time.Now()
	for i := range t.waiting {
		if t.waiting[i].batch == batch {
			t.waiting[i].seen = now
			return
		}
	}
	t.waiting = append(t.waiting, waiting{batch, now})
}

// begin notes that there is room again.
func (t *turns) begin() { t.first, t.since = len(t.waiting) > 0, time.Now() }

// may says whether a batch may be unpacked now.
func (t *turns) may(batch uint64) bool {
	if !t.first || t.waiting[0].batch == batch {
		return true
	}
	if time.Since(t.since) < patience {
		return false
	}
	t.waiting = slices.DeleteFunc(t.waiting, func(w waiting) bool { return w.seen.Before(t.since) })
	t.first = false
	return true
}

// had notes that a batch was unpacked, or cannot be.
func (t *turns) had(batch uint64) {
	for i := range t.waiting {
		if t.waiting[i].batch == batch {
			t.first = t.first && i > 0
			t.waiting = slices.Delete(t.waiting, i, i+1)
			return
		}
	}
}
