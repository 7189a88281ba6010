package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// exitForced is the exit code after a second signal.
const exitForced = exitInterrupted

// finishing is what a verb says after the first signal.
const finishing = "finishing what is begun; once more to leave at once"

// untilSignal returns a context that ends with the first SIGINT or SIGTERM. A second one ends the process at once.
func untilSignal(parent context.Context, stderr io.Writer) (context.Context, context.CancelFunc) {
	return untilSignalSaid(parent, func() { fmt.Fprintln(stderr, "unecho: "+finishing) })
}

// untilSignalSaid is untilSignal for those who say in their own way that they finish.
func untilSignalSaid(parent context.Context, say func()) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-signals:
			say()
			cancel(errSignal)
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
		cancel(nil)
	}
}

// errSignal is the cause of a context that a signal ended.
var errSignal = errors.New("a signal came")

// interruptedError says that a verb which has an end was stopped before it.
type interruptedError struct{ error }

func (e interruptedError) Unwrap() error { return e.error }

// markInterrupted is deferred by a verb that has an end: what it ends with after a signal is no failure of its own.
func markInterrupted(ctx context.Context, err *error) {
	if *err != nil && errors.Is(context.Cause(ctx), errSignal) {
		*err = interruptedError{*err}
	}
}
