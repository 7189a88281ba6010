package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	perDirectory = 1000
	paragraphs   = 2 // of an article, in a small file
)

// folder judges a folder of small files through find.
func folder(ctx context.Context, p params) error {
	fmt.Fprintf(os.Stderr, "writing %d files\n", p.files)
	dir := filepath.Join(p.dir, "files")
	bytes, err := writeFiles(p, dir)
	if err != nil {
		return err
	}
	var best run
	for range p.rounds {
		r, err := found(ctx, p, dir)
		if err != nil {
			return err
		}
		if best.Documents == 0 || r.Seconds < best.Seconds {
			best = r
		}
	}
	if best.Documents != int64(p.files) {
		return fmt.Errorf("%d of %d files were judged", best.Documents, p.files)
	}
	n := float64(p.files)
	fmt.Printf("`find | unecho dedup --files-from -` over %s files of %.2f kB: %.1f s, %s files a second, %s "+
		"duplicates, %d MB of memory.\n",
		thousands(n), float64(bytes)/1000/n, best.Seconds, thousands(best.perSecond()), thousands(float64(best.Duplicate)),
		best.PeakRSSBytes>>20)
	return nil
}

// writeFiles writes the beginnings of articles, each into a file.
func writeFiles(p params, dir string) (bytes int64, err error) {
	articles, err := newArticles(p.files)
	if err != nil {
		return 0, err
	}
	for i := range p.files {
		d := articles.At(i)
		text := strings.Join(first(strings.Split(d.Text, "\n"), paragraphs), "\n")
		in := filepath.Join(dir, fmt.Sprintf("%03d", i/perDirectory))
		if err := os.MkdirAll(in, 0o750); err != nil {
			return 0, err
		}
		if err := os.WriteFile(filepath.Join(in, d.ID+".md"), []byte(text), 0o600); err != nil {
			return 0, err
		}
		bytes += int64(len(text))
	}
	return bytes, nil
}

func first(lines []string, n int) []string { return lines[:min(n, len(lines))] }

// found runs dedup on what find lists.
func found(ctx context.Context, p params, dir string) (r run, err error) {
	list, names, err := os.Pipe()
	if err != nil {
		return r, err
	}
	find := exec.CommandContext(ctx, "find", dir, "-name", "*.md")
	find.Stdout, find.Stderr = names, os.Stderr
	if err := find.Start(); err != nil {
		return r, errors.Join(err, list.Close(), names.Close())
	}
	err = names.Close()
	if err == nil {
		r, err = dedupOf(ctx, p, runtime.NumCPU(), list, "--files-from", "-", "--unique", os.DevNull)
	}
	return r, errors.Join(err, list.Close(), find.Wait())
}
