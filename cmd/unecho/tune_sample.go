package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/cmd/internal/tune"
	"github.com/unecho/unecho/cmd/internal/written"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/setting"
)

// publishedSample is how many documents the published grid is tried on.
const publishedSample = 4000

func addSampleFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Int("sample", 100_000, "take so many documents, at random; 0 takes all that --sample-bytes has room for")
	flags.String("sample-bytes", "100MiB", "take no more text than this, which takes about 30 times as much memory; 0 has no bound")
	flags.Uint64("seed", 1, "of the sample, and of the order under --budget")
	flags.String("tokens", "", "the field of a JSON document with an array of tokens, which are taken as they are instead of a text")
	flags.String("topic", "", "read documents from this topic instead of files")
	flags.Int64("documents", 0, "of the topic, the newest so many")
	flags.String("from", "", "of the topic, what is not older than this: a time such as 2026-11-21T08:00:00Z, or how long ago, such as 24h")
	flags.String("to", "", "of the topic, what is older than this")
	addEmbeddedFlag(cmd)
}

func tokensField(cmd *cobra.Command) string { return cmd.Flag("tokens").Value.String() }

// sampler keeps some of the documents that it is shown: each has the same chance (Vitter 1985, algorithm R). Those that cannot
// be compared are counted.
type sampler struct {
	random    *rand.Rand
	most      int           // 0 is all
	mostBytes setting.Bytes // of their texts; 0 is no bound
	met       int
	bytes     setting.Bytes // of those kept
	kept      []sampled
	dropped   bool   // they were too many for mostBytes
	field     string // with tokens; empty for texts
	bad       int
	first     string // why the first of them cannot be compared
}

// sampled is a document: its text and scope, or its tokens.
type sampled struct {
	text   []byte
	scope  uint64
	tokens [][]byte
}

func (d *sampled) size() setting.Bytes {
	n := len(d.text)
	for _, token := range d.tokens {
		n += len(token) + len(" ")
	}
	return setting.Bytes(n)
}

func newSampler(cmd *cobra.Command) (*sampler, error) {
	most, err := cmd.Flags().GetInt("sample")
	if err != nil {
		return nil, err
	}
	if cmd.Flag("grid").Value.String() == publishedGrid && !cmd.Flag("sample").Changed {
		most = publishedSample
	}
	if most < 0 {
		return nil, exit.Usage(fmt.Errorf("--sample %d: write a number of documents, or 0 for all", most))
	}
	var mostBytes setting.Bytes
	if err := mostBytes.UnmarshalText([]byte(cmd.Flag("sample-bytes").Value.String())); err != nil {
		return nil, exit.Usage(fmt.Errorf("--sample-bytes: %w", err))
	}
	seed, err := cmd.Flags().GetUint64("seed")
	return &sampler{random: rand.New(rand.NewPCG(seed, 0)), most: most, mostBytes: mostBytes, field: tokensField(cmd)}, err
}

func (s *sampler) reject(name, why string) {
	if s.bad++; s.bad == 1 {
		s.first = name + ": " + why
	}
}

// place is where the next document goes; none if it is not kept.
func (s *sampler) place() (at int, keep bool) {
	s.met++
	if s.most == 0 || len(s.kept) < s.most {
		return len(s.kept), true
	}
	at = s.random.IntN(s.met)
	return at, at < s.most
}

// put keeps a document. From the first that is too much on, the sample has no more documents than fit then: any of them gives
// way, so that what is left still had the same chance.
func (s *sampler) put(at int, d sampled) {
	if at == len(s.kept) {
		s.kept = append(s.kept, sampled{})
	}
	s.bytes += d.size() - s.kept[at].size()
	s.kept[at] = d
	for s.mostBytes > 0 && s.bytes > s.mostBytes && len(s.kept) > 1 {
		last := len(s.kept) - 1
		at := s.random.IntN(len(s.kept))
		s.bytes -= s.kept[at].size()
		s.kept[at], s.kept[last] = s.kept[last], sampled{}
		s.kept, s.most, s.dropped = s.kept[:last], last, true
	}
}

func (s *sampler) addText(text []byte, scope uint64) {
	if at, keep := s.place(); keep {
		s.put(at, sampled{text: slices.Clone(text), scope: scope})
	}
}

func (s *sampler) addTokens(name string, document []byte) {
	tokens, err := tokensOf(document, s.field)
	if err != nil {
		s.reject(name, err.Error())
		return
	}
	if at, keep := s.place(); keep {
		s.put(at, sampled{tokens: tokens})
	}
}

