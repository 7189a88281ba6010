package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/explain"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
)

func explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain A B",
		Short: "Say how similar two documents are, by each measure, and why they are duplicates or not",
		Long: "Say how similar two documents are, by each measure, what the service would decide if B came after A, why, and which\n" +
			"setting would have it decide otherwise. A document is a file, TOPIC/PARTITION/OFFSET (with --config), or a text.",
		Example: "  unecho explain 'the cat sat in the hat' 'the cat sat on the mat' --shingle word:1\n" +
			"  unecho explain one.txt other.txt --json\n" +
			"  unecho explain --config unecho.yaml news/3/17 news/0/12",
		Args: exactly("A", "B"),
		RunE: func(cmd *cobra.Command, args []string) error { return runExplain(cmd, args) },
	}
	cmd.Flags().Bool("json", false, "all of it as one JSON object")
	addSettingFlags(cmd, "similarity", "text")
	return cmd
}

func runExplain(cmd *cobra.Command, args []string) error {
	ctx, stop := untilSignal(cmd.Context(), cmd.ErrOrStderr())
	defer stop()
	c, err := settingsOf(cmd, config.Default())
	if err != nil {
		return err
	}
	var texts [2][]byte
	for i, arg := range args {
		if texts[i], err = documentOf(ctx, cmd, c, arg); err != nil {
			return err
		}
	}
	x, err := explain.Explain(c.Judge, texts[0], texts[1])
	if err != nil {
		return err
	}
	if flagBool(cmd, "json") {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(x)
	}
	return writeExplanation(cmd.OutOrStdout(), c.Judge, x)
}

// documentOf is the document that an argument names: a file, a record, or itself.
func documentOf(ctx context.Context, cmd *cobra.Command, c config.Config, arg string) ([]byte, error) {
	if arg == "-" {
		return io.ReadAll(io.LimitReader(os.Stdin, int64(c.Document.MaxBytes)))
	}
	if text, err := os.ReadFile(arg); err == nil || !errors.Is(err, fs.ErrNotExist) && !strings.Contains(arg, " ") {
		return text, err
	}
	name, partition, offset, ok := coordinates(arg)
	if !ok || !cmd.Flag("config").Changed {
		return []byte(arg), nil
	}
	logger, err := newLogger(cmd.ErrOrStderr(), c.Log)
	if err != nil {
		return nil, err
	}
	opts, err := broker.Options(c.Kafka, logger)
	if err != nil {
		return nil, err
	}
	record, err := topic.ReadAt(ctx, opts, name, partition, offset)
	if err != nil {
		return nil, err
	}
	return textOf(c, record)
}

// coordinates reads TOPIC/PARTITION/OFFSET.
func coordinates(arg string) (name string, partition int32, offset int64, ok bool) {
	parts := strings.Split(arg, "/")
	if len(parts) != 3 {
		return "", 0, 0, false
	}
	number, err := strconv.ParseInt(parts[1], 10, 32)
	if err != nil || number < 0 {
		return "", 0, 0, false
	}
	offset, err = strconv.ParseInt(parts[2], 10, 64)
	return parts[0], int32(number), offset, err == nil && offset >= 0 && parts[0] != ""
}

// textOf reads a record as the service does.
func textOf(c config.Config, record *topic.Record) ([]byte, error) {
	reader, err := document.New(c.Document)
	if err != nil {
		return nil, err
	}
	in := document.Input{Key: record.Key, Value: record.Value, Partition: record.Partition}
	for _, h := range record.Headers {
		in.Headers = append(in.Headers, document.Header(h))
	}
	read, bad := reader.Read(in, nil)
	if bad != nil {
		return nil, fmt.Errorf("%s/%d/%d would be rejected: %s: %s", record.Topic, record.Partition, record.Offset, bad.Reason, bad.Detail)
	}
	return read.Text, nil
}

// writeExplanation writes it for people.
func writeExplanation(out io.Writer, p index.Params, x *explain.Explanation) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-14s "+format+"\n", append([]any{name}, args...)...)
	}
	line("A", "%d bytes, %d shingles (%s)", x.A.Bytes, x.A.Shingles, p.Similarity.Shingle)
	line("B", "%d bytes, %d shingles", x.B.Bytes, x.B.Shingles)
	b.WriteByte('\n')
	line("exact Jaccard", "%.4f  %d shingles of %d are shared", x.Jaccard.Value, x.Jaccard.Part, x.Jaccard.Whole)
	writeSketches(line, p, x)
	line("Levenshtein", "%.4f  of the normalised texts", x.Levenshtein)
	b.WriteByte('\n')
	line("verdict", "%s: %s", x.Verdict, x.Why)
	if x.Flip != "" {
		line("otherwise", "with %s", x.Flip)
	}
	b.WriteByte('\n')
	writeSome(line, "only in A", x.A.Only)
	writeSome(line, "only in B", x.B.Only)
	writeDiff(&b, x.Diff(), terminal(out))
	_, err := io.WriteString(out, b.String())
	return err
}

func writeSketches(line func(name, format string, args ...any), p index.Params, x *explain.Explanation) {
	s := x.Sketch
	if p.Similarity.Sketch == "simhash" {
		line("Hamming", "%.4f  %d of %d bits differ", x.Estimate.Value, s.Hamming, s.Bits)
		line("blocks", "%d of %d keys are equal", len(s.MatchingBands), s.Bands)
		return
	}
	line("estimate", "%.4f  %d slots of %d match; off by %+.4f", x.Estimate.Value, s.MatchingSlots, s.Slots, x.Error)
	line("bands", "%d of %d are equal, of %d rows each; pairs so similar share one with a probability of %.4f",
		len(s.MatchingBands), s.Bands, s.Rows, s.Probability)
}

// writeSome writes the first few of a list of shingles.
func writeSome(line func(name, format string, args ...any), name string, shingles []string) {
	const most = 8
	if len(shingles) == 0 {
		return
	}
	var quoted []string
	for _, s := range shingles[:min(most, len(shingles))] {
		quoted = append(quoted, strconv.Quote(s))
	}
	more := ""
	if len(shingles) > most {
		more = fmt.Sprintf(" and %d more (--json has all)", len(shingles)-most)
	}
	line(name, "%s%s", strings.Join(quoted, ", "), more)
}

// mostColumns of a run of words are shown: where texts have little in common, the rest says nothing.
const mostColumns = 400

// writeDiff writes what differs word by word: in colour on a terminal, else between brackets.
func writeDiff(b *strings.Builder, pieces []explain.Piece, colour bool) {
	if len(pieces) == 0 {
		return
	}
	marks := map[explain.Side][2]string{
		explain.OnlyA: {"[-", "-]"}, explain.OnlyB: {"{+", "+}"}, explain.Both: {"", ""}, explain.Elided: {"...", ""},
	}
	if colour {
		marks[explain.OnlyA], marks[explain.OnlyB] = [2]string{"\x1b[31m", "\x1b[0m"}, [2]string{"\x1b[32m", "\x1b[0m"}
	}
	b.WriteByte('\n')
	for i, piece := range pieces {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(marks[piece.In][0] + printable(piece.Words, mostColumns) + marks[piece.In][1])
	}
	b.WriteByte('\n')
}
