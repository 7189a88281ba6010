package tune

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/text"
)

func addSampleFlags(cmd *cobra.Command) {
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Int("sample", 100_000, "take so many documents, at random; 0 takes all that --sample-bytes has room for")
		f.Text("sample-bytes", "size", "100MiB",
			"take no more text than this, which takes about 30 times as much memory; 0 has no bound")
		f.Uint64("seed", 1, "of what is random")
		f.Text("topic", "topic", "", "read documents from this topic instead of files")
		f.Int64("documents", 0, "of the topic, the newest so many")
		f.Text("from", "time", "", "of the topic, what is not older than this: a time such as 2026-11-21T08:00:00Z, or how "+
			"long ago, such as 24h")
		f.Text("to", "time", "", "of the topic, what is older than this")
	})
}

// sampling says how much is kept, as those flags do.
func sampling(cmd *cobra.Command) (p SamplerParams, err error) {
	p.Most, p.Seed = cmdline.Int(cmd, "sample"), cmdline.Uint64(cmd, "seed")
	if p.Most < 0 {
		return p, exit.Usage(fmt.Errorf("--sample %d: write a number of documents, or 0 for all", p.Most))
	}
	p.Bytes, err = cmdline.Size(cmd, "sample-bytes")
	return p, err
}

func samplerOf(cmd *cobra.Command, labels *Labels) (*Sampler, error) {
	p, err := sampling(cmd)
	p.Field = cmdline.Text(cmd, "tokens")
	if labels != nil {
		p.Names = labels.Names()
	}
	if cmdline.Text(cmd, "grid") == PublishedGrid && !cmd.Flag("sample").Changed {
		p.Most = PublishedSample
	}
	return NewSampler(p), err
}

// readSample reads the documents. It returns the numbers of those that are labelled as well.
func readSample(ctx context.Context, cmd *cobra.Command, args []string, c config.Config,
	out outfile.Files, labels *Labels,
) (sample Sample, numbers Numbers, err error) {
	s, err := samplerOf(cmd, labels)
	if err != nil {
		return nil, numbers, err
	}
	if err := fillSample(ctx, cmd, args, c, out, s); err != nil {
		return nil, numbers, err
	}
	sample, err = s.Sample(cmd.ErrOrStderr(), c.Judge)
	return sample, s.Numbers(), err
}

func fillSample(ctx context.Context, cmd *cobra.Command, args []string, c config.Config, out outfile.Files, s *Sampler) error {
	name := cmdline.Text(cmd, "topic")
	switch {
	case name != "" && (len(args) > 0 || cmd.Flag("files-from").Changed):
		return exit.Usage(errors.New("name files or a --topic, not both"))
	case name != "":
		err := readTopic(ctx, cmd, c, name, s)
		if ctx.Err() != nil {
			return cmdline.ErrUnread
		}
		return err
	}
	return cmdline.EachRecord(ctx, cmd, args, c, out, func(r *corpus.Record) error { return s.AddFile(r, len(args) != 1) })
}

func readTopic(ctx context.Context, cmd *cobra.Command, c config.Config, name string, s *Sampler) error {
	span, err := ParseSpan(cmdline.Text(cmd, "from"), cmdline.Text(cmd, "to"), cmdline.Int64(cmd, "documents"), time.Now())
	if err != nil {
		return err
	}
	opts, reader, err := target.Records(cmd, c)
	if err != nil {
		return err
	}
	bar := terminal.NewProgress(cmd.ErrOrStderr(), -1)
	defer bar.End()
	return topic.ReadSpan(ctx, opts, name, span, func(r *topic.Record) error {
		bar.Documents++
		bar.Add(len(r.Value))
		return s.AddTopic(ctx, r, reader)
	})
}

// ParseSpan returns the part of a topic that --from, --to and --documents name.
func ParseSpan(from, to string, documents int64, now time.Time) (span topic.Span, err error) {
	if span.From, err = parseTime("from", from, now); err != nil {
		return span, err
	}
	if span.To, err = parseTime("to", to, now); err != nil {
		return span, err
	}
	if !span.From.IsZero() && !span.To.IsZero() && !span.From.Before(span.To) {
		return span, exit.Usage(errors.New("--from is not before --to: nothing is between them"))
	}
	if span.Last = documents; documents < 0 {
		return span, exit.Usage(fmt.Errorf("--documents %d: write a number above 0", documents))
	}
	return span, nil
}

// parseTime reads a time, or how long ago it was; the zero time if nothing is given.
func parseTime(flag, value string, now time.Time) (time.Time, error) {
	value = strings.TrimSpace(value)
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
	return time.Time{}, exit.Usage(
		fmt.Errorf("--%s %s: write a time such as 2026-11-21T08:00:00Z or 2026-11-21 (UTC), or how long ago, such as 24h",
			flag, value))
}