// tokensOf takes an array of strings or numbers out of a JSON object.
func tokensOf(document []byte, field string) ([][]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(document, &fields); err != nil {
		return nil, errors.New("invalid_json: a JSON object is expected")
	}
	raw, ok := fields[field]
	if !ok {
		return nil, fmt.Errorf("missing_field: there is no field %q", field)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || list == nil {
		return nil, fmt.Errorf("wrong_type: the field %q is no array", field)
	}
	tokens := make([][]byte, len(list))
	for i, raw := range list {
		switch raw[0] {
		case '"':
			var token string
			if err := json.Unmarshal(raw, &token); err != nil {
				return nil, fmt.Errorf("invalid_json: element %d of the field %q", i+1, field)
			}
			tokens[i] = []byte(token)
		case '{', '[', 'n', 't', 'f':
			return nil, fmt.Errorf("wrong_type: element %d of the field %q is neither string nor number", i+1, field)
		default:
			tokens[i] = bytes.Clone(raw)
		}
	}
	return tokens, nil
}

// sample is what was kept.
func (s *sampler) sample(cmd *cobra.Command, c config.Config) (tune.Sample, error) {
	if s.bad > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "unecho: %s passed over, the first is %s\n", terminal.Several(s.bad, "document"), terminal.Printable(s.first, 200))
	}
	if s.met == 0 {
		return nil, errors.New("there is no document to try settings on")
	}
	if s.dropped {
		fmt.Fprintf(cmd.ErrOrStderr(), "unecho: the sample is %d of %s: as many as --sample-bytes %v has room for\n",
			len(s.kept), terminal.Several(s.met, "document"), s.mostBytes)
	}
	if s.field != "" {
		tokens := tune.Tokens{Weighted: c.Judge.Similarity.Weighted}
		for _, d := range s.kept {
			tokens.Documents = append(tokens.Documents, d.tokens)
		}
		return tokens, nil
	}
	texts := tune.Texts{Params: c.Judge}
	for _, d := range s.kept {
		texts.Documents, texts.Scopes = append(texts.Documents, d.text), append(texts.Scopes, d.scope)
	}
	return texts, nil
}

// readSample reads the documents.
func readSample(ctx context.Context, cmd *cobra.Command, args []string, c config.Config, out written.Files) (tune.Sample, error) {
	s, err := newSampler(cmd)
	if err != nil {
		return nil, err
	}
	name := cmd.Flag("topic").Value.String()
	switch {
	case name != "" && (len(args) > 0 || cmd.Flag("files-from").Changed):
		return nil, exit.Usage(errors.New("name files or a --topic, not both"))
	case name != "":
		err = s.readTopic(ctx, cmd, c, name)
	default:
		for _, flag := range []string{"documents", "from", "to"} {
			if cmd.Flag(flag).Changed {
				return nil, exit.Usage(fmt.Errorf("--%s is about a topic: name one by --topic", flag))
			}
		}
		err = s.readFiles(ctx, cmd, args, c, out)
	}
	if ctx.Err() != nil {
		return nil, errUnread
	}
	if err != nil {
		return nil, err
	}
	return s.sample(cmd, c)
}

func (s *sampler) readFiles(ctx context.Context, cmd *cobra.Command, args []string, c config.Config, out written.Files) (err error) {
	in, size, err := openCorpus(cmd, args, c, out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	bar := terminal.NewProgress(cmd.ErrOrStderr(), size)
	defer bar.End()
	return corpus.Each(ctx, in, func(r *corpus.Record) error {
		bar.Documents++
		read, files := in.Read()
		bar.Files = files
		bar.At(read)
		switch {
		case s.field != "":
			s.addTokens(string(r.Name(nil, len(args) != 1)), r.Raw)
		case r.Bad != nil:
			s.reject(string(r.Name(nil, len(args) != 1)), string(r.Bad.Reason)+": "+r.Bad.Detail)
		default:
			s.addText(r.Text, r.Scope)
		}
		return nil
	})
}

func (s *sampler) readTopic(ctx context.Context, cmd *cobra.Command, c config.Config, name string) error {
	span, err := spanOf(cmd, time.Now())
	if err != nil {
		return err
	}
	records, err := newRecords(cmd, c)
	if err != nil {
		return err
	}
	bar := terminal.NewProgress(cmd.ErrOrStderr(), -1)
	defer bar.End()
	return topic.ReadSpan(ctx, records.options, name, span, func(r *topic.Record) error {
		bar.Documents++
		bar.Add(len(r.Value))
		if s.field != "" {
			s.addTokens(coordinatesOf(r), r.Value)
			return nil
		}
		read, bad, err := records.read(ctx, r)
		if err != nil {
			return err
		}
		if bad != nil {
			s.reject(coordinatesOf(r), string(bad.Reason)+": "+bad.Detail)
			return nil
		}
		s.addText(read.Text, read.Scope)
		return nil
	})
}

// spanOf is the part of the topic that the flags name.
func spanOf(cmd *cobra.Command, now time.Time) (span topic.Span, err error) {
	if span.From, err = timeOf(cmd, "from", now); err != nil {
		return span, err
	}
	if span.To, err = timeOf(cmd, "to", now); err != nil {
		return span, err
	}
	if !span.From.IsZero() && !span.To.IsZero() && !span.From.Before(span.To) {
		return span, exit.Usage(errors.New("--from is not before --to: nothing is between them"))
	}
	span.Last, err = cmd.Flags().GetInt64("documents")
	if err == nil && span.Last < 0 {
		err = exit.Usage(fmt.Errorf("--documents %d: write a number above 0", span.Last))
	}
	return span, err
}

// timeOf reads a time, or how long ago it was; the zero time if the flag is not given.
func timeOf(cmd *cobra.Command, flag string, now time.Time) (time.Time, error) {
	value := strings.TrimSpace(cmd.Flag(flag).Value.String())
	if value == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(value); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, value); err == nil {
			return t, nil
		}
	}
	return time.Time{}, exit.Usage(fmt.Errorf("--%s %s: write a time such as 2026-11-21T08:00:00Z or 2026-11-21 (UTC), or how long ago, such as 24h", flag, value))
}
