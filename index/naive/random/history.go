package random

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// Step is one record of a history, and its place in the journal.
type Step struct {
	At     index.Stamp
	Record index.Record
}

// History generates n records under settings p, whose canonical text and fingerprint are given.
func History(seed uint64, n int, p index.Params, settings []byte, fingerprint uint64) ([]Step, error) {
	signer, err := index.NewSigner(p)
	if err != nil {
		return nil, fmt.Errorf("make up history: %w", err)
	}
	r := rand.New(rand.NewPCG(seed, 0x6869_7374_6f72_79))
	h := &history{
		r: r, p: p, settings: settings, fingerprint: fingerprint, signer: signer, texts: texts{r: r},
		at: index.Stamp{Offset: int64(r.IntN(1000)), LogAppendTime: 1_700_000_000_000}, fills: fills{some: Fills(seed)},
	}
	if seed%4 == 1 || seed%8 == 4 { // the latter with requests, and every third of these with fills as well
		h.changes = rand.New(rand.NewPCG(seed, 0x626f_756e_6473))
	}
	if Requests(seed) {
		h.requests = rand.New(rand.NewPCG(seed, 0x7265_7175_6573_7473))
	}
	if r.IntN(4) == 0 {
		h.narrow = byte(1<<r.IntN(4)) - 1
	} else {
		h.narrow = math.MaxUint8
	}
	for i := range 1 + r.IntN(4) {
		h.sources = append(h.sources, &source{
			Source: entry.Source{Topic: [16]byte{byte(1 + i/2)}, Partition: int32(i % 2)},
			scope:  pick[uint64](r, 0, 0, 0, 77), signed: map[int64]entry.Entry{},
		})
	}
	for range r.IntN(3) * r.IntN(3) { // records before the settings have no effect
		h.append(h.anything())
	}
	h.append(&index.Settings{Text: settings, Wall: h.wall()})
	h.settled = true
	if h.fills.some {
		h.beginFilled()
	}
	for _, s := range h.sources {
		h.append(h.reposition(s))
	}
	for len(h.steps) < n {
		if h.changes != nil && h.changes.IntN(20) == 0 {
			h.append(h.change())
		}
		h.append(h.anything())
	}
	return h.steps[:n], nil
}

// Fills says whether the history of a seed begins with fills.
func Fills(seed uint64) bool { return seed%3 == 2 }

// Requests says whether documents of the history of a seed come with idempotency keys.
func Requests(seed uint64) bool { return seed%2 == 0 }

type history struct {
	r           *rand.Rand
	p           index.Params
	settings    []byte
	fingerprint uint64
	signer      *index.Signer
	texts       texts
	narrow      byte // mask over the first byte of band keys; below 255 the other bytes are zero: unrelated texts collide

	at      index.Stamp
	settled bool // the settings are in force
	sources []*source
	steps   []Step
	runs    []*index.Run
	feeds   []*index.Feed
	changes *rand.Rand // nil: bounds are not changed
	changed uint32     // number of the latest change, if each was applied
	fills   fills

	requests *rand.Rand    // nil: documents come without idempotency keys
	sent     []entry.Entry // what came with one

	fed    uint64           // entries fed, if each feed was applied
	place  int64            // the time of the last place
	judged []entry.Position // where entries stand, judged or not
}

// source is what the sessions of a source partition know, if each of their records was applied.
type source struct {
	entry.Source
	scope   uint64
	epoch   uint32
	next    int64 // offset to read next
	base    int64
	fed     int64 // all below is fed
	renamed int
	signed  map[int64]entry.Entry
}

