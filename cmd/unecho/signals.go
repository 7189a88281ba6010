package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// exitForced is the exit code after a second signal.
const exitForced = 130

// untilSignal returns a context that ends with the first SIGINT or SIGTERM. A second one ends the process at once.
func untilSignal(parent context.Context, stderr io.Writer) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-signals:
			fmt.Fprintln(stderr, "unecho: finishing what is begun; once more to leave at once")
			cancel()
		case <-ctx.Done():
			return
		}
		select {
		case <-signals:
			os.Exit(exitForced)
		case <-parent.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel()
	}
}
