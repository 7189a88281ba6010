package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/replay"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// follower follows a journal whose entries are all unlike each other and all stay in the window.
type follower struct {
	cluster *cluster
	config  config.Config
	entries int
	end     int64 // of the journal
	bytes   uint64
}

const followHead = `| verify | entries | entries/s | MB/s | µs an entry | of processor time | bytes an entry |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |`

func (p params) followText() string {
	return fmt.Sprintf("Median and spread of %d runs; %s, of which the follower has one (GOMAXPROCS=1).", p.pairs,
		machine())
}

// follows measures the follower, once for each way to verify.
func follows(ctx context.Context, p params, c *cluster, broker string, out io.Writer) (rows []string, err error) {
	for _, verify := range p.verifies {
		name := ""
		if p.profile != "" {
			name = fmt.Sprintf("%s.%s.%s", p.profile, broker, verify)
		}
		j := job{cluster: c, source: runID(), sessions: 1}
		g := filter{verify: verify, shingle: p.shingle, evidence: p.evidence, banding: p.banding, compression: p.compression}
		f := &follower{cluster: c, config: g.config(j, j.source, ""), entries: p.follow}
		f.config.Judge.Window.Count, f.config.Judge.Window.Bytes = p.follow, 0
		f.config.Journal.Topic = f.config.Journal.Name(j.source)
		row, err := f.measure(ctx, p, name, out)
		if err = errors.Join(err, c.remove(ctx, "", f.config.Journal.Topic)); err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (f *follower) measure(ctx context.Context, p params, name string, out io.Writer) (string, error) {
	verify := f.config.Judge.Similarity.Verify
	if err := f.fabricate(ctx, newCorpus(p.seed, p.bytes), p.seed); err != nil {
		return "", fmt.Errorf("fabricate a journal: %w", err)
	}
	fmt.Fprintf(out, "\n%s, verify: %s, %s entries of %d bytes; load average %s\n\n", f.cluster.name, verify,
		thousands(float64(f.entries)), f.bytes/uint64(f.entries), load())
	var runs []result
	for n := range p.pairs + 1 {
		var prof *profile
		var err error
		if n == p.pairs {
			if prof, err = newProfile(name); err != nil {
				return "", err
			}
		}
		r, err := f.follow(ctx, prof)
		if err = errors.Join(err, prof.close()); err != nil {
			return "", err
		}
		if n == 0 {
			fmt.Fprintf(out, "warm-up, not counted: %s entries/s\n", thousands(r.rate()))
			continue
		}
		fmt.Fprintf(out, "%d: %s entries/s, CPU of this process %.2f µs an entry, of the broker %.2f\n", n,
			thousands(r.rate()), micros(r.cpu.own, f.entries), micros(r.cpu.broker, f.entries))
		runs = append(runs, r)
	}
	return followRow(verify, runs), nil
}

func followRow(verify string, runs []result) string {
	documents, bytes := runs[0].documents, float64(runs[0].journalBytes)
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %.0f |", verify, thousands(float64(documents)),
		spreadOf(runs, result.rate).text(thousands),
		spreadOf(runs, func(r result) float64 { return bytes / r.took.Seconds() / 1e6 }).text(thousands),
		spreadOf(runs, func(r result) float64 { return micros(r.took, documents) }).text(hundredths),
		spreadOf(runs, func(r result) float64 { return micros(r.cpu.own, documents) }).text(hundredths),
		bytes/float64(documents))
}

func micros(d time.Duration, documents int) float64 { return 1e6 * d.Seconds() / float64(documents) }

// follow applies the whole journal to an empty replica, on one core.
func (f *follower) follow(ctx context.Context, prof *profile) (result, error) {
	replica, err := index.NewReplica(f.config.Judge, index.Fingerprint(f.config.Settings()))
	if err != nil {
		return result{}, err
	}
	j := replay.Journal{
		Options: f.cluster.options, Topic: f.config.Journal.Topic, Params: f.config.Journal,
		Owner: f.config.Consumer.Group, ProducerTime: true,
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	runtime.GC()
	prof.begin()
	before, began := f.cluster.meter.read(), time.Now()
	judged := 0
	err = j.Apply(ctx, replica, f.end, func(_ index.Record, did *index.Effect) error {
		judged += len(did.Judged)
		return nil
	})
	took, cpu := time.Since(began), f.cluster.meter.read().minus(before)
	prof.end()
	// A few are judged duplicates: their random keys meet, and their evidence is of the same text.
	if in := replica.Stats().Documents; err == nil && (judged != f.entries || in < f.entries-f.entries/1000) {
		err = fmt.Errorf("%d of %d entries were judged, and %d are in the window", judged, f.entries, in)
	}
	return result{documents: f.entries, took: took, cpu: cpu, journalBytes: f.bytes}, err
}

// runEntries is how many entries a fabricated run has: some hundred, as those of members that are busy.
const runEntries = 256

// appendedAtOnce is how many runs are on their way to the broker at a time.
const appendedAtOnce = 32

// fabricate appends a journal by the codec and the appender that members use. Only some texts are signed. Their
// evidence occurs again and again, under other band keys each time.
func (f *follower) fabricate(ctx context.Context, docs *corpus, seed uint64) error {
	if err := f.cluster.create(ctx, f.config.Journal.Topic, 1); err != nil {
		return err
	}
	client, err := kgo.NewClient(append(append([]kgo.Opt{}, f.cluster.options...),
		journal.AppenderOptions(f.config.Journal)...)...)
	if err != nil {
		return fmt.Errorf("open appender: %w", err)
	}
	defer client.Close()
	appender := journal.NewAppender(client, f.config.Consumer.Group)
	settings, now := f.config.Settings(), time.Now().UnixMilli()
	header := index.Header{Fingerprint: index.Fingerprint(settings), Wall: now}
	run := &index.Run{Header: header, Epoch: 1, Entries: make([]entry.Entry, min(runEntries, f.entries))}
	if err := f.sign(run.Entries, docs, now); err != nil {
		return err
	}
	if _, err = appender.Append(ctx, &index.Settings{Text: settings, Wall: now},
		&index.Reposition{Header: header, Name: "news", Partitions: 1, Epoch: 1}); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(seed, 3))
	var values [][]byte
	for done := 0; done < f.entries; done += len(run.Entries) {
		run.Base, run.Entries = int64(done), run.Entries[:min(len(run.Entries), f.entries-done)]
		vary(random, run)
		values = append(values, journal.Append(nil, run))
		if len(values) == appendedAtOnce || done+len(run.Entries) == f.entries {
			if f.end, err = appender.AppendValues(ctx, values); err != nil {
				return err
			}
			values = values[:0]
		}
	}
	f.end++
	f.bytes = appender.Stats().Bytes
	return nil
}

func (f *follower) sign(entries []entry.Entry, docs *corpus, now int64) error {
	signer, err := index.NewSigner(f.config.Judge)
	if err != nil {
		return err
	}
	for i := range entries {
		signer.Reset()
		e := entry.Entry{Time: now}
		if !signer.Sign(&e, render(docs.original())) {
			return errors.New("a text was not signed")
		}
		entries[i] = e.Clone()
	}
	return nil
}

// vary makes documents of the entries of a run that are like no others.
func vary(random *rand.Rand, run *index.Run) {
	for i := range run.Entries {
		e := &run.Entries[i]
		e.Offset, e.Content = run.Base+int64(i), random.Uint64()
		for keys := e.Keys; len(keys) > 0; {
			var word [8]byte
			binary.LittleEndian.PutUint64(word[:], random.Uint64())
			keys = keys[copy(keys, word[:]):]
		}
	}
}
