package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/feed"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/topic"
)

func demoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the whole service on a broker in this process, with a feed of articles",
		Long: "Run the whole service on a broker in this process, and send it a feed of articles: originals, exact and edited copies,\n" +
			"and look-alikes that are no copies. Verdicts show as they fall; the summary at the end holds them against the exact\n" +
			"similarities. Any Kafka client on this machine can look at the broker while the demo runs.",
		Example: "  unecho demo\n" +
			"  unecho demo --documents 100000 --json | tail -1\n" +
			"  unecho demo --input articles.jsonl --dir ./demo",
		Args: atMost(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return runDemo(cmd) },
	}
	addSetFlag(cmd)
	p := feed.DefaultParams()
	flags := cmd.Flags()
	flags.Int("documents", p.Documents, "documents of the feed")
	flags.Uint64("seed", p.Seed, "the same seed gives the same documents")
	flags.String("input", "", "read documents from a JSONL file instead (- is standard input): objects with text and id")
	flags.String("dir", "", "keep everything in this directory, and go on there the next time (default a temporary one)")
	flags.String("listen", "127.0.0.1:0", "the broker's address; port 0 takes a free one")
	flags.Float64("pace", 0, "documents a second, 0 is full speed; if not given, 60 on a terminal")
	flags.Bool("json", false, "the summary as one JSON object on the last line")
	return cmd
}

// demo is one run of it.
type demo struct {
	config  config.Config
	out     io.Writer
	notes   io.Writer // beside the results
	logger  zerolog.Logger
	view    demoView
	pace    float64 // documents a second; 0 and less is full speed
	outputs *demoOutputs
	began   time.Time
	ended   time.Time

	expected int // documents of all runs on the directory; 0: unknown
}

// documents gives them one by one.
type documents interface{ Next() (feed.Document, bool) }

func runDemo(cmd *cobra.Command) (err error) {
	ctx, stop := exit.UntilSignal(cmd.Context(), cmd.ErrOrStderr())
	defer stop()
	signal.Ignore(syscall.SIGPIPE) // into head: the write fails, and what follows removes the directory
	dir, remove, err := demoDir(cmd.Flag("dir").Value.String())
	if err != nil {
		return err
	}
	defer remove()
	d, err := newDemo(cmd, dir)
	if err != nil {
		return err
	}
	docs, err := d.openDocuments(cmd)
	if err != nil {
		return err
	}
	kafka, err := startEmbedded(ctx, &d.config, dir, cmd.Flag("listen").Value.String(), d.logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kafka.Close()) }()
	fmt.Fprintf(cmd.ErrOrStderr(), "a Kafka broker listens on %s, its data in %s\n", kafka.Addr(), dir)
	if err := d.resume(ctx, docs); err != nil {
		return err
	}
	summary, err := d.run(ctx, docs)
	if err != nil {
		return err
	}
	if ctx.Err() != nil && cmd.Flag("dir").Changed {
		fmt.Fprintf(cmd.ErrOrStderr(), "stopped; `unecho demo --dir %s` goes on from here\n", dir)
	}
	if flagBool(cmd, "json") {
		return summary.writeJSON(d.out)
	}
	return summary.writeText(d.out)
}

func newDemo(cmd *cobra.Command, dir string) (*demo, error) {
	base := embeddedDefaults(config.Default(), dir)
	base.Document.Format, base.Document.Fields, base.Document.ID = "json", []string{"text"}, "field:id"
	base.Ops.Listen = ""
	base.Log.Level = "warn"
	sets, err := cmd.Flags().GetStringArray("set")
	if err != nil {
		return nil, err
	}
	loaded, err := config.ResolveFrom(base, "", os.Environ(), append(sets, logSets(cmd)...))
	if err != nil {
		return nil, err
	}
	logger, err := terminal.NewLogger(cmd.ErrOrStderr(), loaded.Config.Log)
	if err != nil {
		return nil, err
	}
	d := &demo{config: loaded.Config, out: cmd.OutOrStdout(), notes: cmd.ErrOrStderr(), logger: logger}
	d.pace, err = cmd.Flags().GetFloat64("pace")
	if err == nil && !cmd.Flag("pace").Changed && demoViewOptionsFor(d.out, os.Getenv, 0).Terminal {
		d.pace = demoPace
	}
	return d, err
}

// demoPace can be followed on a terminal: documents a second.
const demoPace = 60

// demoPatience is how many documents are evaluated without a word about it.
const demoPatience = 20_000

