package audit_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/replay"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/sink"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNothingToFind(t *testing.T) {
	report := story(t).audit()
	want := "5 records: 2 unique, 2 duplicate, 1 rejected; 0 lost, 0 doubled, 0 different, 0 misordered, 0 altered, 0 invented"
	if got := report.String(); got != want || !report.OK() {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// set replaces or adds a header.
func set(r *kgo.Record, name, value string) {
	for i := range r.Headers {
		if r.Headers[i].Key == name {
			r.Headers[i].Value = []byte(value)
			return
		}
	}
	r.Headers = append(r.Headers, kgo.RecordHeader{Key: name, Value: []byte(value)})
}

func drop(r *kgo.Record, name string) {
	r.Headers = slices.DeleteFunc(r.Headers, func(h kgo.RecordHeader) bool { return h.Key == name })
}

func sameCounts(a, b audit.Report) bool {
	a.Findings, b.Findings = nil, nil
	a.Skips, b.Skips = nil, nil
	return a.String() == b.String()
}

// again forwards an output once more, to another topic if one is given.
func (s *scene) again(i int, topic string) {
	r := *s.outputs[i]
	r.Headers = slices.Clone(r.Headers)
	if topic != "" {
		r.Topic = topic
	}
	s.outputs = append(s.outputs, &r)
}

// instead rejects a document: a rejected record takes the place of its output.
func (s *scene) instead(i int, reason sink.Reason) {
	s.outputs[i] = s.reject(s.sources[i], reason)
	s.outputs = s.outputs[:len(s.outputs)-1]
}

// happening is what is done to a story after it was written.
type happening struct {
	name string
	do   func(s *scene)
	want audit.Report // without findings
}

func tryAll(t *testing.T, happenings []happening) {
	for _, c := range happenings {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := story(t)
			c.do(s)
			if got := s.audit(); !sameCounts(got, c.want) {
				t.Errorf("got %s\nwant %s", got.String(), c.want.String())
			}
		})
	}
}

// None of these histories breaks a promise, however odd it looks.
func TestWhatIsAllowed(t *testing.T) {
	tryAll(t, []happening{
		{"a forgotten unique is rejected", func(s *scene) {
			r := s.document(1, "an output will not take this document whatever it says")
			v := s.judge(r, 1)
			s.append(&index.Forget{Header: s.header(), Target: v.Position})
			s.reject(r, sink.OutputRefused)
		}, audit.Report{Records: 6, Unique: 2, Duplicate: 2, Rejected: 2}},
		{
			"a duplicate that its output refused", func(s *scene) { s.instead(3, sink.OutputRefused) },
			audit.Report{Records: 5, Unique: 2, Duplicate: 1, Rejected: 2},
		},
		{"the value withheld", func(s *scene) {
			s.outputs[4] = s.output(func(dst *kgo.Record) { s.batch.Withhold(dst, s.sources[4], sink.TooLarge, "too large") })
			s.outputs = s.outputs[:5]
		}, audit.Report{Records: 5, Unique: 2, Duplicate: 2, Rejected: 1}},
		{
			"an aborted transaction", func(s *scene) { s.transaction(kgo.TryAbort, s.outputs[0], s.outputs[4]) },
			audit.Report{Records: 5, Unique: 2, Duplicate: 2, Rejected: 1},
		},
		{"aborted records at the end", func(s *scene) {
			s.transaction(kgo.TryCommit, s.outputs...)
			s.transaction(kgo.TryAbort, s.outputs...)
			s.outputs = nil
		}, audit.Report{Records: 5, Unique: 2, Duplicate: 2, Rejected: 1}},
		{"an id too long for a header", func(s *scene) {
			for _, text := range []string{"a document with an id that goes on and on and on", "a document with an id that goes on and on and on"} {
				r := &kgo.Record{Topic: "news", Timestamp: time.UnixMilli(5), Value: []byte(text)}
				r.Headers = []kgo.RecordHeader{{Key: "id", Value: bytes.Repeat([]byte("x"), 3000)}}
				s.produce(r)
				s.forward(r, 1)
			}
		}, audit.Report{Records: 7, Unique: 3, Duplicate: 3, Rejected: 1}},
		{"a tombstone, an empty document", func(s *scene) {
			r := &kgo.Record{Topic: "news", Timestamp: time.UnixMilli(5)}
			s.produce(r)
			s.forward(r, 1)
			r = &kgo.Record{Topic: "news", Timestamp: time.UnixMilli(5), Value: []byte{}, Key: []byte{}}
			s.produce(r)
			s.forward(r, 1)
		}, audit.Report{Records: 7, Unique: 4, Duplicate: 2, Rejected: 1}},
	})
}

