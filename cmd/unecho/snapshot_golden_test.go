package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/cmd/internal/snapshots"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/archive"
	"github.com/unecho/unecho/index/snapshot/localdir"
)

var update = flag.Bool("update", false, "write the golden snapshot of this version's format")

// goldenDir holds exported snapshots of each format that is read, and what they answer to some documents. One that is
// there is never written again: it is what a version in the field has stored.
const goldenDir = "testdata/snapshot"

// goldenKinds are replicas whose states have between them every part that a state may have or lack.
var goldenKinds = []string{"plain", "whole"}

// TestGoldenSnapshots: a snapshot of each format is restored and judges as it did.
func TestGoldenSnapshots(t *testing.T) {
	if *update {
		writeGolden(t)
	}
	files, err := filepath.Glob(filepath.Join(goldenDir, "*.tar"))
	check(t, err)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			check(t, err)
			replica, fingerprint, err := restoreArchive(t.Context(), data, t.TempDir())
			check(t, err)
			want, err := os.ReadFile(strings.TrimSuffix(file, "tar") + "txt")
			check(t, err)
			if got := goldenAnswers(t, replica, fingerprint); got != string(want) {
				t.Errorf("it judges\n%s\nwant\n%s", got, want)
			}
		})
	}
	for _, kind := range goldenKinds {
		replica, _ := goldenReplica(t, kind)
		c := replica.Capture()
		if name := goldenName(kind, c.State()[0]); !slices.Contains(files, name+"tar") {
			t.Errorf("there is no %star: go test ./cmd/unecho -run Golden -update writes it", name)
		}
	}
}

func goldenName(kind string, format byte) string {
	return filepath.Join(goldenDir, fmt.Sprintf("format%d-%s.", format, kind))
}

// TestGoldenOfTheFuture: a format that this version does not know yet is refused, in the envelope and in the state.
func TestGoldenOfTheFuture(t *testing.T) {
	replica, settings := goldenReplica(t, "plain")
	data := goldenArchive(t, replica, settings, func(m *snapshot.Manifest) { m.State[0] = 99 })
	if _, _, err := restoreArchive(t.Context(), data, t.TempDir()); !errors.Is(err, index.ErrVersion) ||
		!strings.Contains(err.Error(), "upgrade this program") {
		t.Errorf("got %v", err)
	}
}

// restoreArchive imports an export into a directory and restores it as a service does.
func restoreArchive(ctx context.Context, data []byte, dir string) (*index.Replica, uint64, error) {
	file, err := archive.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, 0, err
	}
	m := file.Manifest()
	store, err := localdir.Params{Path: dir}.Open(ctx, m.Index)
	if err != nil {
		return nil, 0, err
	}
	state, err := snapshots.RestoreOf(&m)
	if err != nil {
		return nil, 0, err
	}
	if err := file.Put(ctx, store, state, func() {}); err != nil {
		return nil, 0, err
	}
	if state, err = snapshots.RestoreOf(&m); err != nil {
		return nil, 0, err
	}
	replica, err := snapshot.Restore(ctx, store, nil, &m, state, nil)
	return replica, m.Fingerprint, err
}

// goldenReplica has judged enough for two segments: unique documents and copies, one forgotten, one epoch begun again.
// The window of the whole one was filled before that, it was fed as well, its bounds were changed, it remembers requests, and has popular keys.
func goldenReplica(t *testing.T, kind string) (*index.Replica, []byte) {
	t.Helper()
	c := config.Default()
	c.Judge.Duplicates.Remember.Documents, c.Judge.Duplicates.Remember.Memory = 1000, 0
	if kind == "whole" {
		c.Judge.Duplicates.Remember.Clock, c.Judge.Duplicates.Remember.Keys = "event", time.Hour
	}
	settings := c.Settings()
	header := index.Header{Fingerprint: index.Fingerprint(settings), Wall: 1_700_000_000_000}
	replica, err := index.NewReplica(c.Judge, header.Fingerprint)
	check(t, err)
	records := []index.Record{&index.Settings{Text: settings, Wall: header.Wall}}
	if kind == "whole" {
		records = append(records, goldenFill(t, c.Judge, header)...)
	}
	records = append(records, []index.Record{
		&index.Reposition{Header: header, Source: goldenSource(0), Name: "news", Partitions: 2, Epoch: 1},
		&index.Reposition{Header: header, Source: goldenSource(1), Name: "news", Partitions: 2, Epoch: 1},
		&index.Run{Header: header, Source: goldenSource(0), Epoch: 1, Entries: goldenEntries(t, c.Judge, 0, 200)},
		&index.Run{Header: header, Source: goldenSource(1), Epoch: 1, Entries: goldenEntries(t, c.Judge, 150, 350)},
		&index.Forget{Header: header, Target: entry.Position{Offset: 3, Entry: 7}},
		&index.Reposition{Header: header, Source: goldenSource(1), Name: "news", Epoch: 2, Offset: 330},
		&index.Routing{Header: header, Routes: index.Routes{Number: 1, Text: []byte(`{"sources.topics":["news"]}`)}},
	}...)
	if kind == "whole" {
		records = append(records, goldenRest(t, c.Judge, header)...)
	}
	for i, record := range records {
		replica.Apply(index.Stamp{Offset: int64(i), LogAppendTime: header.Wall + int64(i)}, record)
	}
	return replica, settings
}

