package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/cmd/internal/assembly"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/topic"
)

// Params are the settings of a demo.
type Params struct {
	assembly.Params                // of the service, on a broker in this process
	Setup           consumer.Setup // of the same service, for a replay of its journal
	Out             io.Writer
	Notes           io.Writer // notes, apart from the results
	Pace            float64   // documents a second; 0 and less is full speed
	Stay            bool      // go on serving when all documents have their verdict, until ctx is done
	JSON            bool      // is the form of the summary
}

// demo is one run of it.
type demo struct {
	Params
	service *assembly.Parts
	view    verdictView
	outputs *outputs
	began   time.Time
	ended   time.Time
	summed  bool
}

// Run sends the documents, shows the verdicts until each has one, and sums up.
func Run(ctx context.Context, p Params, docs *Documents) error {
	d := &demo{Params: p}
	options := viewOptionsFor(d.Out, os.Getenv, docs.expected)
	options.Screen, _ = d.Notes.(*terminal.Screen)
	if d.Stay {
		options.Page = func() string { return d.service.Page() }
	}
	d.view = newView(d.Out, options)
	return d.run(ctx, docs)
}

// Watched is how many documents there are for somebody who watches a page: ten minutes at the pace that can be
// followed.
const Watched = 36_000

// PaceFor returns the pace that suits the output, in documents a second: on a terminal or a page one that can be
// followed.
func PaceFor(out io.Writer, page bool) float64 {
	if page || viewOptionsFor(out, os.Getenv, 0).Terminal {
		return 60
	}
	return 0
}

// patience is the number of documents from which on a message announces the evaluation.
const patience = 20_000

// run starts the service and shows its verdicts.
func (d *demo) run(ctx context.Context, docs *Documents) error {
	var err error
	if d.service, err = assembly.Build(ctx, d.Params.Params); err != nil {
		return err
	}
	serving, stop := context.WithCancel(ctx)
	defer stop()
	group, inner := errgroup.WithContext(serving)
	group.Go(func() error { return d.service.Run(inner, 0, d.Logger) })
	group.Go(func() error {
		if url := d.service.Page(); url != "" {
			fmt.Fprintf(d.Notes, "its page is %s\n", url)
		}
		return nil
	})
	group.Go(func() error {
		defer stop()
		if err := ready(inner, d.service.Ready); err != nil {
			return nil // the service reports why it ended
		}
		if d.outputs, err = newOutputs(d.Setup.Kafka, d.Config); err != nil {
			return err
		}
		defer d.outputs.reader.Close()
		if err := d.show(inner, docs); err != nil || !d.Stay || inner.Err() != nil {
			return err
		}
		return d.stay(inner)
	})
	err = group.Wait()
	switch {
	case err != nil:
		return d.closed(err)
	case d.outputs == nil:
		return d.view.close()
	case d.summed:
		return nil
	}
	return d.sum(context.WithoutCancel(ctx))
}

// stay sums up and then waits: the service goes on, and its page with it.
func (d *demo) stay(ctx context.Context) error {
	d.summed = true
	if err := d.sum(ctx); err != nil {
		return err
	}
	fmt.Fprintln(d.Notes, "all documents have their verdict; the page stays until Ctrl-C")
	<-ctx.Done()
	return nil
}

func (d *demo) sum(ctx context.Context) error {
	if n := d.outputs.total(); n >= patience && !d.outputs.bounded {
		fmt.Fprintf(d.Notes, "holding %s verdicts against the exact similarities\n", terminal.Grouped(n))
	}
	s, err := d.summary(ctx)
	if err != nil {
		return err
	}
	if d.JSON {
		return terminal.WriteJSON(d.Out, s)
	}
	return s.WriteText(d.Out)
}

// closed closes the view and adds its error to err, unless it is that error already.
func (d *demo) closed(err error) error {
	if more := d.view.close(); !errors.Is(err, more) {
		return errors.Join(err, more)
	}
	return err
}

// ready waits until the service takes part in its group.
func ready(ctx context.Context, is func() bool) error {
	for !is() {
		if err := retry.Pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) show(ctx context.Context, docs *Documents) error {
	sending, stop := context.WithCancel(ctx)
	defer stop()
	group, inner := errgroup.WithContext(sending)
	sent := make(chan int, 1)
	d.began = time.Now()
	group.Go(func() error {
		n, err := d.send(inner, docs)
		sent <- n
		return err
	})
	group.Go(func() error {
		defer stop()
		return d.outputs.follow(inner, sent, d.view)
	})
	err := group.Wait()
	d.ended = time.Now()
	err = d.closed(err)
	if ctx.Err() != nil {
		return nil // Ctrl-C is no error
	}
	return err
}

// send produces the documents at the wanted pace and returns how many there were.
func (d *demo) send(ctx context.Context, docs *Documents) (n int, err error) {
	w, err := topic.NewWriter(ctx, d.Setup.Kafka, d.Config.Sources[0].Topics[0])
	if err != nil {
		return 0, err
	}
	defer w.Close()
	counted := terminal.NewProgress(io.Discard, -1)
	counted.Hidden = true
	if _, err = docs.send(ctx, w, d.Pace, counted, object); ctx.Err() != nil {
		err = nil
	}
	return int(counted.Documents), errors.Join(err, docs.Close())
}