// A document that is produced while the audit looks at the topics is neither owed nor unknown.
func TestMeanwhile(t *testing.T) {
	tryAll(t, []happening{
		{"a document that arrives meanwhile", func(s *scene) {
			s.onOffsets(4, func() { // the source's start, end and stable end are known, the outputs are next
				s.cluster.SleepControl(func() { s.document(0, "too late to be owed") })
			})
		}, audit.Report{Records: 5, Unique: 2, Duplicate: 2, Rejected: 1}},
	})
}

func TestNullIsNotEmpty(t *testing.T) {
	s := newScene(t)
	s.begin()
	empty := []byte{}
	for _, r := range []*kgo.Record{
		{Key: empty}, {Value: empty}, {Headers: []kgo.RecordHeader{{Key: "h", Value: empty}}}, {Headers: []kgo.RecordHeader{{Key: "h"}}},
	} {
		r.Topic, r.Timestamp = "news", time.UnixMilli(5)
		s.produce(r)
		s.forward(r, 1)
	}
	s.outputs[0].Key, s.outputs[1].Value = nil, nil
	s.outputs[2].Headers[0].Value, s.outputs[3].Headers[0].Value = nil, empty
	if got := s.audit(); got.Altered != 4 || got.Different != 0 {
		t.Errorf("got %s", got.String())
	}
}

func TestPasses(t *testing.T) {
	tryAll(t, []happening{
		{"set back: everything from there comes out again", func(s *scene) {
			s.announce(0, 1, 2)
			s.reposition(0, 1, 2)
			s.forward(s.sources[1], 2)
			s.reject(s.sources[4], sink.InvalidEncoding)
		}, audit.Report{Records: 5, Unique: 3, Duplicate: 2, Rejected: 2}},
		{"set back, and only once out", func(s *scene) {
			s.announce(0, 1, 2)
			s.reposition(0, 1, 2)
			s.judge(s.sources[1], 2)
			s.reject(s.sources[4], sink.InvalidEncoding)
		}, audit.Report{Records: 5, Unique: 2, Duplicate: 2, Rejected: 2, Lost: 1}},
		{"set back before it was forwarded", func(s *scene) {
			s.outputs = slices.Delete(s.outputs, 1, 2)
			s.reposition(0, 1, 2)
			s.forward(s.sources[1], 2)
			s.reject(s.sources[4], sink.InvalidEncoding)
		}, audit.Report{Records: 4, Unique: 2, Duplicate: 2, Rejected: 2}},
		{"judged with its original, and both again before they were forwarded", func(s *scene) {
			r := s.document(0, "a text of which there is a copy in the same batch, which was never committed")
			c := s.document(0, "A text of which there is a copy in the same batch, which was never committed!")
			s.judge(r, 1)
			s.judge(c, 1)
			s.announce(0, 1, 3)
			s.reposition(0, 3, 2)
			s.forward(r, 2)
			s.forward(c, 2)
		}, audit.Report{Records: 7, Unique: 3, Duplicate: 3, Rejected: 1}},
		{"set forward: what is skipped is not owed", func(s *scene) {
			s.document(1, "skipped by someone with a tool")
			r := s.document(1, "forwarded after the gap that was made by hand")
			s.announce(1, 1, 2)
			s.reposition(1, 3, 2)
			s.forward(r, 2)
		}, audit.Report{Records: 6, Skipped: 1, Unique: 3, Duplicate: 2, Rejected: 1}},
		{"out of order between passes", func(s *scene) {
			s.announce(1, 1, 2)
			s.reposition(1, 0, 2)
			again := s.forward(s.sources[2], 2)
			s.forward(s.sources[3], 2)
			s.outputs = append([]*kgo.Record{again}, slices.DeleteFunc(s.outputs, func(r *kgo.Record) bool { return r == again })...)
		}, audit.Report{Records: 5, Unique: 2, Duplicate: 4, Rejected: 1, Misordered: 2}},
		{"of passes that announced nothing, it does not show whose an output is", func(s *scene) {
			first := s.document(1, "forwarded by all of three passes, of which two announced nothing")
			second := s.document(1, "forwarded by two of three passes, and none of them announced it")
			s.announce(1, 1, 2)
			s.forward(first, 1)
			s.judge(second, 1)
			for epoch := uint32(2); epoch <= 3; epoch++ {
				s.reposition(1, 2, epoch)
				s.forward(first, epoch)
				s.forward(second, epoch)
			}
		}, audit.Report{Records: 7, Unique: 7, Duplicate: 2, Rejected: 1}},
	})
}

