// Bands measures what plans of bands cost: signing and applying a document, the bytes of its journal entry and of its
// place in the window, the candidates that are compared, and the duplicates that are found. `make bench-bands` runs it.
// index/cost.go has its figures.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

// params are the values of the command line.
type params struct {
	corpus    string
	documents int
	shingle   string
	verify    string
	grid      string
	rounds    int
	window    int
	codeBits  int
}

func main() {
	var p params
	flag.StringVar(&p.corpus, "corpus", "articles", "articles (generated), logs, boilerplate=COMMON[,anywhere][,parts][,mixed] with so many of 200 words in common, or a file with a document a line")
	flag.IntVar(&p.documents, "documents", 100_000, "documents to judge; a file is read again from its beginning")
	flag.StringVar(&p.shingle, "shingle", "auto:3", "similarity.shingle")
	flag.StringVar(&p.verify, "verify", "jaccard", "similarity.verify")
	flag.StringVar(&p.grid, "grid", "4x2/16,6x3/18,8x4/32,10x5/50,13x6/78,18x7/128", "BANDSxROWS/SLOTS, separated by commas")
	flag.IntVar(&p.rounds, "rounds", 1, "runs of each plan, in turn; the least time counts")
	flag.IntVar(&p.codeBits, "code-bits", 8, "similarity.code_bits")
	flag.IntVar(&p.window, "window", 0, "documents in the window; 0 is all")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := bench(ctx, p)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/bands:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, p params) error {
	plans, err := parseGrid(p.grid)
	if err != nil {
		return err
	}
	c, err := open(p.corpus, p.documents)
	if err != nil {
		return err
	}
	fmt.Printf("%d documents of %s, shingle %s, verify %s; GODEBUG=%s\n\n", p.documents, p.corpus, p.shingle, p.verify,
		os.Getenv("GODEBUG"))
	fmt.Println("| bands | rows | slots | sign, µs | apply, µs | journal, B | window, B | memory, B | compared | dropped " +
		"| duplicates, of copies that are known | cut |")
	fmt.Println("|" + strings.Repeat(" ---: |", 12))
	results := make([]result, len(plans))
	for range p.rounds {
		for i, plan := range plans {
			r, err := run(ctx, p, plan, c)
			if err != nil {
				return err
			}
			results[i] = results[i].least(r)
		}
	}
	for i, plan := range plans {
		fmt.Println(results[i].row(plan))
	}
	return nil
}
