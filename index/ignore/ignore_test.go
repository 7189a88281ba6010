package ignore_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/ignore"
	"github.com/unecho/unecho/index/text"
)

const template = "this notice was sent to you by the office of the city of springfield"

// documents have the template, a part of it, or none of it; every tenth is a text that many send.
func documents() (all []string) {
	random := rand.New(rand.NewPCG(39, 2))
	for i := range 400 {
		own := make([]string, 20)
		for k := range own {
			own[k] = fmt.Sprint("w", random.IntN(100_000))
		}
		text := strings.Join(own, " ")
		switch i % 10 {
		case 0:
			text = "one text that is sent again and again, and is no template for that"
		case 1, 2, 3:
			text = template + " " + text
		case 4:
			text = text + ", " + strings.ToUpper(template[:len("this notice was sent to you by the office")])
		case 5:
			text = "日本語のお知らせ 東京都庁から " + text
		}
		all = append(all, text)
	}
	return all
}

func find(t *testing.T, p index.Params, share float64, documents []string) (ignore.List, ignore.Left, int) {
	t.Helper()
	f, err := ignore.NewFinder(p, share)
	if err != nil {
		t.Fatal(err)
	}
	sample := 0
	for _, d := range documents {
		sample += len(d)
	}
	f.Expect(sample)
	for _, pass := range []func([]byte){f.Guess, f.Count, f.Collect} {
		for _, d := range documents {
			pass([]byte(d))
		}
	}
	return f.List()
}

// TestFinds: what stands in more than the share of documents is left out when the list is read again, and nothing else is.
func TestFinds(t *testing.T) {
	all := documents()
	for _, shingle := range []string{"word:1", "word:3", "auto:3", "auto:2", "char:5", "char:9"} {
		p := index.DefaultParams()
		p.Duplicates.Shingle = shingle
		l, left, lost := find(t, p, 0.05, all)
		edge := 0 // a run of characters that begins or ends with a space can be no end of a line
		if strings.HasPrefix(shingle, "char") {
			edge = 2 * len(l.Passages)
		}
		if lost > edge || left.Documents != len(all) || left.Whole != 0 || left.Ignored == 0 || left.Ignored > left.Shingles/2 {
			t.Errorf("%s: %+v, %d lost", shingle, left, lost)
		}
		file, err := l.Append(nil, p)
		if err != nil {
			t.Fatal(err)
		}
		ignored, err := ignore.Read(p, file)
		if err != nil {
			t.Fatal(err)
		}
		counts, want := map[uint64]int{}, 0
		normalizer, shingling := text.NewNormalizer(p.Normalize), shinglingOf(t, p)
		seen := map[string]bool{}
		for _, d := range all {
			if normal := normalizer.Append(nil, []byte(d)); !seen[string(normal)] {
				seen[string(normal)] = true
				for _, hash := range text.Set(shingling.AppendHashes(nil, normal)) {
					counts[hash]++
				}
			}
		}
		for hash, n := range counts {
			common := n > int(0.05*float64(len(seen)))
			if common {
				want++
			}
			if ignored.Has(hash) && !common {
				t.Errorf("%s: a shingle of %d documents is ignored", shingle, n)
			}
		}
		if got := ignored.Len(); got != want-lost {
			t.Errorf("%s: %d shingles are ignored, want %d less the %d that are lost: %q", shingle, got, want, lost, l.Passages)
		}
	}
}

