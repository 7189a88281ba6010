package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
	"github.com/unecho/unecho/sink"
)

// Facts come back in order, whole and each once, whatever the memory, and no file is left.
func TestSorter(t *testing.T) {
	const facts = 3000
	for _, memory := range []int{200, 5000, 1 << 20} {
		t.Run(fmt.Sprint("memory=", memory), func(t *testing.T) {
			directory := t.TempDir()
			s := newSorter(directory, memory)
			r := rand.New(rand.NewPCG(1, uint64(memory)))
			var want [][]byte
			for range facts {
				k := keyOf(r.Uint32N(3), r.Int64N(500), byte(r.IntN(3)), r.Uint64())
				fact := bytes.Repeat([]byte{byte(r.IntN(256))}, r.IntN(300))
				if err := s.add(k, fact); err != nil {
					t.Fatal(err)
				}
				want = append(want, slices.Concat(k[:], fact))
			}
			slices.SortFunc(want, bytes.Compare)
			var got [][]byte
			err := s.each(func(k *key, fact []byte) error {
				got = append(got, slices.Concat(k[:], fact))
				return nil
			})
			if err != nil || !slices.EqualFunc(got, want, bytes.Equal) {
				t.Errorf("%d facts came back, want %d in order: %v", len(got), len(want), err)
			}
			if spilled := len(s.runs) > 0; spilled != (memory < facts*100) {
				t.Errorf("%d runs", len(s.runs))
			}
			if err := s.close(); err != nil {
				t.Error(err)
			}
			if left, _ := filepath.Glob(filepath.Join(directory, "*")); len(left) > 0 {
				t.Errorf("%v stay behind", left)
			}
		})
	}
}

func TestSorterWithoutRoom(t *testing.T) {
	s := newSorter(filepath.Join(t.TempDir(), "nowhere"), 100)
	var err error
	for range 10 {
		if err = s.add(key{}, make([]byte, 90)); err != nil {
			break
		}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestKey(t *testing.T) {
	k := keyOf(7, 1<<40, factOutput, claimOrder(5, 1<<41))
	output, offset := claimedAt(k.order())
	if k.partition() != 7 || k.offset() != 1<<40 || k.kind() != factOutput || output != 5 || offset != 1<<41 {
		t.Errorf("the key of an output reads back as partition %d, offset %d, kind %d, output %d at %d; want 7, 1<<40, %d, 5 at 1<<41",
			k.partition(), k.offset(), k.kind(), output, offset, factOutput)
	}
}

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
