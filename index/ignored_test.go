package index_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/text"
)

// ignoring returns p without the shingles of these passages.
func ignoring(tb testing.TB, p index.Params, passages ...string) index.Params {
	tb.Helper()
	shingling, err := p.Duplicates.Shingling()
	if err != nil {
		tb.Fatal(err)
	}
	normalizer, hashes := text.NewNormalizer(p.Normalize), []uint64(nil)
	for _, passage := range passages {
		hashes = shingling.AppendHashes(hashes, normalizer.Append(nil, []byte(passage)))
	}
	p.Duplicates.Ignored = text.Ignore("a list", hashes)
	return p
}

const notice = "this notice was sent to you by the office of the city of springfield which is open from eight to noon"

// TestTemplatesDoNotCount: a document with a template is signed as one that has nothing of it but what its first shingles and its
// own text have in common, for every sketch and evidence.
func TestTemplatesDoNotCount(t *testing.T) {
	for _, shingle := range []struct{ setting, seam string }{
		{"word:1", ""}, {"word:3", "to noon "}, {"auto:3", "to noon "}, {"char:5", "noon "},
	} {
		for _, way := range []string{"minhash jaccard", "minhash estimate", "simhash jaccard", "simhash estimate"} {
			for _, weighted := range []bool{false, true} {
				p := index.DefaultParams()
				p.Duplicates.Shingle, p.Duplicates.Weighted = shingle.setting, weighted
				p.Duplicates.Method, p.Duplicates.Verify, _ = strings.Cut(way, " ")
				t.Run(fmt.Sprint(shingle.setting, " ", way, " ", weighted), func(t *testing.T) {
					q := ignoring(t, p, notice)
					const own = "bridge elm street closed until monday"
					with, without := sign(t, q, notice+" "+own), sign(t, p, shingle.seam+own)
					if !bytes.Equal(with.Keys, without.Keys) || !bytes.Equal(with.Digest, without.Digest) ||
						!bytes.Equal(with.Evidence, without.Evidence) || with.Content == without.Content {
						t.Errorf("%x %x, without the template %x %x", with.Keys, with.Evidence, without.Keys, without.Evidence)
					}
				})
			}
		}
	}
}

func sign(t *testing.T, p index.Params, text string) entry.Entry {
	t.Helper()
	signer, err := index.NewSigner(p)
	if err != nil {
		t.Fatal(err)
	}
	var e entry.Entry
	if !signer.Sign(&e, []byte(text)) {
		t.Fatal("no entry")
	}
	return e
}

// TestVerdictsWithoutTemplates: documents of one template get the verdicts of documents that begin with the end of it, be their
// shingles kept, or made anew of texts that are kept.
func TestVerdictsWithoutTemplates(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 2))
	for _, evidence := range []string{"shingles", "text"} {
		p := index.DefaultParams()
		p.Duplicates.Shingle, p.Duplicates.Evidence = "word:3", evidence
		var with, without []string
		for range 400 {
			own := make([]string, 40)
			for i := range own {
				own[i] = fmt.Sprint("w", random.IntN(1000))
			}
			if n := len(with); n > 0 && random.IntN(2) == 0 { // a copy, more or less edited
				own = strings.Fields(without[random.IntN(n)])[2:]
				for range random.IntN(4) {
					own[random.IntN(len(own))] = "edited"
				}
			}
			with, without = append(with, notice+" "+strings.Join(own, " ")), append(without, "to noon "+strings.Join(own, " "))
		}
		got, plain, want := judged(t, ignoring(t, p, notice), with), judged(t, p, with), judged(t, p, without)
		copies, called := 0, 0
		for i := range want {
			if want[i].Matched() != got[i].Matched() || want[i].Matched() && (want[i].Match.Offset != got[i].Match.Offset ||
				want[i].Match.Similarity != got[i].Match.Similarity) {
				t.Errorf("%s: document %d: %+v, without the template %+v", evidence, i, got[i], want[i])
			}
			if want[i].Matched() {
				copies++
			}
			if plain[i].Matched() {
				called++
			}
		}
		if copies < 50 || called <= copies {
			t.Errorf("%s: %d copies, and %d by texts with the template: the test says nothing", evidence, copies, called)
		}
	}
}

// TestNothingElse: a text of nothing but a template is signed and compared as if there was no list, and so is found when it comes
// again.
func TestNothingElse(t *testing.T) {
	p := ignoring(t, index.DefaultParams(), notice)
	signer, err := index.NewSigner(p)
	if err != nil {
		t.Fatal(err)
	}
	var e entry.Entry
	if !signer.Sign(&e, []byte(notice)) || !reflect.DeepEqual(e, sign(t, index.DefaultParams(), notice)) {
		t.Errorf("%+v is not what is signed without a list", e)
	}
	if ignored, all := signer.LeftOut(); ignored != 0 || all != 19 {
		t.Errorf("%d of %d shingles are left out, want none of 19", ignored, all)
	}
	if signer.Sign(&e, []byte(notice+" now")); e.Empty() || signer.Short() == false {
		t.Errorf("%+v is empty, or not short", e)
	}
	if ignored, all := signer.LeftOut(); ignored != 19 || all != 20 {
		t.Errorf("%d of %d shingles are left out, want 19 of 20", ignored, all)
	}
	part := strings.TrimSuffix(notice, " noon") // 18 of its 19 shingles
	for _, evidence := range []string{"shingles", "text"} {
		p.Duplicates.Evidence = evidence
		s, entries := newPair(t, p), []entry.Entry(nil) // judged as by the twin
		for i, text := range []string{notice, notice, notice + " now", notice + " now", part} {
			e := entry.Entry{Offset: int64(i)}
			s.signer.Sign(&e, []byte(text))
			entries = append(entries, e.Clone())
		}
		for i, v := range s.run(entries...) {
			if v.Matched() != (i == 1 || i == 3 || i == 4) {
				t.Errorf("%s: document %d: matched %v", evidence, i, v.Matched())
			}
		}
	}
}

// TestListOnlyNamed: nothing is signed without the list that settings name.
func TestListOnlyNamed(t *testing.T) {
	p := index.DefaultParams()
	p.Duplicates.Ignored.Fingerprint = "sha256:0"
	if _, err := index.NewSigner(p); err == nil || !strings.Contains(err.Error(), "duplicates.ignore was not read") {
		t.Errorf("got %v", err)
	}
	if index.Same(p.Settings(), index.DefaultParams().Settings()) {
		t.Error("settings with a list are the same as those without")
	}
}

// BenchmarkIgnoring signs a text of 2 kB where nothing is ignored, and with 10,000 ignored shingles, of which the text has none, or
// half of its own.
func BenchmarkIgnoring(b *testing.B) {
	page, err := os.ReadFile("text/testdata/english.txt")
	if err != nil {
		b.Fatal(err)
	}
	var others []string
	for i := range 10_002 {
		others = append(others, fmt.Sprint("other", i))
	}
	p := index.DefaultParams()
	for _, c := range []struct {
		name string
		p    index.Params
	}{
		{"none", p},
		{"others", ignoring(b, p, strings.Join(others, " "))},
		{"half", ignoring(b, p, strings.Join(others, " "), string(page[:len(page)/2]))},
	} {
		b.Run(c.name, func(b *testing.B) {
			s, err := index.NewSigner(c.p)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				var e entry.Entry
				s.Sign(&e, page)
				s.Reset()
			}
		})
	}
}
