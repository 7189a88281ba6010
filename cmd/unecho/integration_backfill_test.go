package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/sink"
)

// A backfill gives the same verdicts, byte for byte, by one process as by three, killed again and again, and each
// document comes out once.
func TestBackfillKilled(t *testing.T)     { backfillKilled(t, 12_000, 8, 3) }
func TestBackfillKilledLong(t *testing.T) { backfillKilled(t, 1_000_000, 8, 10) }

// The same with many partitions, most of which have few documents.
func TestBackfillOfManyPartitions(t *testing.T)     { backfillKilled(t, 3000, 60, 1) }
func TestBackfillOfManyPartitionsLong(t *testing.T) { backfillKilled(t, 200_000, 1000, 2) }

func backfillKilled(t *testing.T, documents, partitions, kills int) {
	t.Helper()
	if partitions < 1000 { // as many keep the broker busy: that test has it for itself
		t.Parallel()
	}
	ofThePast(t, documents, partitions, 2_000_000).byThreeAsByOne(kills)
}

// The output for unique documents takes none of one partition, because they are too old for it. They go to rejected,
// and no verdict depends on how far the feeder was ahead: the copies of each are its duplicates.
func TestBackfillRefused(t *testing.T)     { backfillRefused(t, 6000, 2) }
func TestBackfillRefusedLong(t *testing.T) { backfillRefused(t, 200_000, 10) }

func backfillRefused(t *testing.T, documents, kills int) {
	t.Helper()
	t.Parallel()
	const partitions = 8 // the last one is the old one
	s := ofThePast(t, documents, partitions, 2_000_000)
	forever, most := "-1", fmt.Sprint((230 * 24 * time.Hour).Milliseconds())
	for _, job := range []string{"one", "three"} {
		for _, output := range []string{sink.Unique, sink.Duplicate, sink.Rejected} {
			configs := map[string]*string{"retention.ms": &forever}
			if output == sink.Unique {
				configs[timestampLimit] = &most
			}
			s.create(s.name+"-"+job+"."+output, partitions, configs)
		}
	}
	rate := fmt.Sprint(documents / 4) // so that the feeder of one is hardly ahead
	sum := s.byThreeAsByOne(kills, "--max-rate", rate)
	if least := int64(documents) / partitions / 2; sum.Rejected < least || sum.Duplicate < least {
		t.Errorf("%+v: more of the old partition is unique, and so rejected", sum)
	}
}

// A backfill that keeps old documents in a directory gives the same verdicts, byte for byte, as one that has all in memory, also
// when it is killed and comes back to its files.
func TestBackfillInDirectory(t *testing.T) {
	t.Parallel()
	s := ofThePast(t, 16_000, 8, 10_000)
	dir := filepath.Join(s.dir, "window")
	s.byThreeAsByOne(2, "--set", "duplicates.remember.directory="+dir)
	dir = files.PathOf(dir, backfill.GroupOf(s.name+"-one"))
	for pattern, least := range map[string]int{strings.Repeat("[0-9a-f]", 64): 16, "*.block": 1} {
		if found, err := filepath.Glob(filepath.Join(dir, pattern)); err != nil || len(found) < least {
			t.Errorf("%d files %s lie in %s, want %d or more; error %v", len(found), pattern, dir, least, err)
		}
	}
}

// ofThePast is a scene with a history, and a window of so many documents.
func ofThePast(t *testing.T, documents, partitions, remembered int) *scene {
	t.Helper()
	s, forever := newScene(t, 0), "-1"
	s.create(s.source, int32(partitions), map[string]*string{"retention.ms": &forever})
	s.configure(s.inDirectory(), fmt.Sprintf("duplicates: {remember: {documents: %d}}", remembered))
	s.history(documents, partitions)
	return s
}

