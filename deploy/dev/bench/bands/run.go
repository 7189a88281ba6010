package main

import (
	"context"
	"fmt"
	"runtime"
	"syscall"
	"time"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// runEntries is how many entries a run of the journal has.
const runEntries = 256

// result is what a plan took.
type result struct {
	documents   int
	due         int
	sign, apply time.Duration
	journal     int
	stats       index.Stats
}

func (r result) least(other result) result {
	if r.documents == 0 {
		return other
	}
	r.sign, r.apply = min(r.sign, other.sign), min(r.apply, other.apply)
	return r
}

func (r result) row(p plan) string {
	per := func(total float64) float64 { return total / float64(r.documents) }
	held := float64(r.stats.Documents)
	return fmt.Sprintf("| %d | %d | %d | %.2f | %.2f | %.0f | %.0f | %.0f | %.2f | %.2f | %d of %d | %d |", p.bands, p.rows, p.slots,
		per(float64(r.sign.Nanoseconds()))/1e3, per(float64(r.apply.Nanoseconds()))/1e3, per(float64(r.journal)),
		float64(r.stats.WindowBytes)/held, float64(r.stats.Memory)/held, per(float64(r.stats.Candidates)),
		per(float64(r.stats.Dropped)), r.stats.Duplicate, r.due, r.stats.UniqueCut)
}

// run signs and judges all documents by one plan, on one core.
func run(ctx context.Context, p params, of plan, c corpus) (result, error) {
	settings := index.DefaultParams()
	s := &settings.Similarity
	s.Shingle, s.Verify, s.CodeBits = p.shingle, p.verify, p.codeBits
	s.Bands, s.Rows, s.Slots = of.bands, of.rows, of.slots
	settings.Window.Bytes, settings.Window.Age, settings.Window.Count = 0, 0, p.documents
	if p.window > 0 {
		settings.Window.Count = p.window
	}
	settings.OwnBounds = true
	text := []byte(`{"version":"bench"}`)
	header := index.Header{Fingerprint: index.Fingerprint(text)}
	replica, err := index.NewReplica(settings, header.Fingerprint)
	if err != nil {
		return result{}, err
	}
	signer, err := index.NewSigner(settings)
	if err != nil {
		return result{}, err
	}
	run := index.Run{Header: header, Epoch: 1, Source: entry.Source{Topic: [16]byte{1}}}
	at := index.Stamp{}
	replica.Apply(at, &index.Settings{Text: text})
	at.Offset++
	replica.Apply(at, &index.Reposition{Header: header, Source: run.Source, Name: "news", Epoch: 1})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	runtime.GC()
	r := result{documents: p.documents, due: c.due}
	texts := make([][]byte, 0, runEntries)
	var frame []byte
	for done := 0; done < p.documents; done += runEntries {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		texts, run.Entries, run.Base = texts[:0], run.Entries[:0], int64(done)
		for i := done; i < min(p.documents, done+runEntries); i++ {
			texts = append(texts, c.text(i))
		}
		began := processorTime()
		signer.Reset()
		for i, text := range texts {
			e := entry.Entry{Offset: int64(done + i), Time: 1_800_000_000_000 + int64(done+i), ID: fmt.Appendf(nil, "id-%08d", done+i)}
			if !signer.Sign(&e, text) {
				return r, fmt.Errorf("document %d is too long", done+i)
			}
			run.Entries = append(run.Entries, e)
		}
		signed := processorTime()
		frame = journal.Append(frame[:0], &run)
		r.journal += len(frame)
		at.Offset++
		at.LogAppendTime = 1_800_000_000_000 + int64(done)
		applying := processorTime()
		replica.Apply(at, &run)
		r.sign, r.apply = r.sign+signed-began, r.apply+processorTime()-applying
	}
	r.stats = replica.Stats()
	return r, nil
}

// processorTime returns the processor time that this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
