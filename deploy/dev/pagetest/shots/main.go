// Shots makes the pictures of the page that the documents show, from a run of the demo.
//
//	go run ./shots [-for 75s] [-into DIR]
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
	long := flag.Duration("for", 75*time.Second, "how long the demo runs before the pictures are taken")
	into := flag.String("into", "../../docs", "the directory that they go to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *long, *into); err != nil {
		fmt.Fprintln(os.Stderr, "shots:", err)
		os.Exit(1)
	}
}

// run starts the demo and a browser, and takes the pictures.
func run(ctx context.Context, long time.Duration, into string) error {
	dir, err := os.MkdirTemp("", "unecho-shots-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, err := pagetest.Build(ctx, ".", dir)
	if err != nil {
		return err
	}
	demo, err := pagetest.Start(ctx, program, "demo", "--page", "--pace", "120", "--set", "ops.listen=127.0.0.1:0", "--set", "window.bytes=16MiB")
	if err != nil {
		return err
	}
	defer func() { _ = demo.Stop() }()
	browser, end, err := pagetest.NewBrowser(ctx)
	if err != nil {
		return err
	}
	defer end()
	pictures, taken := pagetest.Take(ctx, browser, demo.URL, long)
	for name, data := range pictures {
		if err := os.WriteFile(filepath.Join(into, name), data, 0o644); err != nil {
			return err
		}
		fmt.Printf("%s: %d kB\n", name, len(data)/1000)
	}
	return taken
}
