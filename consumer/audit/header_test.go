package audit

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/text"
	"github.com/unecho/unecho/sink"
)

// written is an output record of the encoder, and what the audit finds wrong with headers in its place.
type written struct {
	name  string
	fill  func(b *sink.Batch, dst, src *kgo.Record)
	wrong func(a *audit, got headers, source string) string
}

func asVerdict(v index.Verdict) (func(b *sink.Batch, dst, src *kgo.Record), func(a *audit, got headers, source string) string) {
	return func(b *sink.Batch, dst, src *kgo.Record) { b.Verdict(dst, src, &v) },
		func(a *audit, got headers, source string) string { return a.unlike(got, source, &v) }
}

// writtens are output records of all kinds: among them each header of the encoder occurs.
func writtens() []written {
	match := index.Match{
		Source: entry.Source{Partition: 3}, Topic: "olds", Offset: 1 << 40, Time: 1_700_000_000_007, ID: "an id",
		Method: compare.Jaccard, Copy: 9, Similarity: compare.Similarity{Num: 5, Den: 6},
	}
	nameless := match
	nameless.ID, nameless.Method, nameless.Similarity = "", compare.Resent, compare.Similarity{Num: 7, Den: 7}
	var all []written
	for _, v := range []struct {
		name string
		index.Verdict
	}{
		{"unique", index.Verdict{}},
		{"late", index.Verdict{Late: 77}},
		{"cut", index.Verdict{Cut: true}},
		{"a duplicate", index.Verdict{Match: match}},
		{"a duplicate of one without an id", index.Verdict{Match: nameless, Late: 5}},
		{"let through", index.Verdict{Match: match, Reemitted: true}},
	} {
		fill, wrong := asVerdict(v.Verdict)
		all = append(all, written{v.name, fill, wrong})
	}
	refused := func(a *audit, got headers, source string) string {
		return a.rejection(got, source, &index.Verdict{}, false)
	}
	for _, reason := range sink.UncheckedReasons() {
		all = append(all, written{
			"unchecked: " + string(reason),
			func(b *sink.Batch, dst, src *kgo.Record) { b.Unchecked(dst, src, reason) },
			func(a *audit, got headers, source string) string { return a.checkUnchecked(got, source) },
		})
	}
	_, asUnique := asVerdict(index.Verdict{})
	return append(all,
		written{"unique, with a template", func(b *sink.Batch, dst, src *kgo.Record) {
			b.LeftOut(compare.Similarity{Num: 1, Den: 2})
			b.Verdict(dst, src, &index.Verdict{})
		}, asUnique},
		written{"rejected", func(b *sink.Batch, dst, src *kgo.Record) { b.Reject(dst, src, sink.Empty, "because") }, refused},
		written{"rejected with nothing of it", func(b *sink.Batch, dst, src *kgo.Record) {
			b.RejectAt(time.UnixMilli(1_700_000_000_000))
			b.SetAside(dst, src, sink.TooLarge, "because", sink.Sizes{Value: 9, Key: 8, Headers: 7})
		}, refused},
	)
}

