package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/cmd/internal/written"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

func sketchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sketch FILE...",
		Short: "Print the sketch and the band keys of each document, for scripts and for learning",
		Long: "Print a line for each document: its id, its sketch (the codes of a MinHash in hex, the bits of a SimHash) and its band\n" +
			"keys in hex, separated by tabs. A document without text has neither.",
		Example: "  unecho sketch articles.jsonl\n" +
			"  echo 'one document' | unecho sketch - --slots 16\n" +
			"  unecho sketch --sketch simhash --bits 64 --distance 3 articles.jsonl",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runSketch(cmd, args) },
	}
	addCorpusFlags(cmd)
	cmd.Flags().Bool("json", false, "an object on each line: id, sketch, keys, shingles")
	addSettingFlags(cmd, "similarity", "text", "document.max_bytes", "document.invalid_utf8", "document.scope")
	return cmd
}

func runSketch(cmd *cobra.Command, args []string) (err error) {
	ctx, stop := exit.UntilSignal(cmd.Context(), cmd.ErrOrStderr())
	defer stop()
	defer exit.MarkInterrupted(ctx, &err)
	c, err := settingsOf(cmd, config.Default())
	if err != nil {
		return err
	}
	s, err := newSketcher(c.Judge)
	if err != nil {
		return err
	}
	in, _, err := openCorpus(cmd, args, c, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out := bufio.NewWriter(cmd.OutOrStdout())
	defer func() { err = errors.Join(err, out.Flush()) }()
	write := writeSketch
	if flagBool(cmd, "json") {
		write = writeSketchJSON
	}
	var name []byte
	return corpus.Each(ctx, in, func(r *corpus.Record) error {
		if name = r.Name(name[:0], len(args) != 1); r.Bad != nil {
			_, err := fmt.Fprintf(cmd.ErrOrStderr(), "unecho: %s is passed over: %s: %s\n", terminal.Printable(string(name), terminal.LongLine), r.Bad.Reason, terminal.Printable(r.Bad.Detail, terminal.LongLine))
			return err
		}
		return write(out, string(name), s.sign(r.Text, r.Scope))
	})
}

// sketched is what there is of a document's sketch. Its JSON is a promise to scripts.
type sketched struct {
	ID       string   `json:"id"`
	Sketch   string   `json:"sketch"`
	Keys     []string `json:"keys"`
	Shingles int      `json:"shingles"` // different ones
}

func writeSketch(out io.Writer, id string, s sketched) error {
	_, err := out.Write(written.AppendTSV(nil, id, s.Sketch, strings.Join(s.Keys, " ")))
	return err
}

func writeSketchJSON(out io.Writer, id string, s sketched) error {
	s.ID = id
	return json.NewEncoder(out).Encode(s)
}

// sketcher signs documents one after the other.
type sketcher struct {
	params     index.Params
	normalizer *text.Normalizer
	shingling  text.Shingling
	scheme     sketch.Scheme
	sketch     sketch.Sketch
}

func newSketcher(p index.Params) (*sketcher, error) {
	shingling, err := p.Similarity.Shingling()
	if err != nil {
		return nil, err
	}
	scheme, params, err := p.Similarity.Scheme()
	if err != nil {
		return nil, err
	}
	s, err := scheme.New(params)
	if err != nil {
		return nil, err
	}
	return &sketcher{params: p, normalizer: text.NewNormalizer(p.Text), shingling: shingling, scheme: scheme, sketch: s}, nil
}

func (s *sketcher) shingles(document []byte) []uint64 {
	return s.shingling.AppendHashes(nil, s.params.Similarity.Compared(s.normalizer.Append(nil, document)))
}

func (s *sketcher) sign(document []byte, scope uint64) sketched {
	hashes := s.shingles(document)
	if len(hashes) == 0 {
		return sketched{Keys: []string{}}
	}
	s.sketch.Sign(hashes)
	out := sketched{Shingles: len(text.Set(hashes)), Sketch: s.scheme.Text(s.sketch.AppendCodes(nil))}
	width := s.params.Similarity.KeyBytes
	for key := range slices.Chunk(s.sketch.AppendKeys(nil, scope, width), width) {
		out.Keys = append(out.Keys, fmt.Sprintf("%x", key))
	}
	return out
}