// goldenFill are the records that fill the window of the whole replica.
func goldenFill(t *testing.T, p index.Params, header index.Header) []index.Record {
	t.Helper()
	return []index.Record{
		&index.Fill{Header: header, Number: 1, Plan: []byte(`{"backfill.order":"time"}`)},
		&index.Fill{
			Header: header, Number: 1, Entries: goldenPlaced(t, p, header, 300, 400),
			Parts: []index.FillPart{{Source: goldenSource(7), Name: "old news", Through: 400, Rejected: 3}},
		},
	}
}

// goldenPlaced are entries with a place in time.
func goldenPlaced(t *testing.T, p index.Params, header index.Header, from, to int) (all []index.FedEntry) {
	t.Helper()
	for _, e := range goldenEntries(t, p, from, to) {
		all = append(all, index.FedEntry{At: header.Wall - 1000, Entry: e})
	}
	return all
}

// goldenRest are the other records that only the whole replica has.
func goldenRest(t *testing.T, p index.Params, header index.Header) []index.Record {
	t.Helper()
	changed := p
	changed.Duplicates.Remember.Documents, changed.Duplicates.Threshold = 2000, 0.9
	bounds := index.Bounds{Number: 1, Text: index.BoundsOf(setting.Canonical("", map[string]any{"": changed}))}
	return []index.Record{
		&index.SettingsChange{Header: header, Bounds: bounds},
		&index.Feed{
			Header: header, Parts: []index.FeedPart{{Source: goldenSource(0), Epoch: 1, Through: 260}}, Entries: goldenPlaced(t, p, header, 240, 260),
		},
		&index.Run{Header: header, Source: goldenSource(1), Epoch: 2, Base: 1000, Entries: goldenRequested(t, p)},
		&index.Run{Header: header, Source: goldenSource(1), Epoch: 2, Base: 3000, Entries: goldenEntries(t, p, kin, kin+100)},
	}
}

// goldenRequested are requests of new documents, of copies, and of one again.
func goldenRequested(t *testing.T, p index.Params) []entry.Entry {
	t.Helper()
	entries := goldenEntries(t, p, 320, 360)
	for i := range entries {
		entries[i].Offset += 1000
		entries[i].Request = goldenRequest(i)
	}
	again := entries[13].Clone()
	again.Offset = 2000
	return append(entries, again)
}

func goldenSource(partition int32) entry.Source {
	return entry.Source{Topic: [16]byte{1, 2, 3}, Partition: partition}
}

// goldenEntries signs made-up texts: each number has its own.
func goldenEntries(t *testing.T, p index.Params, from, to int) []entry.Entry {
	t.Helper()
	signer, err := index.NewSigner(p)
	check(t, err)
	var entries []entry.Entry
	for i := from; i < to; i++ {
		entries = append(entries, goldenEntry(t, signer, int64(i), goldenText(i)))
	}
	return entries
}

func goldenEntry(t *testing.T, signer *index.Signer, offset int64, text string) entry.Entry {
	t.Helper()
	e := entry.Entry{Offset: offset, Time: 1_700_000_000_000, ID: fmt.Appendf(nil, "doc-%d", offset)}
	if !signer.Sign(&e, []byte(text)) {
		t.Fatalf("%q is not signed", text)
	}
	return e
}

// goldenRequest is the request of a golden document that came with an idempotency key.
func goldenRequest(number int) (of entry.Request) {
	binary.BigEndian.PutUint64(of[:], uint64(number)+1)
	return of
}

// kin is the first number whose text has most of its words in common with those of all later ones.
const kin = 3000

