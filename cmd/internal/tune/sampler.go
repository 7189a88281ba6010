package tune

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// Sampler keeps a random sample of the documents that it is given: each has the same chance (Vitter 1985, algorithm R).
// It counts those that cannot be compared. Labelled documents are kept in any case, beside the sample.
type Sampler struct {
	SamplerParams // Most falls to what Bytes have room for
	random        *rand.Rand
	given         int           // documents
	met           int           // of them, those that are not labelled
	bytes         setting.Bytes // of those kept
	kept          []sampled
	dropped       bool // documents were dropped because of Bytes
	bad           int
	first         string   // why the first of them cannot be compared
	fields        []string // that it has, where it is an object of JSON

	labelled []sampled
	numbers  Numbers       // of labelled documents, as they were given
	size     setting.Bytes // of their texts
}

// sampled is a document: its text and scope, or its tokens.
type sampled struct {
	at     int // its number among all that the sampler was given
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
	Field string          // with tokens; empty for texts
	Names map[string]bool // of documents that are kept in any case; nil if there are none
}

// NewSampler makes an empty sample.
func NewSampler(p SamplerParams) *Sampler {
	return &Sampler{SamplerParams: p, random: rand.New(rand.NewPCG(p.Seed, 0))}
}

// AddFile takes the next record of files; named says that a number alone names no record.
func (s *Sampler) AddFile(r *corpus.Record, named bool) error {
	d, bad := s.ofFile(r)
	if bad != "" {
		s.skip(string(r.Name(nil, true)), bad, r.Raw)
	}
	return s.take(func() Ref { return RefOf(string(r.Name(nil, named)), r) }, d, bad)
}

// ofFile returns a document of a file, which refers to the record, or why it cannot be compared.
func (s *Sampler) ofFile(r *corpus.Record) (d sampled, bad string) {
	switch {
	case s.Field != "" && !r.Fault:
		return s.ofTokens(r.Raw)
	case r.Bad != nil:
		return d, rejection(r.Bad)
	}
	return sampled{text: r.Text, scope: r.Scope}, ""
}

// AddTopic takes the next record of a topic.
func (s *Sampler) AddTopic(ctx context.Context, r *topic.Record, topics *corpus.TopicReader) error {
	d, id, bad, err := s.ofTopic(ctx, r, topics)
	if err != nil {
		return err
	}
	s.numbers.topic = true
	if bad != "" {
		s.skip(corpus.CoordinatesOf(r), bad, r.Value)
	}
	return s.take(func() Ref {
		return Ref{cmp.Or(string(id), corpus.CoordinatesOf(r)), fmt.Sprintf("%s/%d", r.Topic, r.Partition), int(r.Offset)}
	}, d, bad)
}

func (s *Sampler) ofTopic(ctx context.Context, r *topic.Record, topics *corpus.TopicReader) (d sampled, id []byte, bad string,
	err error,
) {
	if s.Field != "" {
		d, bad = s.ofTokens(r.Value)
		return d, nil, bad, nil
	}
	read, why, err := topics.Read(ctx, r)
	switch {
	case err != nil:
		return d, nil, "", err
	case why != nil:
		return d, read.ID, rejection(why), nil
	}
	return sampled{text: read.Text, scope: read.Scope}, read.ID, "", nil
}

func rejection(why *document.Rejection) string { return string(why.Reason) + ": " + why.Detail }

// addLabelled keeps a document that is labelled. One that cannot be compared is kept without text, and so like no other.
func (s *Sampler) addLabelled(called func() Ref, d sampled) (known bool, err error) {
	s.given++
	if s.Names == nil {
		return false, nil
	}
	ref := called()
	if s.numbers.First == "" {
		s.numbers.First = ref.Name
	}
	if !s.Names[ref.Name] {
		return false, nil
	}
	d.text, d.at = slices.Clone(d.text), s.given
	s.numbers.Add(ref, s.given)
	s.labelled = append(s.labelled, d)
	if s.size += d.size(); s.Bytes > 0 && s.size > s.Bytes {
		return true, fmt.Errorf("the documents that are labelled have more text than --sample-bytes %v: raise it, or take fewer "+
			"labels", s.Bytes)
	}
	return true, nil
}

// take takes a document, or one that cannot be compared, which bad says. called is what a label calls it.
func (s *Sampler) take(called func() Ref, d sampled, bad string) error {
	known, err := s.addLabelled(called, d)
	if !known && err == nil && bad == "" {
		s.draw(d)
	}
	return err
}

func (s *Sampler) skip(name, why string, value []byte) {
	if s.bad++; s.bad > 1 {
		return
	}
	s.first = name + ": " + why
	var object map[string]json.RawMessage
	_ = json.Unmarshal(value, &object) // it may be of another format
	s.fields = slices.Sorted(maps.Keys(object))
}

