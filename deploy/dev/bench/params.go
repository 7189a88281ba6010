package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// params are the values of the flags.
type params struct {
	brokers    []string // kafka, kfake
	verifies   []string // estimate, jaccard
	pairs      int
	documents  int // 0: the broker's own default
	bytes      int // approximate size of a document
	partitions int
	sessions   int
	shingle    string // unecho's setting, as are the next ones; empty: its default
	evidence   string
	backfill   string // time or arrival: unecho works as a backfill in that order; empty: as a live group
	seed       uint64
	untuned    bool
	rivals     bool   // unecho and the copy take turns with others
	files      bool   // unecho with old documents in files takes turns with all in memory
	profile    string // a file for a CPU profile of all; empty: none
	rates      []int  // documents/s; none: the documents are there before
	warm       int    // seconds for which documents come at a rate before they count
	seconds    int    // for which documents come at a rate and count
}

// These are the default numbers of documents. A run takes two to four seconds on two cores.
const (
	kafkaDocuments = 200_000
	kfakeDocuments = 100_000
)

func parse(args []string, stderr io.Writer) (params, error) {
	var p params
	var broker, verify string
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&broker, "broker", "both", "kafka, kfake or both")
	flags.StringVar(&verify, "verify", "both", "estimate, jaccard or both")
	flags.IntVar(&p.pairs, "pairs", 7, "pairs that count; one more warms up")
	flags.IntVar(&p.documents, "documents", 0,
		fmt.Sprintf("documents in the source topic (default %d on Kafka, %d on kfake)", kafkaDocuments, kfakeDocuments))
	flags.IntVar(&p.bytes, "bytes", 2000, "bytes of a document, about")
	flags.IntVar(&p.partitions, "partitions", 8, "partitions of the source topic")
	flags.IntVar(&p.sessions, "sessions", 2, "sessions of either")
	flags.StringVar(&p.shingle, "shingle", "", "duplicates.shingle of unecho (default: its own)")
	flags.StringVar(&p.evidence, "evidence", "", "duplicates.evidence of unecho with verify: jaccard (default: its own)")
	flags.StringVar(&p.backfill, "backfill", "", "time or arrival: measure unecho as a backfill in that order")
	flags.Uint64Var(&p.seed, "seed", 1, "the same seed gives the same documents")
	flags.BoolVar(&p.untuned, "untuned", false, "give the copy unecho's sizes and linger time without a trial")
	flags.BoolVar(&p.rivals, "rivals", false, "take turns with a Kafka Streams application, too; it needs -broker kafka")
	flags.BoolVar(&p.files, "files", false, "measure unecho with duplicates.remember.directory beside unecho without it, in place of the copy")
	flags.StringVar(&p.profile, "cpuprofile", "",
		"write a CPU profile of all to `file`; `go tool pprof -tagfocus=estimate` shows what ran for unecho with estimate")
	flags.Func("rates", "measure the latency at these documents/s, as in 50,500,5000, instead of the throughput",
		func(text string) error {
			for word := range strings.SplitSeq(text, ",") {
				n, err := strconv.Atoi(word)
				if err != nil {
					return err
				}
				p.rates = append(p.rates, n)
			}
			return nil
		})
	flags.IntVar(&p.warm, "warm", 2, "with -rates, for how many seconds documents come before they count")
	flags.IntVar(&p.seconds, "seconds", 10, "with -rates, for how many seconds documents come that count")
	if err := flags.Parse(args); err != nil {
		return p, err
	}
	if flags.NArg() > 0 {
		return p, fmt.Errorf("what is %q? Possible are only flags: see -help", strings.Join(flags.Args(), " "))
	}
	p.brokers, p.verifies = either(broker, "kafka", "kfake"), either(verify, "estimate", "jaccard")
	return p, p.validate()
}

// either returns the words for which a word stands: itself, or all words if it means both.
func either(word string, words ...string) []string {
	if word == "both" {
		return words
	}
	if slices.Contains(words, word) {
		return []string{word}
	}
	return nil
}

func (p params) validate() error {
	var errs []error
	for _, bad := range []struct {
		is      bool
		problem string
	}{
		{len(p.brokers) == 0, "-broker is kafka, kfake or both"},
		{len(p.verifies) == 0, "-verify is estimate, jaccard or both"},
		{p.pairs < 1, "-pairs is at least 1"},
		{p.documents < 0, "-documents is not negative"},
		{p.bytes < 100 || p.bytes > 500_000, "-bytes is 100 to 500000"},
		{p.partitions < 1, "-partitions is at least 1"},
		{p.sessions < 1 || p.sessions > p.partitions, "-sessions is at least 1, and no more than -partitions"},
		{p.backfill != "" && p.backfill != "time" && p.backfill != "arrival", "-backfill is time or arrival"},
		{slices.ContainsFunc(p.rates, func(n int) bool { return n < 1 || n > 1_000_000 }), "-rates are 1 to 1000000"},
		{p.warm < 0 || p.seconds < 1, "-warm is not negative, -seconds is at least 1"},
		{(p.rivals || p.files) && len(p.rates) > 0 || p.rivals && p.files, "-rivals and -files are measured alone, without -rates"},
		{p.backfill != "" && len(p.rates) > 0, "-rates are those of a live group, without -backfill"},
		{p.rivals && (len(p.brokers) != 1 || p.brokers[0] != "kafka"), "-rivals needs -broker kafka"},
	} {
		if bad.is {
			errs = append(errs, errors.New(bad.problem))
		}
	}
	return errors.Join(errs...)
}
