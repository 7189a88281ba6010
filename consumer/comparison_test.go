package consumer

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/comparison"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/naive"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/sink"
)

// otherwise are settings by which a successor judges many documents otherwise than the group that it follows.
func otherwise(s *Setup) {
	s.Index.Similarity.Shingle, s.Index.Similarity.Threshold, s.Document.Empty = "char:5", 0.5, "unique"
}

// edited makes documents of which most are copies of another, with some of their words replaced. A few are empty.
func edited(n int, seed uint64) []*kgo.Record {
	r := rand.New(rand.NewPCG(seed, 5))
	var texts [][]string
	records := make([]*kgo.Record, n)
	for i := range records {
		text := strings.Fields(words(r, 40))
		if len(texts) > 0 && r.IntN(4) > 0 {
			copy(text, texts[r.IntN(len(texts))])
			for range r.IntN(8) {
				text[r.IntN(len(text))] = fmt.Sprintf("w%x", r.IntN(1<<20))
			}
		}
		texts = append(texts, text)
		records[i] = &kgo.Record{Value: []byte(strings.Join(text, " "))}
		if r.IntN(40) == 0 {
			records[i].Value = nil
		}
	}
	return records
}

// compares are the inputs of a comparison of a successor with the world's group.
func (w *world) compares(group string) comparison.Inputs {
	next := w.setup
	w.successor(group)(&next)
	otherwise(&next)
	t := w.takeover(group, false)
	return comparison.Inputs{
		Kafka: next.Kafka, Old: t.OldGroup, New: t.NewGroup, Params: next.Index, Settings: next.Settings,
		Journal: next.Journal, ProducerTime: true, Documents: 100_000, Examples: 12,
		Snapshots: func(context.Context) (snapshot.Store, error) { return w.storeIn(next.Snapshot), nil },
		Progress:  func(string, int64, int64) {},
	}
}

func (w *world) compared(in comparison.Inputs) comparison.Report {
	w.t.Helper()
	r, err := comparison.Run(w.context(), in)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// verdictsSaid are the verdicts in the outputs of the world's group, by source record.
func (w *world) verdictsSaid() map[string]comparison.Said {
	all := map[string]comparison.Said{}
	for _, output := range []string{"news.unique", "news.duplicate", "news.rejected"} {
		w.read(output, func(r *topic.Record) {
			said := comparison.Said{Verdict: r.Header(sink.HeaderVerdict), Match: r.Header(sink.HeaderMatch)}
			said.Similarity, _ = strconv.ParseFloat(r.Header(sink.HeaderSimilarity), 64)
			all[r.Header(sink.HeaderSource)] = said
		})
	}
	return all
}

// verdictsGiven are the verdicts in a journal by the naive twin. Bases are the offsets of the partitions below which
// everything was announced as committed when the twin came to an offset of the journal.
func (w *world) verdictsGiven(in comparison.Inputs, at int64) (all map[string]comparison.Said, bases map[int32]int64) {
	w.t.Helper()
	twin := naive.New(in.Params, in.Settings, index.Fingerprint(in.Settings))
	all, bases = map[string]comparison.Said{}, map[int32]int64{}
	info := w.cluster.PartitionInfo(in.New.Journal, 0)
	client := w.client(kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{in.New.Journal: {0: kgo.NewOffset().At(0)}}))
	reader := journal.Reader{Owner: in.New.Name, ProducerTime: true}
	for next := int64(0); next < info.HighWatermark; {
		for _, r := range client.PollFetches(w.context()).Records() {
			next = r.Offset + 1
			if r.Offset == at {
				for p := range int32(len(w.sent)) {
					state, _ := twin.Partition(entry.Source{Topic: w.cluster.TopicInfo("news").TopicID, Partition: p})
					bases[p] = state.Base
				}
			}
			stamp, rec, err := reader.Read(r)
			if err != nil {
				w.t.Fatal(err)
			}
			verdicts := twin.Apply(stamp, rec)
			for i := range verdicts {
				v := &verdicts[i]
				said := comparison.Said{Verdict: sink.Unique}
				if v.Matched() {
					said = comparison.Said{Verdict: sink.Duplicate, Similarity: float64(v.Match.Similarity.TenThousandths()) / 10_000}
					said.Match = fmt.Sprintf("%s/%d/%d", v.Match.Topic, v.Match.Source.Partition, v.Match.Offset)
				}
				all[fmt.Sprintf("news/%d/%d", rec.(*index.Run).Source.Partition, v.Offset)] = said
			}
		}
	}
	return all, bases
}

