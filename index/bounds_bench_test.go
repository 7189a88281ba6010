package index_test

import (
	"fmt"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// BenchmarkNarrow is one turn after window.count was narrowed from 100,000 to 100: a document is judged, and up to
// MostLeaving others leave.
func BenchmarkNarrow(b *testing.B) {
	p := index.DefaultParams()
	p.Window.Age, p.Window.Bytes, p.Window.Count = 0, 0, 100_000
	signer, err := index.NewSigner(p)
	if err != nil {
		b.Fatal(err)
	}
	header := index.Header{Fingerprint: index.Fingerprint(settings)}
	var r *index.Replica
	var at index.Stamp
	run := &index.Run{Header: header, Source: source(0), Epoch: 1, Entries: make([]entry.Entry, 1)}
	judge := func() {
		e := &run.Entries[0]
		e.Offset = at.Offset
		r.Apply(at, run)
		run.Base, at.Offset = at.Offset+1, at.Offset+1
	}
	sign := func() {
		signer.Reset()
		run.Entries[0] = entry.Entry{Offset: at.Offset}
		signer.Sign(&run.Entries[0], fmt.Appendf(nil, "%d stands %d for itself %d alone", at.Offset, at.Offset*7919,
			at.Offset*104729))
	}
	narrow := func() {
		if r, err = index.NewReplica(p, header.Fingerprint); err != nil {
			b.Fatal(err)
		}
		at, run.Base = index.Stamp{}, 0
		r.Apply(at, &index.Settings{Text: settings})
		at.Offset++
		r.Apply(at, &index.Reposition{Header: header, Source: source(0), Name: "news", Partitions: 1, Epoch: 1})
		at.Offset++
		for r.Stats().Documents < p.Window.Count {
			sign()
			judge()
		}
		less := p
		less.Window.Count = 100
		r.Apply(at, &index.SettingsChange{Header: header, Bounds: index.Bounds{Number: 1, Text: boundsOf(less)}})
		at.Offset++
	}
	for b.Loop() {
		b.StopTimer()
		if r == nil || !r.Narrowing() {
			narrow()
		}
		sign()
		b.StartTimer()
		judge()
	}
}