// append adds a record at the journal's end, with a gap in offsets and time.
func (h *history) append(rec index.Record) {
	h.steps = append(h.steps, Step{At: h.at, Record: rec})
	if run, ok := rec.(*index.Run); ok {
		h.runs = append(h.runs, run)
		for i := range run.Entries {
			h.judged = append(h.judged, entry.Position{Offset: h.at.Offset, Entry: int32(i)})
		}
	}
	if feed, ok := rec.(*index.Feed); ok {
		h.feeds = append(h.feeds, feed)
		for i := range feed.Entries {
			h.judged = append(h.judged, entry.Position{Offset: h.at.Offset, Entry: int32(i)})
		}
	}
	if fill, ok := rec.(*index.Fill); ok {
		h.fills.records = append(h.fills.records, fill)
		for i := range fill.Entries {
			h.judged = append(h.judged, entry.Position{Offset: h.at.Offset, Entry: int32(i)})
		}
	}
	h.at.Offset += pick[int64](h.r, 1, 1, 1, 1, 2, 5)
	switch h.r.IntN(50) {
	case 0: // an hour without records
		h.at.LogAppendTime += h.r.Int64N(3600_000)
	case 1: // another broker leads, whose clock is behind
		h.at.LogAppendTime -= h.r.Int64N(30_000)
	default:
		h.at.LogAppendTime += h.r.Int64N(400)
	}
}

// wall returns an appender's clock: near the broker's, or wrong.
func (h *history) wall() int64 {
	switch h.r.IntN(40) {
	case 0:
		return h.at.LogAppendTime - h.r.Int64N(3600_000)
	case 1:
		return h.at.LogAppendTime + h.r.Int64N(3600_000)
	case 2:
		return pick[int64](h.r, 0, -1, math.MinInt64, math.MaxInt64)
	}
	return h.at.LogAppendTime - h.r.Int64N(20)
}

// header returns a header with the settings in force, or with others.
func (h *history) header() index.Header {
	header := index.Header{Fingerprint: h.fingerprint, Wall: h.wall()}
	if h.r.IntN(40) == 0 {
		header.Fingerprint ^= 1 + h.r.Uint64N(1000)
	}
	return header
}

func (h *history) anything() index.Record {
	if h.fills.some && h.r.IntN(8) == 0 {
		return h.fill()
	}
	s := h.sources[h.r.IntN(len(h.sources))]
	switch k := h.r.IntN(100); {
	case k < 15 && h.p.Duplicates.Remember.Clock == "event":
		return h.feed()
	case k < 74:
		return h.run(s)
	case k < 81 && len(h.runs) > 0:
		return h.again()
	case k < 86:
		return h.reposition(s)
	case k < 90:
		return h.foreign()
	case k < 92:
		return h.erase()
	case k < 96:
		return &index.Forget{Header: h.header(), Target: h.target()}
	case k < 98:
		return &index.Settings{Text: pick(h.r, h.settings, []byte(`{"other":"settings"}`)), Wall: h.wall()}
	}
	switch h.r.IntN(6) {
	case 0:
		return &index.Accusation{Header: h.header(), Member: "m", Accused: "n", Offset: h.at.Offset, Hash: h.r.Uint64()}
	case 1:
		return &index.Mark{Header: h.header(), Number: h.r.Uint64()}
	case 2: // a stray
		return nil
	}
	return &index.Checkpoint{
		Header: h.header(), Member: "m", Offset: h.at.Offset, Hash: h.r.Uint64(), Settings: pick(h.r, h.settings, nil),
	}
}

// foreign makes a run or a reposition of a partition that nobody has assigned, with any epoch.
func (h *history) foreign() index.Record {
	unknown := &source{
		Source: entry.Source{Topic: [16]byte{9}, Partition: int32(h.r.IntN(2))}, signed: map[int64]entry.Entry{},
		epoch: uint32(h.r.IntN(2)), next: int64(h.r.IntN(5)),
	}
	if h.r.IntN(3) == 0 {
		return h.reposition(unknown)
	}
	return h.run(unknown)
}

// erase makes a record that erases up to three documents, or none, or one document twice.
func (h *history) erase() index.Record {
	r := &index.Erase{Header: h.header(), Targets: make([]entry.Position, h.r.IntN(4))}
	for i := range r.Targets {
		r.Targets[i] = h.target()
	}
	return r
}

// target returns the position of an entry, mostly of a recent one, or a position without an entry.
func (h *history) target() entry.Position {
	if len(h.judged) == 0 || h.r.IntN(8) == 0 {
		return entry.Position{Offset: h.at.Offset + h.r.Int64N(9) - 4, Entry: int32(h.r.IntN(3)) - 1}
	}
	back := min(h.r.IntN(len(h.judged)), h.r.IntN(20))
	return h.judged[len(h.judged)-1-back]
}