// demoDir is the directory named, or a temporary one that remove deletes.
func demoDir(named string) (dir string, remove func(), err error) {
	if named != "" {
		return named, func() {}, nil
	}
	dir, err = os.MkdirTemp("", "unecho-demo-")
	if err != nil {
		return "", nil, fmt.Errorf("make a directory: %w", err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}

// openDocuments opens what is to be sent: so soon that a slip in its name comes before anything is started.
func (d *demo) openDocuments(cmd *cobra.Command) (documents, error) {
	if input := cmd.Flag("input").Value.String(); input != "" {
		lines, err := feed.OpenJSONL(input, d.config.Document)
		return lines, exit.NotThere(err)
	}
	p := feed.DefaultParams()
	var err error
	if p.Documents, err = cmd.Flags().GetInt("documents"); err != nil {
		return nil, err
	}
	if p.Seed, err = cmd.Flags().GetUint64("seed"); err != nil {
		return nil, err
	}
	f, err := feed.New(p)
	if err != nil {
		return nil, exit.Usage(err)
	}
	d.expected = p.Documents
	return f, nil
}

// resume passes what an earlier run has sent.
func (d *demo) resume(ctx context.Context, docs documents) error {
	opts, err := broker.Options(d.config.Kafka, d.logger)
	if err != nil {
		return err
	}
	counts, err := topic.Counts(ctx, opts, d.config.Source.Topics[0])
	if err != nil {
		return err
	}
	sent := int(counts[d.config.Source.Topics[0]])
	if f, ok := docs.(*feed.Feed); ok {
		f.Skip(sent)
	} else {
		for more := true; more && sent > 0; sent-- {
			_, more = docs.Next()
		}
	}
	options := demoViewOptionsFor(d.out, os.Getenv, max(0, d.expected-sent))
	options.Screen, _ = d.notes.(*terminal.Screen)
	d.view = newDemoView(d.out, options)
	return nil
}

// run has the service judge the documents and shows it.
func (d *demo) run(ctx context.Context, docs documents) (demoSummary, error) {
	p, err := build(ctx, d.config, true, d.logger)
	if err != nil {
		return demoSummary{}, err
	}
	opts, err := broker.Options(d.config.Kafka, d.logger)
	if err != nil {
		return demoSummary{}, err
	}
	serving, stop := context.WithCancel(ctx)
	defer stop()
	group, inner := errgroup.WithContext(serving)
	group.Go(func() error { return p.run(inner, 0, d.logger) })
	group.Go(func() error {
		defer stop()
		if err := p.ready(inner); err != nil {
			return nil // the service says why it ended
		}
		if d.outputs, err = newDemoOutputs(inner, opts, d.config); err != nil {
			return err
		}
		defer d.outputs.close()
		return d.show(inner, opts, docs)
	})
	if err := group.Wait(); err != nil {
		return demoSummary{}, errors.Join(err, d.view.close())
	}
	if d.outputs == nil {
		return demoSummary{}, d.view.close()
	}
	if n := d.outputs.total(); n >= demoPatience && !d.outputs.bounded {
		fmt.Fprintf(d.notes, "holding %s verdicts against the exact similarities\n", terminal.Grouped(n))
	}
	return d.summary(context.WithoutCancel(ctx), opts)
}

// ready waits until the service takes part in its group.
func (p *parts) ready(ctx context.Context) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !p.service.Ready() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// show sends the documents and shows the verdicts until each document has one.
func (d *demo) show(ctx context.Context, opts topic.Options, docs documents) error {
	sending, stop := context.WithCancel(ctx)
	defer stop()
	group, inner := errgroup.WithContext(sending)
	sent := make(chan int, 1)
	d.began = time.Now()
	group.Go(func() error {
		n, err := d.send(inner, opts, docs)
		sent <- n
		return err
	})
	group.Go(func() error {
		defer stop()
		return d.outputs.follow(inner, sent, d.view)
	})
	err := group.Wait()
	d.ended = time.Now()
	err = errors.Join(err, d.view.close())
	if ctx.Err() != nil {
		return nil // Ctrl-C is no error
	}
	return err
}

// send produces the documents at the wanted pace and returns how many the topic holds then.
func (d *demo) send(ctx context.Context, opts topic.Options, docs documents) (int, error) {
	source := d.config.Source.Topics[0]
	w, err := topic.NewWriter(opts, source)
	if err != nil {
		return 0, err
	}
	defer w.Close()
	began, n := time.Now(), 0
	for ctx.Err() == nil {
		doc, more := docs.Next()
		if !more {
			break
		}
		if err := w.Write(ctx, nil, doc.Value()); err != nil {
			return 0, err
		}
		n++
		if d.pace > 0 {
			due := began.Add(time.Duration(float64(n) / d.pace * float64(time.Second)))
			sleep(ctx, time.Until(due))
		}
	}
	if lines, ok := docs.(*feed.Lines); ok {
		err = errors.Join(lines.Err(), lines.Close())
	}
	if err := errors.Join(err, w.Flush(context.WithoutCancel(ctx))); err != nil {
		return 0, err
	}
	counts, err := topic.Counts(context.WithoutCancel(ctx), opts, source)
	return int(counts[source]), err
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// article is what the view shows of a document's value.
type article struct {
	ID, Outlet, Title string
}

func readArticle(value []byte) (a article) {
	var v struct {
		ID     any    `json:"id"`
		Outlet string `json:"outlet"`
		Title  string `json:"title"`
	}
	if json.Unmarshal(value, &v) != nil {
		return article{}
	}
	a = article{Outlet: v.Outlet, Title: v.Title}
	if v.ID != nil {
		a.ID = fmt.Sprint(v.ID)
	}
	return a
}