// byThreeAsByOne demands of a backfill by three processes what one by a single process does, which has these arguments.
// Each process is killed so many times.
func (s *scene) byThreeAsByOne(kills int, ofOne ...string) counts {
	s.t.Helper()
	one, three := s.backfill("one", 1, kills, ofOne...), s.backfill("three", 3, kills)
	differ := 0
	for p := range one.outputs {
		for offset := range one.outputs[p] {
			if one.outputs[p][offset] != three.outputs[p][offset] {
				if differ++; differ <= 10 {
					s.t.Errorf("%s/%d/%d has other verdicts", s.source, p, offset)
				}
			}
		}
	}
	if one.summary.Documents != int64(s.total()) || one.summary != three.summary || one.summary.Duplicate == 0 ||
		one.summary.Rejected == 0 {
		s.t.Errorf("summaries %+v and %+v", one.summary, three.summary)
	}
	s.t.Logf("%d documents, %d kills of each process: %d verdicts differ, %+v", s.total(), kills, differ, one.summary)
	return one.summary
}

// A backfill that is interrupted says so with its exit code, also before its range is in force.
func TestBackfillInterruptedEarly(t *testing.T) {
	t.Parallel()
	s := newScene(t, 1)
	s.configure(s.inDirectory())
	s.produce(100, 1)
	for i, moment := range []string{".journal", ".rejected", "caught up with the journal", "feeding begins"} {
		p := startProgram(t, s.dir, plain(t), "backfill", "--config", s.file, "--name", fmt.Sprint(s.name, "-", i),
			"--max-rate", "1")
		p.says(moment)
		check(t, p.cmd.Process.Signal(os.Interrupt))
		if code := p.exits(startBound); code != exit.Interrupted {
			t.Errorf("interrupted at %q, it ends with %d", moment, code)
		}
	}
}

// history sends documents of the past to random partitions. Most partitions are of the same days, one is months
// older. Some documents are late, have no time, or are of the future.
func (s *scene) history(n, partitions int) {
	s.t.Helper()
	s.alter(s.source, "retention.ms", "-1") // else Kafka deletes documents as old as these, here and in the outputs, at any moment
	r := rand.New(rand.NewPCG(9, 9))
	start, rest := time.Now().Add(-200*24*time.Hour), n
	texts := make([]string, 0, 5000)
	for rest > 0 {
		records := make([]*kgo.Record, min(rest, 20_000))
		for i := range records {
			text := words(r, 30)
			if len(texts) > 0 && r.IntN(3) == 0 {
				if text = texts[r.IntN(len(texts))]; r.IntN(2) == 0 {
					text += fmt.Sprint(" edited", r.IntN(1000))
				}
			}
			if len(texts) < cap(texts) {
				texts = append(texts, text)
			} else {
				texts[r.IntN(len(texts))] = text
			}
			rec := &kgo.Record{Partition: r.Int32N(int32(partitions)), Key: fmt.Appendf(nil, "k%d", i), Value: []byte(text)}
			rec.Timestamp = start.Add(time.Duration(n-rest+i) * 100 * time.Millisecond)
			switch {
			case rec.Partition == 7:
				rec.Timestamp = rec.Timestamp.Add(-60 * 24 * time.Hour)
			case r.IntN(50) == 0:
				rec.Timestamp = rec.Timestamp.Add(-time.Hour)
			case r.IntN(50) == 0:
				rec.Timestamp = time.UnixMilli(0)
			case r.IntN(50) == 0:
				rec.Timestamp = time.Now().Add(55 * time.Minute) // it is of the future in both jobs
			}
			if r.IntN(500) == 0 {
				rec.Value = nil
			}
			records[i] = rec
		}
		s.send(records...)
		rest -= len(records)
	}
}

// replayed is what a backfill forwarded: a hash of everything for each source document, and the summary.
type replayed struct {
	outputs map[int32][]uint64
	summary counts
}

type counts struct{ Documents, Unique, Duplicate, Rejected int64 }