// expected is the report without its examples, reckoned up one document after the other. The new group's verdicts about
// what lies below bases are not known.
func expected(was comparison.Report, old, given map[string]comparison.Said, bases map[int32]int64) comparison.Report {
	r := comparison.Report{
		OldGroup: was.OldGroup, NewGroup: was.NewGroup, Spans: was.Spans,
		JournalFrom: was.JournalFrom, JournalTo: was.JournalTo,
	}
	for _, s := range was.Spans {
		for offset := s.From; offset < s.To; offset++ {
			r.Documents++
			source := fmt.Sprintf("news/%d/%d", s.Partition, offset)
			count(&r.Old, old[source])
			if offset < bases[s.Partition] {
				r.Before++
				continue
			}
			if sameCopies(was.Spans, source, old, given, bases) {
				r.OtherFirst++
				count(&r.New, given[source])
				continue
			}
			reckon(&r, old[source], given[source])
		}
	}
	return r
}

// sameCopies says whether two groups found the same copies of a document, and differ in which was first. What the old
// group said is known of the spans, and what the new one said from bases on.
func sameCopies(spans []comparison.Span, source string, old, given map[string]comparison.Said,
	bases map[int32]int64,
) bool {
	was, is := old[source], given[source]
	if was.Verdict == sink.Rejected || is.Verdict == "" || was.Match == is.Match {
		return false
	}
	place := func(source string) (partition int32, offset int64) {
		_, _ = fmt.Sscanf(source, "news/%d/%d", &partition, &offset)
		return partition, offset
	}
	newKnown := func(source string) bool {
		p, offset := place(source)
		return source != "" && offset >= bases[p]
	}
	oldKnown := func(source string) bool {
		p, offset := place(source)
		return source != "" && offset >= spans[p].From
	}
	together := func(in map[string]comparison.Said, other string) bool {
		return cmp.Or(in[source].Match, source) == cmp.Or(in[other].Match, other)
	}
	return newKnown(was.Match) && together(given, was.Match) || oldKnown(is.Match) && together(old, is.Match)
}

func count(side *comparison.Side, said comparison.Said) {
	switch said.Verdict {
	case sink.Unique:
		side.Unique++
	case sink.Duplicate:
		side.Duplicate++
		side.Shares[step(said)]++
	default:
		side.Rejected++
	}
}

// step is the step of a similarity of four decimals, each of them as wide as 0.05.
func step(said comparison.Said) int { return min(int(math.Round(said.Similarity*10_000))/500, 19) }

func reckon(r *comparison.Report, old, given comparison.Said) {
	if given.Verdict == "" {
		given.Verdict = sink.Rejected
	}
	count(&r.New, given)
	switch old.Verdict + " " + given.Verdict {
	case "unique unique":
		r.BothUnique++
	case "duplicate duplicate":
		if old.Match == given.Match {
			r.SameOriginal++
		} else {
			r.OtherOriginal++
		}
	case "duplicate unique":
		r.OnlyOld++
		r.OldAlone[step(old)]++
	case "unique duplicate":
		r.OnlyNew++
		r.NewAlone[step(given)]++
	case "rejected rejected":
		r.BothRejected++
	case "unique rejected", "duplicate rejected":
		r.RejectedByNew++
	default:
		r.RejectedByOld++
	}
}

// asExpected compares a report with one that was reckoned up otherwise, and its examples with the verdicts.
func (w *world) asExpected(got comparison.Report, old, given map[string]comparison.Said, bases map[int32]int64) {
	w.t.Helper()
	examples := got.Examples
	got.Examples = nil
	if want := expected(got, old, given, bases); !reflect.DeepEqual(got, want) {
		w.t.Errorf("it says  %+v\nand is   %+v", got, want)
	}
	if len(examples) == 0 {
		w.t.Error("no example")
	}
	for _, e := range examples {
		if e.New.Verdict == "" || e.Old.Verdict+e.Old.Match == e.New.Verdict+e.New.Match {
			w.t.Errorf("no difference: %+v", e)
		}
		if e.Old != old[e.Source] || e.New != given[e.Source] {
			w.t.Errorf("it says %+v; the verdicts are %+v and %+v", e, old[e.Source], given[e.Source])
		}
	}
}