func shinglingOf(t *testing.T, p index.Params) text.Shingling {
	t.Helper()
	s, err := p.Duplicates.Shingling()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPassages(t *testing.T) {
	p := index.DefaultParams()
	l, _, _ := find(t, p, 0.05, documents())
	if want := []string{template, "日本語のお知らせ 東京都庁から"}; strings.Join(l.Passages, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", l.Passages, want)
	}
	if l, _, _ := find(t, p, 0.5, documents()); len(l.Passages) > 0 {
		t.Errorf("%q stand in less than half of the documents", l.Passages)
	}
	few := strings.Split(strings.Repeat(template+"\n", ignore.Least), "\n")
	for i := range few {
		few[i] += fmt.Sprint(" ", i)
	}
	if l, _, _ := find(t, p, 0.05, few[:ignore.Least-1]); len(l.Passages) > 0 {
		t.Errorf("%q stand in %d documents", l.Passages, ignore.Least-1)
	}
	if l, _, _ := find(t, p, 0.05, few[:ignore.Least]); len(l.Passages) != 1 {
		t.Errorf("%q stand in %d documents", l.Passages, ignore.Least)
	}
}

// TestReadEdited: people may delete passages, and what an editor does to lines is no other list.
func TestReadEdited(t *testing.T) {
	p := index.DefaultParams()
	l := ignore.List{Passages: []string{template, "open from eight to noon"}}
	fingerprint := func(l ignore.List, edit func(string) string) (string, int) {
		file, err := l.Append(nil, p)
		if err != nil {
			t.Fatal(err)
		}
		x, err := ignore.Read(p, []byte(edit(string(file))))
		if err != nil {
			t.Fatal(err)
		}
		return x.Fingerprint, x.Len()
	}
	as := func(s string) string { return s }
	whole, n := fingerprint(l, as)
	if n != 12+3 {
		t.Errorf("%d shingles", n)
	}
	for name, edit := range map[string]func(string) string{
		"line ends":   func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"mark":        func(s string) string { return "\ufeff" + s },
		"blank lines": func(s string) string { return strings.ReplaceAll(s, "\n", "\n\n") },
		"indented":    func(s string) string { return strings.ReplaceAll(s, "\nopen", "\n  open") },
		"no last end": func(s string) string { return strings.TrimSuffix(s, "\n") },
	} {
		if got, m := fingerprint(l, edit); got != whole || m != n {
			t.Errorf("%s: %s of %d shingles, want %s of %d", name, got, m, whole, n)
		}
	}
	deleted, m := fingerprint(l, func(s string) string { return strings.Replace(s, template+"\n", "", 1) })
	l.Passages = l.Passages[1:]
	if want, k := fingerprint(l, as); deleted != want || m != k || deleted == whole {
		t.Errorf("with a passage deleted: %s of %d shingles, want %s of %d, other than %s", deleted, m, want, k, whole)
	}
}

func TestReadRefuses(t *testing.T) {
	p := index.DefaultParams()
	l := ignore.List{Documents: 100, Share: 0.05, Passages: []string{template}}
	file, err := l.Append(nil, p)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ignore.Read(p, file); err != nil || got.Len() != 12 {
		t.Fatalf("%d shingles, %v", got.Len(), err)
	}
	html := p
	html.Normalize.HTML, html.Normalize.MaxBytes, html.Duplicates.Hash, html.Duplicates.Threshold = "strip", 10, "murmur3", 0.5
	if got, err := ignore.Read(html, file); err != nil || got.Len() != 12 {
		t.Errorf("%d shingles, %v", got.Len(), err)
	}
	other := p
	other.Duplicates.Shingle, other.Normalize.Digits = "char:5", "mask"
	for _, c := range []struct {
		p    index.Params
		file string
		want string
	}{
		{p, "", "is no list of unecho common"},
		{p, template, "is no list of unecho common"},
		{p, `{"unecho":"pairs"}`, "is no list of unecho common"},
		{p, `{"unecho":"common","version":2}`, "is of version 2, and this unecho reads version 1"},
		{other, string(file), "was made by other settings: duplicates.shingle is auto:3 there, and char:5 here; normalize.digits is keep there, and mask here"},
	} {
		if _, err := ignore.Read(c.p, []byte(c.file)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.40q: got %v, want %s", c.file, err, c.want)
		}
	}
	p.Duplicates.Verify = "levenshtein"
	if _, err := ignore.NewFinder(p, 0.05); err == nil {
		t.Error("verify: levenshtein has shingles to leave out")
	}
}