// headers encodes an output record, and returns its headers.
func (w *written) headers(t *testing.T) headers {
	t.Helper()
	var dst kgo.Record
	src := &kgo.Record{
		Topic: "news", Partition: 1, Offset: 2, Timestamp: time.UnixMilli(1_600_000_000_000), Value: []byte("x"),
	}
	w.fill(sink.New(sink.DefaultParams(), "main", "minhash/2:0").NewBatch(), &dst, src)
	got, err := headersOn(&dst)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func tableOnly() *audit {
	p := index.DefaultParams()
	p.Duplicates.Ignored = text.Ignore("a list", []uint64{1})
	return &audit{
		in: Inputs{Index: "main", Params: p}, algorithm: "minhash/2:0", table: table(),
		settings: map[string]any{"sources[0].when[0].equals": "en"},
	}
}

// The encoder writes what the audit's own table says, and no other header, and the table has no other either.
func TestTheEncoderWritesWhatTheTableSays(t *testing.T) {
	a, seen := tableOnly(), map[string]bool{}
	for _, w := range writtens() {
		got := w.headers(t)
		for name := range got {
			seen[name] = true
		}
		if d := w.wrong(a, got, "news/1/2"); d != "" {
			t.Errorf("%s: the encoder's headers should be right, and the audit says %s", w.name, d)
		}
	}
	for _, name := range headerNames() {
		if !seen[name] {
			t.Errorf("no output of this test has %s: it should show each header of the table", name)
		}
	}
	for _, h := range sink.Headers() {
		if !slices.Contains(headerNames(), h.Name) {
			t.Errorf("the encoder has %s, and the audit's table lacks it", h.Name)
		}
	}
}

// An encoder with a wrong row is noticed, whichever row it is: its header says something else, is called otherwise, or
// is not there. What only the source record can tell, the lengths and the time of a changed record, is held against
// that one.
func TestAWrongRowIsNoticed(t *testing.T) {
	a := tableOnly()
	for _, w := range writtens() {
		for _, h := range a.table {
			value, there := w.headers(t)[h.name]
			if !there {
				continue
			}
			harms := map[string]func(got headers){
				"says something else":  func(got headers) { got[h.name] = []byte("wrong") },
				"is called otherwise":  func(got headers) { delete(got, h.name); got[h.name+"s"] = value },
				"is not there":         func(got headers) { delete(got, h.name) },
				"says a thing more":    func(got headers) { got[h.name] = append(slices.Clone(value), " x"...) },
				"is on another record": func(got headers) { got[elsewhereThan(a, got)] = []byte("1") },
			}
			if h.on == onChanged || h.on == onIgnoring { // the source record tells (see TestAltered), and the text alone
				delete(harms, "is not there")
			}
			if h.on == onChanged || h.name == headerDetail {
				delete(harms, "says something else")
				delete(harms, "says a thing more")
			}
			for harm, do := range harms {
				got := w.headers(t)
				if do(got); w.wrong(a, got, "news/1/2") == "" {
					t.Errorf("%s: %s %s, and the audit finds nothing", w.name, h.name, harm)
				}
			}
		}
	}
}

// elsewhereThan returns a header that a record of that kind must not have.
func elsewhereThan(a *audit, got headers) string {
	for _, h := range a.table {
		if _, there := got[h.name]; !there && h.on != onChanged {
			return h.name
		}
	}
	return ""
}

// Where the verdict is not known, a header is held against its form.
func TestFormsOfHeaders(t *testing.T) {
	for name, says := range map[string][2][]string{
		headerMatch:      {{"news/0/1", "a.b/3/99"}, {"", "news", "news/0", "news/00/1", "news/0/x"}},
		headerMatchTime:  {{"2023-11-14T22:13:20.007Z"}, {"", "1700000000007", "2023-11-14T22:13:20Z", "2023-11-14 22:13:20.007"}},
		headerSimilarity: {{"1.0000", "0.9999", "0.0000"}, {"", "1", "0.95", "1.0001", "2.0000", "0.95x0", "-0.950"}},
		headerMethod:     {{"identical", "resent", "levenshtein"}, {"", "none", "unknown", "Jaccard"}},
		headerCopy:       {{"2", "10"}, {"", "-1", "02", "2.0"}},
		headerReason:     {{"too_large", "output_refused"}, {"", "mood"}},
	} {
		row := table()[slices.Index(headerNames(), name)]
		for i, values := range says {
			for _, value := range values {
				if got, want := row.form(value), i == 0; got != want {
					t.Errorf("%s may say %q: got %v, want %v", name, value, got, want)
				}
			}
		}
	}
}

// Where no list says what does not count, a document that says so is wrong.
func TestNothingIsIgnoredWithoutAList(t *testing.T) {
	t.Parallel()
	a := tableOnly()
	a.in.Params.Duplicates.Ignored = text.Ignored{}
	for _, w := range writtens() {
		if d := w.wrong(a, w.headers(t), "news/1/2"); strings.Contains(d, headerIgnored) != (w.name == "unique, with a template") {
			t.Errorf("%s: the audit says %q", w.name, d)
		}
	}
}

// The audit computes each header once more, but for those of which it knows the form alone.
func TestHeadersThatOnlyHaveAForm(t *testing.T) {
	t.Parallel()
	free := []string{headerIgnored, headerReason, headerDetail, headerTimestamp, headerValueBytes, headerKeyBytes, headerHeaderBytes}
	for _, r := range table() {
		if r.says == nil != slices.Contains(free, r.name) {
			t.Errorf("%s: a value that is computed is %t, want %t: what nobody computes may be wrong unseen", r.name, r.says != nil,
				r.says == nil)
		}
	}
}
