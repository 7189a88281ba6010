package tune

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/internal/corpus"
)

// Sampler keeps a random sample of the documents that it is given: each has the same chance (Vitter 1985, algorithm R).
// It counts those that cannot be compared.
type Sampler struct {
	random    *rand.Rand
	most      int           // 0 is all
	mostBytes setting.Bytes // of their texts; 0 is no bound
	met       int
	bytes     setting.Bytes // of those kept
	kept      []sampled
	dropped   bool   // documents were dropped because of mostBytes
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

// SamplerParams say how much is kept.
type SamplerParams struct {
	Most  int           // documents; 0 is all
	Bytes setting.Bytes // of their texts, at the most; 0 is no bound
	Seed  uint64
	Field string // with tokens; empty for texts
}

// NewSampler makes an empty sample.
func NewSampler(p SamplerParams) *Sampler {
	return &Sampler{random: rand.New(rand.NewPCG(p.Seed, 0)), most: p.Most, mostBytes: p.Bytes, field: p.Field}
}

// AddFile takes the next record of files; named says that a number alone names no record.
func (s *Sampler) AddFile(r *corpus.Record, named bool) {
	switch {
	case s.field != "" && !r.Fault:
		s.addTokens(string(r.Name(nil, named)), r.Raw)
	case r.Bad != nil:
		s.reject(string(r.Name(nil, named)), r.Bad)
	default:
		s.addText(r.Text, r.Scope)
	}
}

// AddTopic takes the next record of a topic.
func (s *Sampler) AddTopic(ctx context.Context, r *topic.Record, topics *corpus.TopicReader) error {
	if s.field != "" {
		s.addTokens(corpus.CoordinatesOf(r), r.Value)
		return nil
	}
	read, bad, err := topics.Read(ctx, r)
	switch {
	case err != nil:
		return err
	case bad != nil:
		s.reject(corpus.CoordinatesOf(r), bad)
	default:
		s.addText(read.Text, read.Scope)
	}
	return nil
}

func (s *Sampler) reject(name string, why *document.Rejection) {
	s.passOver(name, string(why.Reason)+": "+why.Detail)
}

func (s *Sampler) passOver(name, why string) {
	if s.bad++; s.bad == 1 {
		s.first = name + ": " + why
	}
}

// place returns the place for the next document, or none if it is not kept.
func (s *Sampler) place() (at int, keep bool) {
	s.met++
	if s.most == 0 || len(s.kept) < s.most {
		return len(s.kept), true
	}
	at = s.random.IntN(s.met)
	return at, at < s.most
}

// put keeps a document. Once the bytes are exceeded, the sample keeps only as many documents as fit then. Documents are
// dropped at random, so those left still had the same chance.
func (s *Sampler) put(at int, d sampled) {
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

func (s *Sampler) addText(text []byte, scope uint64) {
	if at, keep := s.place(); keep {
		s.put(at, sampled{text: slices.Clone(text), scope: scope})
	}
}

func (s *Sampler) addTokens(name string, document []byte) {
	tokens, err := tokensOf(document, s.field)
	if err != nil {
		s.passOver(name, err.Error())
		return
	}
	if at, keep := s.place(); keep {
		s.put(at, sampled{tokens: tokens})
	}
}

// tokensOf reads an array of strings or numbers from a JSON object.
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

// Sample returns what was kept. It calls note with what was not kept, and why.
func (s *Sampler) Sample(note io.Writer, judge index.Params) (Sample, error) {
	if s.bad > 0 {
		fmt.Fprintf(note, "unecho: %s passed over, the first is %s\n", terminal.Several(s.bad, "document"),
			terminal.Printable(s.first, 200))
	}
	if s.met == 0 {
		return nil, errors.New("there is no document to try settings on")
	}
	if s.dropped {
		fmt.Fprintf(note, "unecho: the sample is %d of %s: as many as --sample-bytes %v has room for\n",
			len(s.kept), terminal.Several(s.met, "document"), s.mostBytes)
	}
	if s.field != "" {
		tokens := Tokens{Weighted: judge.Similarity.Weighted}
		for _, d := range s.kept {
			tokens.Documents = append(tokens.Documents, d.tokens)
		}
		return tokens, nil
	}
	texts := Texts{Params: judge}
	for _, d := range s.kept {
		texts.Documents, texts.Scopes = append(texts.Documents, d.text), append(texts.Scopes, d.scope)
	}
	return texts, nil
}
