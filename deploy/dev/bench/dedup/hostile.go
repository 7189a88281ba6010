package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// hostileWords is the length of the documents: 1.7 to 1.9 kB.
const hostileWords = 240

// hostile clusters documents that have much in common, a corpus of each kind, with --matches all --clusters.
func hostile(ctx context.Context, p params) error {
	fmt.Println("| corpus | documents | kB each | clock | processor time | peak memory | unique | cut |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, kind := range []struct {
		name string
		own  int // words of each document that no other has, at its end; -1 is one word anywhere
	}{
		{"all equal", 0},
		{"one word of each is its own", -1},
		{"90 % of each in common", hostileWords / 10},
		{"88 % of each in common, just below the threshold", 28},
		{"75 % of each in common", hostileWords / 4},
		{"nothing in common", hostileWords},
	} {
		path := filepath.Join(p.dir, "hostile.txt")
		if err := writeHostile(path, p.hostile, kind.own); err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		r, err := dedupOf(ctx, p, runtime.NumCPU(), nil, "--format", "lines", "--matches", "all", "--clusters", os.DevNull, path)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %s | %.2f | %.0f s | %.0f s | %s MB | %s | %s |\n", kind.name, thousands(float64(r.Documents)),
			float64(info.Size())/1000/float64(r.Documents), r.Seconds, r.processor.Round(time.Second).Seconds(),
			thousands(float64(r.PeakRSSBytes>>20)), thousands(float64(r.Documents-r.Duplicate)), thousands(float64(r.Cut)))
	}
	return nil
}

func writeHostile(path string, n, own int) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("generate documents: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	random, out := rand.New(rand.NewPCG(7, 7)), bufio.NewWriterSize(file, 1<<20)
	vocabulary := make([]string, 1<<16)
	for i := range vocabulary {
		word := make([]byte, 3+random.IntN(9))
		for k := range word {
			word[k] = byte('a' + random.IntN(26))
		}
		vocabulary[i] = string(word)
	}
	common, text := make([]string, hostileWords), make([]string, hostileWords)
	for i := range common {
		common[i] = vocabulary[random.IntN(len(vocabulary))]
	}
	for i := range n {
		copy(text, common)
		if own < 0 {
			text[random.IntN(len(text))] = fmt.Sprint("own", i)
		}
		for k := range max(own, 0) {
			text[len(text)-1-k] = vocabulary[random.IntN(len(vocabulary))]
		}
		if _, err := out.WriteString(strings.Join(text, " ") + "\n"); err != nil {
			return fmt.Errorf("generate documents: %w", err)
		}
	}
	return out.Flush()
}
