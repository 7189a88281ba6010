package main

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/s2"
)

// TestCorpus compares the documents with what they stand for: news of the wanted size, a share of them copies.
func TestCorpus(t *testing.T) {
	const documents, size = 2000, 2000
	c, again := newCorpus(1, size), newCorpus(1, size)
	seen := map[string]bool{}
	exact, plain, packed := 0, 0, 0
	for range documents {
		text := c.next()
		if other := again.next(); !bytes.Equal(text, other) {
			t.Fatal("the same seed gave other documents")
		}
		if len(text) < size-100 || len(text) > size+400 {
			t.Fatalf("a document of %d bytes", len(text))
		}
		if seen[string(text)] {
			exact++
		}
		seen[string(text)] = true
		plain += len(text)
		packed += len(s2.Encode(nil, bytes.ToLower(text)))
	}
	if share := float64(exact) / documents; share < 0.10 || share > 0.18 {
		t.Errorf("%.2f of the documents are exact copies", share)
	}
	ratio := float64(packed) / float64(plain)
	t.Logf("compressed by %.3f", ratio)
	if ratio < 0.84 || ratio > 0.90 {
		t.Errorf("the texts compress by %.2f, those of news by 0.87", ratio)
	}
}