// A shadow with other settings is compared with the group that it follows: all that is counted is what the outputs
// and the twin say, of all documents or of the newest ones, and from a snapshot on where the journal is trimmed.
func TestComparison(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.setup.Index.Similarity.Shingle, w.setup.Document.Empty = "word:3", "reject"
	w.send(edited(900, 1)...)
	few := func(s *Setup) { s.Params.PollRecords = 60 }
	w.start(named("old"), func(s *Setup) { s.Params.PollRecords = 2 }) // so many markers that outputs are read twice
	w.settled()
	shadow := w.start(w.successor("next"), otherwise, few, rarely)
	w.committedBy("next")
	in := w.compares("next")
	without := in
	without.Snapshots = nil
	keeper := member.NewKeeper(shadow.follower(), shadow.setup.Store, shadow.setup.Snapshot, "next")
	if err := keeper.Write(w.context()); err != nil {
		t.Fatal(err)
	}
	store := w.storeIn(shadow.setup.Snapshot)
	infos, err := store.Manifests(w.context())
	if err != nil || len(infos) != 1 {
		t.Fatalf("%d snapshots, %v", len(infos), err)
	}
	at := infos[0].Position.Offset
	w.send(edited(900, 2)...)
	w.settled()
	w.committedBy("next")

	got := w.compared(in)
	old := w.verdictsSaid()
	given, bases := w.verdictsGiven(in, at)
	w.asExpected(got, old, given, nil)
	if got.Documents != int64(w.total) || got.OnlyOld+got.OnlyNew == 0 || got.OtherFirst == 0 || got.RejectedByOld == 0 {
		t.Errorf("that shows little: %+v", got)
	}
	t.Logf("%+v", got)
	w.becomes("the shadow's own metrics say the same", func() bool { // they count a moment after the commit
		st := shadow.Stats()
		return int64(st.Unique) == got.New.Unique && int64(st.Duplicate) == got.New.Duplicate &&
			int64(st.Similarity.Count) == got.New.Duplicate
	})

	newest := in
	newest.Documents = 500
	if part := w.compared(newest); part.Documents != 500 {
		t.Errorf("%d documents are compared", part.Documents)
	} else {
		w.asExpected(part, old, given, nil)
	}

	later := w.trimmedTo(in, at)
	if w.asExpected(later, old, given, bases); later.JournalFrom != at || later.Before == 0 || later.Before > 900 {
		t.Errorf("after the journal was trimmed to %d: %+v", at, later)
	}
	if _, err := kadm.NewClient(w.client()).DeleteTopics(w.context(), "news.rejected"); err != nil {
		t.Fatal(err)
	}
	for says, in := range map[string]comparison.Inputs{"cannot find news.rejected": in, "its head was trimmed": without} {
		if _, err := comparison.Run(w.context(), in); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("it says %v, and not %q", err, says)
		}
	}
}

// trimmedTo compares after the new group's journal was trimmed to an offset.
func (w *world) trimmedTo(in comparison.Inputs, at int64) comparison.Report {
	w.t.Helper()
	trim := kadm.Offsets{}
	trim.AddOffset(in.New.Journal, 0, at, -1)
	if _, err := kadm.NewClient(w.client()).DeleteRecords(w.context(), trim); err != nil {
		w.t.Fatal(err)
	}
	return w.compared(in)
}

// What was compared before a takeover is the same after it: what the new group forwards is not taken for the old
// group's.
func TestComparisonAfterTakeover(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.setup.Document.Empty = "reject"
	w.send(edited(300, 3)...)
	w.launch(named("old"))
	w.settled()
	w.start(w.successor("next"), otherwise)
	w.committedBy("next")
	before := w.compared(w.compares("next"))
	w.takesOver(w.takeover("next", false))
	w.send(edited(300, 4)...)
	w.committedBy("next")
	after := w.compared(w.compares("next"))
	if before.JournalTo, after.JournalTo = 0, 0; !reflect.DeepEqual(before, after) || before.Documents != 300 {
		t.Errorf("before %+v\nafter  %+v", before, after)
	}
}

// What cannot be compared is refused, and says why.
func TestComparisonIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.create("blogs", 1, nil)
	refused := func(in comparison.Inputs, says ...string) {
		t.Helper()
		_, err := comparison.Run(w.context(), in)
		for _, what := range says {
			if err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("it says %v, and not %q", err, what)
			}
		}
	}
	refused(w.compares("next"), "group unecho has no journal unecho.journal", "consumer.succeeds_journal")
	w.start(named("old"))
	w.produce(100, 1)
	w.settled()
	refused(w.compares("next"), "group next has judged nothing yet", "consumer.succeeds: unecho")
	for group, change := range map[string]func(*Setup){
		"other": func(s *Setup) { s.Source.Topics = []string{"news", "blogs"} },
		"plain": func(s *Setup) {
			s.Params.Succeeds, s.Sink.Unique, s.Sink.Duplicate, s.Sink.Rejected = "", "p.u", "p.d", "p.r"
		},
		"dry": func(s *Setup) { s.Params.Succeeds, s.Sink.DryRun = "", true },
		"set": func(s *Setup) { s.Settings = []byte(`{"test":"a","similarity.slots":"b"}`) },
	} {
		m := w.start(w.successor(group), change)
		w.becomes("ready", m.Ready)
	}
	refused(w.compares("other"), "the documents of the groups are not the same")
	refused(w.compares("plain"), "group plain is no shadow of group unecho", "unecho takeover --plan")
	refused(w.compares("set"), "the verdicts of group set were given under other settings")
	dry := w.compares("next")
	dry.New, dry.Old = dry.Old, w.compares("dry").New
	refused(dry, "group dry forwards nothing")
}