// unread says that hardly a document can be compared, so that a sample of them says nothing.
func (s *Sampler) unread() error {
	read := s.given - s.bad
	if s.given > 0 && read*hardly >= s.given {
		return nil
	}
	if s.given == 0 {
		return errors.New("there is no document to try settings on: none was found there")
	}
	what, remedy := fmt.Sprintf("%d of %s can be compared", read, terminal.Several(s.given, "document")), "--fields"
	if read == 0 {
		what = "there is no document to try settings on: none of " + terminal.Several(s.given, "document") + " can be compared"
	}
	switch {
	case s.Field != "":
		remedy = "--tokens"
	case s.numbers.topic:
		remedy = "sources.text of the configuration"
	}
	what += ", the first is " + terminal.Printable(s.first, 200) + "; name the fields of yours that hold the text with " + remedy
	if len(s.fields) > 0 {
		what += " (the first has: " + terminal.Printable(strings.Join(s.fields, ", "), 400) + ")"
	}
	return errors.New(what)
}

// hardly is of how many documents one must be read.
const hardly = 20

// draw keeps the next document in the place that it draws, if there is one.
func (s *Sampler) draw(d sampled) {
	s.met++
	at := len(s.kept)
	if s.Most > 0 && at >= s.Most {
		if at = s.random.IntN(s.met); at >= s.Most {
			return
		}
	}
	d.text, d.at = slices.Clone(d.text), s.given
	s.put(at, d)
}

// put keeps a document. Once the bytes are exceeded, the sample keeps only as many documents as fit then. Documents are
// dropped at random, so those left still had the same chance.
func (s *Sampler) put(at int, d sampled) {
	if at == len(s.kept) {
		s.kept = append(s.kept, sampled{})
	}
	s.bytes += d.size() - s.kept[at].size()
	s.kept[at] = d
	for s.Bytes > 0 && s.bytes+s.size > s.Bytes && len(s.kept) > 1 {
		last := len(s.kept) - 1
		at := s.random.IntN(len(s.kept))
		s.bytes -= s.kept[at].size()
		s.kept[at], s.kept[last] = s.kept[last], sampled{}
		s.kept, s.Most, s.dropped = s.kept[:last], last, true
	}
}

// ofTokens returns a document of tokens, or why there is none.
func (s *Sampler) ofTokens(document []byte) (d sampled, bad string) {
	tokens, err := tokensOf(document, s.Field)
	if err != nil {
		return d, err.Error()
	}
	return sampled{tokens: tokens}, ""
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

// Numbers are those of the labelled documents in the sample. They are known once it is taken.
func (s *Sampler) Numbers() Numbers { return s.numbers }

// Sample returns what was kept, in the order in which it was given. It calls note with what was not kept, and why.
func (s *Sampler) Sample(note io.Writer, judge index.Params) (Sample, error) {
	kept, err := s.taken(note)
	if err != nil {
		return nil, err
	}
	if s.Field != "" {
		tokens := Tokens{Weighted: judge.Duplicates.Weighted}
		for _, d := range kept {
			tokens.Documents = append(tokens.Documents, d.tokens)
		}
		return tokens, nil
	}
	texts := Texts{Params: judge}
	for _, d := range kept {
		texts.Documents, texts.Scopes = append(texts.Documents, d.text), append(texts.Scopes, d.scope)
	}
	return texts, nil
}

// Texts does what Sample does, for who needs the texts alone.
func (s *Sampler) Texts(note io.Writer) (texts [][]byte, err error) {
	kept, err := s.taken(note)
	for _, d := range kept {
		texts = append(texts, d.text)
	}
	return texts, err
}

// taken returns what was kept, and numbers what is labelled.
func (s *Sampler) taken(note io.Writer) ([]sampled, error) {
	if err := s.unread(); err != nil {
		return nil, err
	}
	if s.bad > 0 {
		fmt.Fprintf(note, "unecho: %s passed over, the first is %s\n", terminal.Several(s.bad, "document"),
			terminal.Printable(s.first, 200))
	}
	if s.dropped {
		fmt.Fprintf(note, "unecho: the sample is %d of %s: as many as --sample-bytes %v has room for\n",
			len(s.kept), terminal.Several(s.met, "document"), s.Bytes)
	}
	kept := slices.Concat(s.labelled, s.kept)
	slices.SortFunc(kept, func(a, b sampled) int { return a.at - b.at })
	s.numbers.Renumber(func(number int) int {
		at, _ := slices.BinarySearchFunc(kept, number, func(d sampled, at int) int { return d.at - at })
		return at
	})
	return kept, nil
}