// backfill replays the source with several processes, each of which is killed so many times.
func (s *scene) backfill(name string, processes, kills int, args ...string) replayed {
	s.t.Helper()
	job, began := s.name+"-"+name, time.Now()
	run := func(member int) *process {
		return startProgram(s.t, s.dir, plain(s.t), append([]string{
			"backfill", "--config", s.file, "--topic", s.source, "--name", job, "--json",
			"--unique", job + ".unique", "--duplicate", job + ".duplicate", "--rejected", job + ".rejected",
			"--set", fmt.Sprint("advanced.member=m", member),
		}, args...)...)
	}
	total, moments := int64(s.total()), make([]func([]*process), kills*processes)
	for k := range moments {
		threshold := total * int64(k+1) / int64(len(moments)+2)
		moments[k] = func(all []*process) { s.comesTo(all, job, threshold) }
	}
	all := killed(processes, run, moments...)
	s.comesTo(all, job, total)
	r := replayed{}
	for _, p := range all {
		check(s.t, json.Unmarshal([]byte(p.endsWell()), &r.summary))
	}
	s.t.Logf("%s: %d processes, %d kills of each, took %v", name, processes, kills, time.Since(began).Round(time.Second))
	r.outputs = s.hashes(job)
	return r
}

func (s *scene) waitFor(all []*process, is func() bool) {
	s.t.Helper()
	tick, enough := time.NewTicker(10*time.Millisecond), time.After(10*time.Minute)
	defer tick.Stop()
	for !is() {
		for _, p := range all {
			if p.endedUnasked() {
				s.t.Fatalf("a process has ended: %v", p.err)
			}
		}
		select {
		case <-tick.C:
		case <-enough:
			s.t.Fatal("the backfill stands still")
		}
	}
}

// done is how far a group has come. A cluster that has just begun has no coordinator that knows it.
func (s *scene) done(group string) (sum int64) {
	offsets, err := s.admin.FetchOffsets(s.t.Context(), group)
	if err != nil && broker.Transient(err) {
		return 0
	}
	check(s.t, err)
	offsets.Each(func(o kadm.OffsetResponse) { sum += max(0, o.At) })
	return sum
}

// hashes reads the outputs of a job. Each document of the source must be in them once.
func (s *scene) hashes(job string) map[int32][]uint64 {
	s.t.Helper()
	got := map[int32][]uint64{}
	for p, n := range s.sent {
		got[p] = make([]uint64, n)
	}
	for _, output := range []string{sink.Unique, sink.Duplicate, sink.Rejected} {
		s.read(job+"."+output, func(r *topic.Record) {
			offset, hash := s.place(r), hashOf(output, r)
			if got[r.Partition][offset] != 0 {
				s.t.Errorf("%s/%d/%d came out twice", s.source, r.Partition, offset)
			}
			got[r.Partition][offset] = hash
		})
	}
	for p := range got {
		for offset, hash := range got[p] {
			if hash == 0 {
				s.t.Fatalf("%s/%d/%d did not come out", s.source, p, offset)
			}
		}
	}
	return got
}

// place is the source offset that a record names.
func (s *scene) place(r *topic.Record) (offset int64) {
	var partition int32
	if _, err := fmt.Sscanf(r.Header(sink.HeaderSource), s.source+"/%d/%d", &partition, &offset); err != nil ||
		partition != r.Partition {
		s.t.Fatalf("%s names %q: %v", r.Topic, r.Header(sink.HeaderSource), err)
	}
	return offset
}

// hashOf hashes all of a record but its place, and the name of the index, which is that of the job.
func hashOf(output string, r *topic.Record) uint64 {
	h := xxhash.New()
	fmt.Fprintf(h, "%s %d %d %q %q", output, r.Partition, r.Time.UnixMilli(), r.Key, r.Value)
	for _, header := range r.Headers {
		if header.Key != sink.HeaderIndex {
			fmt.Fprintf(h, " %s=%q", header.Key, header.Value)
		}
	}
	return max(1, h.Sum64())
}
