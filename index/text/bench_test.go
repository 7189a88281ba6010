package text

import (
	"os"
	"testing"

	"golang.org/x/text/cases"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// samples are texts of about 2 kB.
func samples(tb testing.TB) map[string][]byte {
	tb.Helper()
	texts := map[string][]byte{}
	for name, file := range map[string]string{
		"english2kB": "english.txt", "latin2kB": "latin.txt", "russian2kB": "russian.txt", "chinese2kB": "chinese.txt",
		"japanese2kB": "japanese.txt", "arabic2kB": "arabic.txt", "thai2kB": "thai.txt", "html2kB": "page.html",
	} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			tb.Fatal(err)
		}
		texts[name] = text
	}
	return texts
}

func sampleParams(name string) Params {
	p := DefaultParams()
	if name == "html2kB" {
		p.HTML = "strip"
	}
	return p
}

func sampleNames() []string {
	return []string{"english2kB", "latin2kB", "russian2kB", "chinese2kB", "japanese2kB", "arabic2kB", "thai2kB", "html2kB"}
}

func BenchmarkNormalize(b *testing.B) {
	texts := samples(b)
	for _, name := range sampleNames() {
		b.Run(name, func(b *testing.B) { benchmarkNormalize(b, sampleParams(name), texts[name]) })
	}
}

// BenchmarkNormalizePlain is the yardstick for BenchmarkNormalize: it passes the bytes once through NFKC and once
// through case folding of x/text, and reuses its buffers. It finds no words and reads no HTML.
func BenchmarkNormalizePlain(b *testing.B) {
	texts := samples(b)
	for _, name := range sampleNames() {
		b.Run(name, func(b *testing.B) {
			src, fold := texts[name], cases.Fold()
			var composed, folded []byte
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				composed = norm.NFKC.Append(composed[:0], src...)
				folded, _, _ = transform.Append(fold, folded[:0], composed)
			}
		})
	}
}

// BenchmarkNormalizeOption measures each option alone, with the defaults otherwise.
func BenchmarkNormalizeOption(b *testing.B) {
	texts := samples(b)
	for _, option := range []struct {
		name   string
		change func(*Params)
	}{
		{"urls=mask", func(p *Params) { p.URLs = "mask" }},
		{"accents=strip", func(p *Params) { p.Accents = "strip" }},
		{"digits=mask", func(p *Params) { p.Digits = "mask" }},
		{"punctuation=keep", func(p *Params) { p.Punctuation = "keep" }},
		{"space=drop", func(p *Params) { p.Space = "drop" }},
	} {
		for _, name := range []string{"english2kB", "latin2kB"} {
			b.Run(option.name+"/"+name, func(b *testing.B) {
				p := DefaultParams()
				option.change(&p)
				benchmarkNormalize(b, p, texts[name])
			})
		}
	}
}

func benchmarkNormalize(b *testing.B, p Params, src []byte) {
	b.Helper()
	n := NewNormalizer(p)
	dst := n.Append(nil, src)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		dst = n.Append(dst[:0], src)
	}
}

func BenchmarkNewNormalizer(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		NewNormalizer(DefaultParams())
	}
}
