package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/time/rate"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/eval/synthetic"
)

// ProduceCommand is the verb produce.
func ProduceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "produce FILE|--feed N",
		Short: "Send the lines of a file to the source topic, each as one document",
		Long: "Send the lines of FILE (- is standard input) to the source topic, each as one document. Empty lines are " +
			"passed over.\n" +
			"--feed sends articles of the demo instead: JSON objects with id, title and text, about a third of them copies.",
		Example: "  unecho produce articles.jsonl\n" +
			"  zcat articles.jsonl.gz | unecho produce -\n" +
			"  unecho produce --feed 100000 --pace 50",
		Args: cmdline.AtMost(1, "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return produce(cmd, args) },
	}
	target.AddSourceFlags(cmd)
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Int("feed", 0, "send so many articles of the demo, in place of a file")
		f.Uint64("seed", synthetic.DefaultParams().Seed, "of --feed: the same seed gives the same articles")
		f.Float64("pace", 0, "documents a second; 0 is full speed")
	})
	return cmd
}

func produce(cmd *cobra.Command, args []string) (err error) {
	ctx, stop := exit.UntilSignal(cmd.Context(), cmd.ErrOrStderr())
	defer stop()
	defer exit.MarkInterrupted(ctx, &err)
	p, pace := synthetic.DefaultParams(), cmdline.Float(cmd, "pace")
	p.Documents, p.Seed = cmdline.Int(cmd, "feed"), cmdline.Uint64(cmd, "seed")
	if (len(args) == 1) == (p.Documents != 0) {
		return exit.Usage(errors.New("name what is sent: FILE, or --feed N"))
	}
	docs, err := Open(strings.Join(args, ""), p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, docs.Close()) }()
	s, source, err := target.Source(cmd)
	if err != nil {
		return err
	}
	if pace < 0 {
		return exit.Usage(errors.New("--pace is at least 0"))
	}
	if err := topic.Reach(ctx, s.Kafka, source); err != nil {
		return err
	}
	writer, err := topic.NewWriter(ctx, s.Kafka, source)
	if err != nil {
		return err
	}
	defer writer.Close()
	progress := terminal.NewProgress(cmd.ErrOrStderr(), docs.size)
	asTheyAre := func(_ int, line []byte) []byte { return bytes.Clone(line) }
	stopped, err := docs.send(ctx, writer, pace, progress, asTheyAre)
	if err != nil {
		return err
	}
	if _, err = fmt.Fprintf(cmd.OutOrStdout(), "sent %d documents to %s\n", progress.Documents, source); err == nil && stopped {
		err = errors.New("stopped before all documents were sent")
	}
	return err
}

// Documents are what is sent: the lines of a file, or articles.
type Documents struct {
	size     int64 // bytes; -1: not known
	expected int   // documents; 0: not known
	// each calls send with each document and the line of the file where it stands. It calls read with the bytes that were
	// read. The document is valid until send returns.
	each func(ctx context.Context, read func(int), send func(line int, document []byte) error) error
	// Close closes what was opened.
	Close func() error
}

// Open opens the named file, or else makes articles. It is called before anything is started, so that a wrong name is
// noticed first.
func Open(file string, p synthetic.Params) (*Documents, error) {
	if file != "" {
		in, size, err := corpus.OpenLines(file)
		if err != nil {
			return nil, exit.NotThere(err)
		}
		each := func(ctx context.Context, read func(int), send func(int, []byte) error) error {
			return corpus.EachLine(ctx, in, read, send)
		}
		return &Documents{size, 0, each, in.Close}, nil
	}
	articles, err := synthetic.NewArticles(p)
	if err != nil {
		return nil, exit.Usage(err)
	}
	each := func(ctx context.Context, _ func(int), send func(int, []byte) error) error {
		for doc, more := articles.Next(); more && ctx.Err() == nil; doc, more = articles.Next() {
			if err := send(0, doc.Value()); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
	return &Documents{-1, p.Documents, each, func() error { return nil }}, nil
}

// send sends the values of the documents at a pace, of documents a second; 0 is full speed. stopped says that ctx was done
// first. What was sent is counted in progress, and acknowledged. valueOf copies what it takes of a document.
func (d *Documents) send(ctx context.Context, w *topic.Writer, pace float64, progress *terminal.Progress,
	valueOf func(line int, document []byte) []byte,
) (stopped bool, err error) {
	limit := rate.NewLimiter(rate.Inf, 1)
	if pace > 0 {
		limit.SetLimit(rate.Limit(pace))
	}
	err = d.each(ctx, progress.Add, func(line int, document []byte) error {
		if err := limit.Wait(ctx); err != nil {
			return err
		}
		progress.Documents++
		return w.Write(ctx, nil, valueOf(line, document))
	})
	stopped = errors.Is(err, context.Canceled)
	if flushed := w.Flush(context.WithoutCancel(ctx)); err == nil || stopped {
		err = flushed
	}
	progress.End()
	return stopped, err
}

// object makes an object of a line that is a string. Any other line is a document as it is: the filter rejects what is
// no object, with a reason.
func object(line int, document []byte) []byte {
	var text string
	if bytes.TrimSpace(document)[0] != '"' || json.Unmarshal(document, &text) != nil {
		return bytes.Clone(document)
	}
	value, err := json.Marshal(struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	}{fmt.Sprintf("line-%d", line), text})
	if err != nil {
		panic(err) // strings
	}
	return value
}