// Sample is the documents that settings are tried on.
type Sample interface {
	// Len is the number of documents.
	Len() int
	// Sets returns the hashes of each document's shingles, in order: each once, or as often as it occurs if shingles
	// are weighted. A document without text has none.
	Sets(of source) ([][]uint64, error)
	// Sign signs each document, in order. One that is rejected for its length is empty, as one without text is.
	Sign(p index.Params) ([]entry.Entry, error)
}

// Texts are documents as they come in, before they are normalised.
type Texts struct {
	Params    index.Params // without shingle and
	Documents [][]byte
	Scopes    []uint64 // of the documents, which are compared within the same only; nil is one for all
}

// Len is the number of documents.
func (t Texts) Len() int { return len(t.Documents) }

// Sets are made as the service makes them.
func (t Texts) Sets(of source) ([][]uint64, error) {
	p := t.Params
	if p.Duplicates.Shingle, p.Duplicates.Hash = of.shingle, of.hash; !of.ignores {
		p.Duplicates.Ignored = text.Ignored{}
	}
	shingling, err := p.Duplicates.Shingling()
	if err != nil {
		return nil, err
	}
	var (
		normalizer = text.NewNormalizer(p.Normalize)
		normalized []byte
		hashes     []uint64
		sets       = make([][]uint64, len(t.Documents))
	)
	for i, d := range t.Documents {
		normalized = normalizer.Append(normalized[:0], d)
		hashes = shingling.AppendHashes(hashes[:0], normalized)
		if t.Scopes != nil {
			for k := range hashes {
				hashes[k] ^= t.Scopes[i] // so that nothing is shared across scopes, and as much as before within a scope
			}
		}
		sets[i] = slices.Clone(inOrder(hashes, p.Duplicates.Weighted))
	}
	return sets, nil
}

// inOrder sorts hashes in place.
func inOrder(hashes []uint64, weighted bool) []uint64 {
	if !weighted {
		return text.Set(hashes)
	}
	slices.Sort(hashes)
	return hashes
}

// Sign signs the documents as the service does.
func (t Texts) Sign(p index.Params) ([]entry.Entry, error) {
	signer, err := index.NewSigner(p)
	if err != nil {
		return nil, err
	}
	entries := make([]entry.Entry, len(t.Documents))
	for i := range entries {
		if t.Scopes != nil {
			entries[i].Scope = t.Scopes[i]
		}
		signer.Sign(&entries[i], t.Documents[i])
		keep(&entries[i], signer)
	}
	return entries, nil
}

// keep keeps an entry when the memory of its signer is used again.
func keep(e *entry.Entry, signer *index.Signer) {
	*e = e.Clone()
	signer.Reset()
}

// Tokens are documents that are already cut: a run of N tokens is a shingle, like one of N words.
type Tokens struct {
	Documents [][][]byte
	Weighted  bool // a shingle counts as often as it occurs
}

// Len is the number of documents.
func (t Tokens) Len() int { return len(t.Documents) }

// Sets returns shingles of the tokens as they are.
func (t Tokens) Sets(of source) ([][]uint64, error) {
	sets, err := t.hashes(of.shingle, of.hash)
	for i := range sets {
		sets[i] = inOrder(sets[i], t.Weighted)
	}
	return sets, err
}

// Sign signs the tokens as if each were a word. There is no text to keep.
func (t Tokens) Sign(p index.Params) ([]entry.Entry, error) {
	p.Duplicates.Evidence = "shingles"
	signer, err := index.NewSigner(p)
	if err != nil {
		return nil, err
	}
	hashes, err := t.hashes(p.Duplicates.Shingle, p.Duplicates.Hash)
	entries := make([]entry.Entry, len(hashes))
	for i := range entries {
		signer.SignShingles(&entries[i], hashes[i])
		keep(&entries[i], signer)
	}
	return entries, err
}

// hashes returns the hashes of each document's shingles as they follow each other. There are no shingles of characters.
func (t Tokens) hashes(shingle, hash string) ([][]uint64, error) {
	shingling, err := text.ParseShingling(shingle)
	if err != nil {
		return nil, err
	}
	h, err := text.ParseHash(hash)
	if err != nil {
		return nil, err
	}
	if !shingling.OfWords() {
		return nil, fmt.Errorf("shingle %s: tokens are taken as they are: write word:N, runs of N tokens", shingle)
	}
	all := make([][]uint64, len(t.Documents))
	for i, d := range t.Documents {
		all[i] = shingling.Hashed(h).AppendTokenHashes(nil, d)
	}
	return all, nil
}
