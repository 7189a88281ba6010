// Corpora writes corpora and the truth about them, for unecho dedup and eval, and for the programs of others:
// NAME.jsonl, in which a document's id is its number, and NAME.pairs, the exact pairs at or above 0.8 in shingles of
// three words. If more articles are generated than are joined, there is generated.planted in place of generated.pairs,
// with those copies at or above 0.8 that were planted. `make bench-dedup` and `make bench-peers` run it:
//
//	corpora -into DIR [-documents N]
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	into := flag.String("into", "", "the directory to write to")
	data := flag.String("data", os.Getenv("UNECHO_TEST_DATA"), "directory of the shared data")
	documents := flag.Int("documents", 1_000_000, "articles to generate")
	joined := flag.Int("joined", 100_000, "join so many articles exactly at most")
	flag.Parse()
	if err := export(*into, *data, *documents, *joined); err != nil {
		fmt.Fprintln(os.Stderr, "corpora:", err)
		os.Exit(1)
	}
}

// export writes the published corpora that there are, and generated articles.
func export(into, data string, documents, joined int) error {
	if err := os.MkdirAll(into, 0o750); err != nil {
		return err
	}
	for _, c := range published(data) {
		if _, err := os.Stat(c.path); err != nil {
			fmt.Fprintf(os.Stderr, "%s is left out: %v\n", c.name, err)
			continue
		}
		name := filepath.Join(into, c.name)
		if err := errors.Join(writePairs(name, c.texts), writeTexts(name, c.texts)); err != nil {
			return err
		}
	}
	articles, err := newArticles(documents)
	if err != nil {
		return err
	}
	name, texts := filepath.Join(into, "generated"), textsOf(articles, documents)
	if documents > joined {
		err = writePlanted(name, articles, documents)
	} else {
		err = writePairs(name, texts)
	}
	return errors.Join(err, writeTexts(name, texts))
}
