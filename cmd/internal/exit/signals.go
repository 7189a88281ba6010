package exit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/rs/zerolog"
)

// Finishing is the message of a verb after the first signal.
const Finishing = "shutting down; a second signal exits at once"

// Announces returns what says that a verb finishes, in its log if that is JSON.
func Announces(stderr io.Writer, asJSON bool, logger zerolog.Logger) func() {
	if asJSON {
		return func() { logger.Info().Msg(Finishing) }
	}
	return func() { fmt.Fprintln(stderr, "unecho: "+Finishing) }
}

// UntilSignal returns a context that ends with the first SIGINT or SIGTERM. A second one ends the process at once.
func UntilSignal(parent context.Context, stderr io.Writer) (context.Context, context.CancelFunc) {
	return UntilSignalWith(parent, Announces(stderr, false, zerolog.Nop()))
}

// UntilSignalWith is UntilSignal for those who say in their own way that they finish.
func UntilSignalWith(parent context.Context, say func()) (context.Context, context.CancelFunc) {
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
			os.Exit(Interrupted)
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

// Signalled says whether a signal has ended a context.
func Signalled(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errSignal) }

// MarkInterrupted is deferred by a verb that has an end of its own. An error after a signal is then reported as an
// interruption, not as a failure.
func MarkInterrupted(ctx context.Context, err *error) {
	if *err != nil && Signalled(ctx) {
		*err = &Error{Code: Interrupted, Err: *err}
	}
}