func TestOldEpochs(t *testing.T) {
	tryAll(t, []happening{
		{
			"a zombie's reposition begins no pass", func(s *scene) { s.reposition(0, 0, 1) },
			audit.Report{Records: 5, Unique: 2, Duplicate: 2, Rejected: 1},
		},
		{"an old epoch's verdict is none", func(s *scene) {
			s.append(&index.Run{Header: s.header(), Source: s.source(0), Epoch: 9, Base: 99})
			r := s.document(0, "appended by a zombie under an epoch that is not the current one")
			s.output(func(dst *kgo.Record) { s.batch.Verdict(dst, r, &index.Verdict{Offset: r.Offset}) })
		}, audit.Report{Records: 6, Unique: 3, Duplicate: 2, Rejected: 1, Different: 1}},
	})
}

// announce appends to the journal up to which offset a partition is committed.
func (s *scene) announce(partition int32, epoch uint32, base int64) {
	s.append(&index.Run{Header: s.header(), Source: s.source(partition), Epoch: epoch, Base: base})
}

func TestStartAtLatest(t *testing.T) {
	s := newScene(t)
	s.document(0, "before anyone looked")
	s.append(&index.Settings{Text: settings, Wall: time.Now().UnixMilli()})
	s.reposition(0, 1, 1)
	s.forward(s.document(0, "after that"), 1)
	if got := s.audit(); !got.OK() || got.Records != 1 {
		t.Errorf("got %s", got.String())
	}
	s.outputs = s.outputs[:0]
	s.output(func(dst *kgo.Record) { s.batch.Verdict(dst, s.sources[0], &index.Verdict{}) })
	s.reject(s.sources[0], sink.Empty)
	if got := s.audit(); !got.OK() || got.Earlier != 2 { // as far as can be known, these are of an earlier journal
		t.Errorf("got %s", got.String())
	}
}

func TestPartitionNobodyBegan(t *testing.T) {
	s := newScene(t)
	s.document(1, "never read")
	if got := s.audit(); got.Lost != 1 || !strings.Contains(got.String(), "the journal never began its partition") {
		t.Errorf("got %s", got.String())
	}
}

// While members are at work, a record is due only if their group has committed it.
func TestWhatIsDueIsCommitted(t *testing.T) {
	s := story(t)
	s.document(0, "read by nobody yet")
	s.outputs = s.outputs[1:] // news/0/0 is lost
	s.transaction(kgo.TryCommit, s.outputs...)
	in := s.inputs()
	in.Group = "unecho"
	commit := func(partition int32, at int64) {
		offsets := kadm.Offsets{}
		offsets.AddOffset("news", partition, at, -1)
		if err := kadm.NewClient(s.client).CommitAllOffsets(t.Context(), in.Group, offsets); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		partition              int32
		at                     int64
		records, pending, lost int
	}{{0, 0, 0, 6, 0}, {1, 2, 2, 4, 0}, {0, 3, 5, 1, 1}, {0, 99, 6, 0, 2}} {
		commit(c.partition, c.at)
		if got := s.run(in); got.Records != c.records || got.Pending != c.pending || got.Lost != c.lost || got.Broken() != c.lost {
			t.Errorf("with %d/%d committed: %d pending, %s", c.partition, c.at, got.Pending, got.String())
		}
	}
}

