package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/eval/synthetic"
)

// writePairs joins each document with each.
func writePairs(name string, all texts) error {
	p := index.DefaultParams()
	shingling, err := p.Duplicates.Shingling()
	if err != nil {
		return err
	}
	ruler := eval.NewRuler(p.Normalize, shingling)
	var sets [][]uint64
	if err := all(func(text string) error {
		sets = append(sets, ruler.Set(nil, []byte(text)))
		return nil
	}); err != nil {
		return err
	}
	return write(name+".pairs", func(out *bufio.Writer) error {
		for _, pair := range eval.NewJoin(sets, 8000).Pairs() {
			fmt.Fprintf(out, "%d\t%d\n", pair.A, pair.B)
		}
		return nil
	})
}

// writePlanted writes the copies at or above 0.8 that the generator made, each with its original.
func writePlanted(name string, articles *synthetic.Articles, documents int) error {
	return write(name+".planted", func(out *bufio.Writer) error {
		for n := range documents {
			if t := articles.At(n).Truth; t.Kind == synthetic.Exact || t.Similarity >= 0.8 {
				fmt.Fprintf(out, "%d\t%d\n", t.Of, n)
			}
		}
		return nil
	})
}

func writeTexts(name string, all texts) error {
	return write(name+".jsonl", func(out *bufio.Writer) error {
		lines, number := json.NewEncoder(out), 0
		return all(func(text string) error {
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
