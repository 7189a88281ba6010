package audit

import (
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
	"github.com/unecho/unecho/sink"
)

func TestFactsComeBack(t *testing.T) {
	want := facts{key: digestOf(nil), value: digestOf([]byte{}), headers: digestOf([]byte("x")), timestamp: -5}
	rd := wire.NewReader(want.append(nil))
	if got := readFacts(&rd); got != want || rd.Short() || rd.Len() != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestJudgementsComeBack(t *testing.T) {
	match := index.Match{
		Source: entry.Source{Partition: 3}, Topic: "news", Offset: 1 << 40, Time: -7, ID: "an id", Method: compare.Hamming, Copy: 9,
		Similarity: compare.Similarity{Num: 5, Den: 6},
	}
	for _, want := range []judgement{
		{pass: 2},
		{verdict: index.Verdict{Forgotten: true}},
		{verdict: index.Verdict{Cut: true}},
		{pass: 1, verdict: index.Verdict{Match: match}},
		{pass: 300, verdict: index.Verdict{Match: match, Reemitted: true, Forgotten: true}},
	} {
		rd := wire.NewReader(want.append(nil))
		if got := readJudgement(&rd); got != want || rd.Short() || rd.Len() != 0 {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestClaimsComeBack(t *testing.T) {
	common := headers{sink.HeaderSource: []byte("news/0/1"), sink.HeaderIndex: []byte("main")}
	for _, h := range []headers{
		{},
		{sink.HeaderSource: []byte("news/0/1"), sink.HeaderIndex: []byte("main"), sink.HeaderVerdict: []byte(sink.Unique)},
		{sink.HeaderSource: []byte("news/0/2"), sink.HeaderIndex: {}, sink.HeaderReason: nil, "unecho-what": []byte("else")},
	} {
		want := claim{malformed: "so", headers: h}
		rd := wire.NewReader(want.append(nil, headerNames(), common))
		got := readClaim(&rd, headerNames(), common)
		if got.malformed != want.malformed || len(got.headers) != len(h) || rd.Short() || rd.Len() != 0 {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		for name, value := range h {
			if back, ok := got.headers[name]; !ok || string(back) != string(value) {
				t.Errorf("%s is %q, want %q", name, back, value)
			}
		}
	}
}