// A rejected record may have another timestamp if a header says which was its own. No other record may.
func TestTimestampInAHeader(t *testing.T) {
	s := story(t)
	own := s.outputs[4].Timestamp
	s.outputs[4].Timestamp = own.Add(24 * time.Hour)
	set(s.outputs[4], "unecho-timestamp", strconv.FormatInt(own.UnixMilli(), 10))
	if got := s.audit(); !got.OK() || got.Rejected != 1 || got.Retimed != 1 {
		t.Errorf("of a rejected one: %s", got.String())
	}
	s = story(t)
	set(s.outputs[0], "unecho-timestamp", strconv.FormatInt(s.outputs[0].Timestamp.UnixMilli(), 10))
	if got := s.audit(); got.Different != 1 {
		t.Errorf("of a unique one: %s", got.String())
	}
}

// A record that changes nothing for the members changes nothing for the audit, whether it reads the journal from its
// start or not.
func TestStraysChangeNothing(t *testing.T) {
	for _, trimmed := range []bool{false, true} {
		s, records := story(t), 5
		in := s.inputs()
		if trimmed {
			s, in = trimmedStory(t)
			records = 8
		}
		in.Owner = "us"
		s.transaction(kgo.TryCommit, s.outputs...)
		run := journal.Append(nil, &index.Run{Header: s.header(), Source: s.source(0), Epoch: 1, Base: 99})
		s.produce(
			&kgo.Record{Topic: "journal", Value: []byte("hello")}, &kgo.Record{Topic: "journal"},
			&kgo.Record{Topic: "journal", Key: []byte("them"), Value: run}, &kgo.Record{Topic: "journal", Value: run[1:]},
		)
		if got := s.run(in); !got.OK() || got.Records != records {
			t.Errorf("trimmed %v: got %s", trimmed, got.String())
		}
	}
}

func TestFindingsAreBounded(t *testing.T) {
	s := newScene(t)
	s.begin()
	for range 30 {
		s.document(0, "lost")
	}
	got := s.audit()
	if got.Lost != 30 || len(got.Findings) != 20 || !strings.HasSuffix(got.String(), "\n  and 10 more") {
		t.Errorf("%d findings: %s", len(got.Findings), got.String())
	}
}

func TestCannotBeDone(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(s *scene, in *audit.Inputs) context.Context
		is   error
		says string
	}{
		{
			"settings of others", func(s *scene, in *audit.Inputs) context.Context { in.Settings = []byte("{}"); return s.t.Context() },
			replay.ErrSettings, "replay journal: offset 0: the journal's settings are not the given ones",
		},
		{
			"a trimmed journal", func(s *scene, in *audit.Inputs) context.Context { s.trim("journal", 2); return s.t.Context() },
			replay.ErrTrimmed, "replay journal: it begins at offset 2",
		},
		{
			"no such topic", func(s *scene, in *audit.Inputs) context.Context { in.Sources = []string{"olds"}; return s.t.Context() },
			nil, "olds",
		},
		{"a journal of a newer format", func(s *scene, in *audit.Inputs) context.Context {
			newer := []byte("\x1eunj\xff\x00\x00\x00\x00")
			binary.LittleEndian.PutUint32(newer[5:], crc32.Checksum(newer[:5], crc32.MakeTable(crc32.Castagnoli)))
			s.produce(&kgo.Record{Topic: "journal", Value: newer})
			return s.t.Context()
		}, journal.ErrVersion, "offset 7: written by another version of unecho"},
		{"a transaction that stays open", func(s *scene, in *audit.Inputs) context.Context {
			client := s.transactional()
			s.t.Cleanup(client.Close)
			if err := errors.Join(client.BeginTransaction(), client.ProduceSync(s.t.Context(), s.outputs[0]).FirstErr()); err != nil {
				s.t.Fatal(err)
			}
			return s.untilAskedForOffsets(10) // the first six times for the source and the outputs
		}, context.Canceled, "wait for the transactions open in news.unique/0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := story(t)
			in := s.inputs()
			ctx := c.do(s, &in)
			_, err := audit.Run(ctx, in)
			if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %q in it", err, c.says)
			}
		})
	}
}
