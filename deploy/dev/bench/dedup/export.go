package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// export writes each corpus for others to judge: NAME.jsonl, in which a document's id is its number, and NAME.pairs,
// the exact pairs at or above 0.8 in shingles of three words. If more documents are generated than are joined, there is
// NAME.planted in its place, with those copies at or above 0.8 that were planted.
func export(p params, dir string) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	generated, err := generate(p, p.documents, "generated.jsonl")
	if err != nil {
		return err
	}
	all := published(p.data)
	for name, t := range map[string]int{"ads": 0, "articles": len(all) - 1} {
		if len(all) > 0 {
			name = filepath.Join(dir, name)
			if err := errors.Join(exportPairs(all[t], name), exportTexts(all[t], name)); err != nil {
				return err
			}
		}
	}
	name := filepath.Join(dir, "generated")
	if p.documents > p.sample {
		err = exportPlanted(p.documents, name)
	} else {
		err = exportPairs(generated, name)
	}
	return errors.Join(err, exportTexts(generated, name))
}

func exportPairs(t texts, name string) error {
	return write(name+".pairs", func(out *bufio.Writer) error {
		_, exact, err := join(t)
		for _, pair := range exact {
			fmt.Fprintln(out, pair.A, pair.B)
		}
		return err
	})
}

func exportPlanted(documents int, name string) error {
	f, err := newArticles(documents)
	if err != nil {
		return err
	}
	return write(name+".planted", func(out *bufio.Writer) error {
		for n := range documents {
			if truth := f.At(n).Truth; planted(truth) {
				fmt.Fprintln(out, truth.Of, n)
			}
		}
		return nil
	})
}

func exportTexts(t texts, name string) error {
	return write(name+".jsonl", func(out *bufio.Writer) error {
		lines, number := json.NewEncoder(out), 0
		return t.each(func(_, text string) error {
			number++
			return lines.Encode(map[string]string{"id": strconv.Itoa(number - 1), "text": text})
		})
	})
}

func write(path string, fill func(*bufio.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 1<<20)
	return errors.Join(fill(out), out.Flush(), file.Close())
}