func goldenText(number int) string {
	r := rand.New(rand.NewPCG(uint64(number), 4711))
	if number >= kin {
		common := strings.Join(strings.Fields(goldenText(0))[:27], " ")
		return fmt.Sprintf("%s w%d w%d w%d", common, r.IntN(100_000), r.IntN(100_000), r.IntN(100_000))
	}
	words := make([]string, 30)
	for i := range words {
		words[i] = fmt.Sprintf("w%d", r.IntN(100_000))
	}
	return strings.Join(words, " ")
}

// goldenAnswers has the replica judge copies, edited copies and strangers, and writes down what it said.
func goldenAnswers(t *testing.T, replica *index.Replica, fingerprint uint64) string {
	t.Helper()
	c, err := config.FromSettings(replica.Settings())
	check(t, err)
	signer, err := index.NewSigner(c.Judge)
	check(t, err)
	var b strings.Builder
	s := replica.Stats()
	fmt.Fprintf(&b, "next %d, %d documents, %d held, hash %016x\n", replica.Next(), s.Documents, s.Held, replica.Hash())
	var entries []entry.Entry
	for i, number := range []int{0, 7, 100, 160, 199, 200, 329, 330, 349, 350, kin, kin + 50} {
		entries = append(entries, goldenEntry(t, signer, int64(1000+2*i), goldenText(number)))
		entries = append(entries, goldenEntry(t, signer, int64(1001+2*i), goldenText(number)+" and some more"))
	}
	for i := range 2 { // one that came already with a request, and the same as another request
		e := goldenEntry(t, signer, int64(1900+i), goldenText(333))
		e.Request = goldenRequest(13 + 1000*i)
		if replica.Requests() {
			entries = append(entries, e)
		}
	}
	run := &index.Run{
		Header: index.Header{Fingerprint: fingerprint, Wall: 1_700_000_000_000}, Source: goldenSource(0), Epoch: 1,
		Entries: entries,
	}
	for _, v := range replica.Apply(index.Stamp{Offset: replica.Next(), LogAppendTime: 1_700_000_001_000}, run).Judged {
		fmt.Fprintf(&b, "%d: ", v.Offset)
		if v.Unique() {
			b.WriteString("unique\n")
			continue
		}
		m := &v.Match
		fmt.Fprintf(&b, "duplicate of %s (%s/%d/%d), %d of %d by %s, copy %d\n",
			m.ID, m.Topic, m.Source.Partition, m.Offset, m.Similarity.Num, m.Similarity.Den, m.Method, m.Copy)
	}
	return b.String()
}

// goldenArchive exports a replica.
func goldenArchive(t *testing.T, replica *index.Replica, settings []byte, change func(*snapshot.Manifest)) []byte {
	t.Helper()
	store, err := localdir.Params{Path: t.TempDir()}.Open(t.Context(), "unecho")
	check(t, err)
	c, err := config.FromSettings(settings)
	check(t, err)
	capture := replica.Capture()
	m := snapshot.Manifest{
		Index: "unecho", Position: snapshot.Position{JournalTopic: [16]byte{9}, LeaderEpoch: 1, Offset: replica.Next()},
		Taken: 1_700_000_000_000,
	}
	_, err = snapshot.NewWriter(store, c.Judge, index.Fingerprint(settings)).Write(t.Context(), &capture, m)
	check(t, err)
	m, err = store.Manifest(t.Context(), m.Position)
	check(t, err)
	change(&m)
	var b bytes.Buffer
	check(t, archive.Write(t.Context(), &b, store, &m))
	return b.Bytes()
}

// writeGolden writes the snapshots of this version's format that are not there yet.
func writeGolden(t *testing.T) {
	t.Helper()
	written := 0
	for _, kind := range goldenKinds {
		replica, settings := goldenReplica(t, kind)
		format := byte(0)
		data := goldenArchive(t, replica, settings, func(m *snapshot.Manifest) { format = m.State[0] })
		name := goldenName(kind, format)
		check(t, os.MkdirAll(goldenDir, 0o755))
		f, err := os.OpenFile(name+"tar", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		check(t, err)
		_, err = io.Copy(f, bytes.NewReader(data))
		check(t, errors.Join(err, f.Close()))
		check(t, os.WriteFile(name+"txt", []byte(goldenAnswers(t, replica, index.Fingerprint(settings))), 0o644))
		written++
	}
	if written == 0 {
		t.Fatal("all snapshots are there: remove one only if no version with it was released")
	}
}
