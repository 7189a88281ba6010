package index

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/entry"
)

// hostile are documents of 1 MiB that take much more memory while they are signed.
func hostile() map[string][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	var han []byte
	for len(han) < 1<<20 {
		han = append(han, string(rune(0x4e00+r.IntN(20000)))...)
	}
	return map[string][]byte{
		"expanding": bytes.Repeat([]byte("\uFDFA"), 1<<20/3),
		"marks":     bytes.Repeat([]byte("\u0344"), 1<<20/2),
		"han":       han,
		"zeros":     make([]byte, 1<<20),
		"many":      bytes.Repeat([]byte("\uFDFA"), LargeDocument/3),
	}
}

// The memory that a large document takes is given back once it is signed, whatever it consists of.
func TestSignerGivesBack(t *testing.T) {
	tryGivingBack(t, []string{"auto:3"}, []string{"minhash"})
}

func TestSignerGivesBackLong(t *testing.T) {
	tryGivingBack(t, []string{"auto:3", "char:5", "word:3"}, []string{"minhash", "simhash"})
}

func tryGivingBack(t *testing.T, shingles, algorithms []string) {
	const most = 1 << 20 // the cache of characters, and what small documents need
	for _, shingle := range shingles {
		for _, algorithm := range algorithms {
			p := DefaultParams()
			p.Duplicates.Shingle, p.Duplicates.Method = shingle, algorithm
			if algorithm == "simhash" {
				p.Duplicates.Verify = "estimate"
			}
			if m := p.Validate(); len(m) > 0 {
				t.Fatalf("the settings with shingle %s and %s are refused: %v", shingle, algorithm, m)
			}
			for name, document := range hostile() {
				t.Run(shingle+"/"+algorithm+"/"+name, func(t *testing.T) {
					s, err := NewSigner(p)
					if err != nil {
						t.Fatal(err)
					}
					before := live()
					var e entry.Entry
					s.Sign(&e, document)
					s.Unsign()
					s.Reset()
					e = entry.Entry{}
					if kept := live() - before - int64(cap(s.arena)); kept > most || cap(s.arena) > keptArena {
						t.Errorf("%d KiB are kept, and %d for entries", kept>>10, cap(s.arena)>>10)
					}
					runtime.KeepAlive(document)
				})
			}
		}
	}
}

func live() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Giving back changes no entry.
func TestSignerGivesBackAlike(t *testing.T) {
	s, err := NewSigner(DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	long := []byte(strings.Repeat("one two three four five ", LargeDocument/10))
	var before, first, again entry.Entry
	s.Sign(&before, []byte("a small one before it"))
	kept := fmt.Sprint(before)
	s.Sign(&first, long)
	s.Sign(&again, long)
	if fmt.Sprint(before) != kept || fmt.Sprint(first) != fmt.Sprint(again) || first.Empty() {
		t.Error("entries differ")
	}
}

func BenchmarkSignLarge(b *testing.B) {
	s, err := NewSigner(DefaultParams())
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []int{LargeDocument, LargeDocument + 100} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			var text []byte
			for len(text) < size {
				text = fmt.Appendf(text, "word%d ", r.IntN(30000))
			}
			text = text[:size]
			for b.Loop() {
				var e entry.Entry
				s.Sign(&e, text)
				s.Reset()
			}
		})
	}
}

// BenchmarkSignPage makes entries of a page of 2 kB.
func BenchmarkSignPage(b *testing.B) {
	page, err := os.ReadFile("text/testdata/page.html")
	if err != nil {
		b.Fatal(err)
	}
	p := DefaultParams()
	p.Normalize.HTML = "strip"
	s, err := NewSigner(p)
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
}
