// Dedup measures unecho dedup from the file to the verdicts: documents a second on one core and on all,
// the most memory it takes, recall and precision beside the exact join, and files a second of a folder of small files.
// It generates what it reads in a directory of its own, and removes it. `make bench-dedup` runs it; ten million
// articles take 16 GB of disk, and more memory than dedup takes by default:
//
//	make bench-dedup ARGS='-documents 10000000 -rounds 1 -files 0 -flags "--memory 12GiB"'
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
)

// params are the values of the command line.
type params struct {
	unecho    string // the program
	data      string // directory of the shared data; empty does without
	dir       string // directory for generated files
	kept      string // directory for generated articles that stay; empty for none
	documents int    // generated
	sample    int    // number of them for the exact join
	checked   int    // of the generated ones, so many are held against what was planted
	files     int
	rounds    int
	flags     []string // of dedup, in each run
	hostile   int      // so many documents of each kind of corpora that are hard to cluster, in place of measuring
	export    string   // where to write corpora and their truth, in place of measuring
}

func main() {
	var p params
	flag.StringVar(&p.unecho, "unecho", "./unecho", "the program")
	flag.StringVar(&p.data, "data", os.Getenv("UNECHO_TEST_DATA"), "directory of the shared data")
	flag.IntVar(&p.documents, "documents", 1_000_000, "documents to generate")
	flag.IntVar(&p.sample, "sample", 100_000, "of them, so many are joined exactly")
	flag.IntVar(&p.checked, "checked", 1_000_000, "of them, so many are held against what was planted")
	flag.IntVar(&p.files, "files", 130_000, "small files to generate; 0 is none")
	flag.IntVar(&p.rounds, "rounds", 2, "runs of each, of which the best counts")
	keep := flag.String("keep", "", "directory where generated articles stay, to be used again; empty removes them")
	flags := flag.String("flags", "", "further flags of dedup, for each run: '--memory 12GiB --slots 50'")
	flag.StringVar(&p.export, "export", "",
		"write the corpora and their exact pairs to this directory, and measure nothing")
	flag.IntVar(&p.hostile, "hostile", 0, "cluster so many documents of 2 kB with much in common, of each kind, and measure nothing else")
	flag.Parse()
	p.kept, p.flags = *keep, strings.Fields(*flags)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := bench(ctx, p)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/dedup:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, p params) (err error) {
	if p.dir, err = os.MkdirTemp("", "unecho-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(p.dir)
	if p.export != "" {
		return export(p, p.export)
	}
	fmt.Printf("%s, %d cores, %s/%s, %s\n\n", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH,
		runtime.Version())
	if len(p.flags) > 0 {
		fmt.Printf("With %s.\n\n", strings.Join(p.flags, " "))
	}
	if p.hostile > 0 {
		return hostile(ctx, p)
	}
	generated, err := generate(p, p.documents, "generated.jsonl")
	if err != nil {
		return err
	}
	all := append(published(p.data), generated)
	if err := speed(ctx, p, all); err != nil {
		return err
	}
	if err := quality(ctx, p, all); err != nil {
		return err
	}
	if p.files == 0 {
		return nil
	}
	return folder(ctx, p)
}
