// Shots makes the pictures of the page that the documents show, from a run of the demo.
//
//	go run ./shots [-for 75s] [-into DIR] [-all]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/unecho/unecho/deploy/dev/pagetest"
)

func main() {
	var o options
	flag.DurationVar(&o.long, "for", 75*time.Second, "how long the demo runs before the pictures are taken")
	flag.StringVar(&o.into, "into", "../../docs", "the directory that they go to")
	flag.BoolVar(&o.all, "all", false, "take also those that no document shows, to look at")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, &o); err != nil {
		fmt.Fprintln(os.Stderr, "shots:", err)
		os.Exit(1)
	}
}

type options struct {
	long time.Duration
	into string
	all  bool
}

// run starts the demo and a browser, and takes the pictures.
func run(ctx context.Context, o *options) error {
	dir, err := os.MkdirTemp("", "unecho-shots-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, err := pagetest.Build(ctx, ".", dir)
	if err != nil {
		return err
	}
	demo, err := pagetest.Start(ctx, program, "demo", "--page", "--pace", "120", "--set", "http.listen=127.0.0.1:0",
		"--set", "duplicates.remember.memory=16MiB")
	if err != nil {
		return err
	}
	defer func() { _ = demo.Stop() }()
	browser, end, err := pagetest.NewBrowser(ctx)
	if err != nil {
		return err
	}
	defer end()
	taker := pagetest.Taker{
		Browser: browser, Demo: demo, For: o.long, All: o.all,
		Keep: func(name string, picture []byte) error {
			fmt.Printf("%s: %d kB\n", name, len(picture)/1000)
			return os.WriteFile(filepath.Join(o.into, name), picture, 0o644)
		},
	}
	return taker.Take(ctx)
}
