package index_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

var update = flag.Bool("update", false, "rewrite the stories' answers")

// TestStories walks transcripts of journals. A line without indentation is a record, or a line that sets the scene;
// what follows it, indented, is what the replica answered. -update writes the answers anew: commit a difference only if
// you can explain it.
func TestStories(t *testing.T) {
	paths, err := filepath.Glob("testdata/stories/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := newStory(t).tell(string(text))
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			} else if got != string(text) {
				t.Errorf("the story went otherwise:\n%s", got)
			}
		})
	}
}

// story is a replica, with a journal that the lines of a transcript write.
type story struct {
	t       *testing.T
	params  index.Params
	replica *index.Replica
	signer  *index.Signer
	at      index.Stamp
	skew    int64 // of the appender's clock, ms
	hashes  map[int64]uint64
}

const storyStart = 1_000_000 // ms

func newStory(t *testing.T) *story {
	t.Helper()
	p := index.DefaultParams()
	p.Duplicates.Shingle = "word:1"
	p.Duplicates.Remember.Tolerance = time.Minute
	s := &story{t: t, params: p, at: index.Stamp{LogAppendTime: storyStart}, hashes: map[int64]uint64{}}
	s.begin()
	return s
}

func (s *story) begin() {
	s.replica = newReplica(s.t, s.params)
	signer, err := index.NewSigner(s.params)
	if err != nil {
		s.t.Fatal(err)
	}
	s.signer = signer
}

func (s *story) tell(text string) string {
	var out strings.Builder
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "  ") {
			continue
		}
		fmt.Fprintln(&out, line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		for _, answer := range s.line(strings.Fields(line)) {
			fmt.Fprintln(&out, "  "+answer)
		}
	}
	return out.String()
}

// scan reads the words of a line. It fails the test on a line that does not have the format.
func (s *story) scan(words []string, format string, into ...any) {
	s.t.Helper()
	if _, err := fmt.Sscanf(strings.Join(words, " "), format, into...); err != nil {
		s.t.Fatalf("%q is not %q: %v", words, format, err)
	}
}

func (s *story) line(words []string) []string {
	switch words[0] {
	case "window": // window age=10s count=2 clock=event refresh=last reemit_every=5s keep=all
		return s.window(words[1:])
	case "lookup": // lookup 2 some_text: the two nearest
		return s.lookup(words[1:])
	case "wait": // wait 5s
		s.at.LogAppendTime += s.duration(words[1]).Milliseconds()
		return nil
	case "clock": // clock +90s: the appender's clock is off by so much
		s.skew = s.duration(words[1]).Milliseconds()
		return nil
	case "restore":
		s.replica = restored(s.t, s.params, s.replica, false)
		return nil
	case "state":
		return []string{s.state()}
	}
	return s.apply(s.record(words))
}

func (s *story) window(words []string) []string {
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		switch name {
		case "age":
			s.params.Duplicates.Remember.Age = s.duration(value)
		case "refresh":
			s.params.Duplicates.Remember.Refresh = value
		case "reemit_every":
			s.params.Duplicates.Remember.ReemitEvery = s.duration(value)
		case "compare_copies":
			s.params.Duplicates.CompareCopies = value == "true"
		case "documents":
			s.scan([]string{value}, "%d", &s.params.Duplicates.Remember.Documents)
		case "memory":
			s.scan([]string{value}, "%d", &s.params.Duplicates.Remember.Memory)
		case "clock":
			s.params.Duplicates.Remember.Clock = value
		default:
			s.t.Fatalf("unknown bound %q", w)
		}
	}
	s.begin()
	return nil
}

func (s *story) duration(word string) time.Duration {
	s.t.Helper()
	d, err := time.ParseDuration(strings.TrimPrefix(word, "+"))
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

func (s *story) lookup(words []string) (answers []string) {
	var most int
	s.scan(words[:1], "%d", &most)
	e := s.entry("0=" + words[1])
	for _, m := range s.replica.Lookup(&e, most) {
		answers = append(answers, "would be "+copyOf(&m.Match))
	}
	return answers
}

func copyOf(m *index.Match) string {
	return fmt.Sprintf("copy %d of p%d/%d, %s %d/%d", m.Copy, m.Source.Partition, m.Offset, m.Method, m.Similarity.Num,
		m.Similarity.Den)
}

func (s *story) header() index.Header {
	return index.Header{Fingerprint: index.Fingerprint(settings), Wall: s.at.LogAppendTime + s.skew}
}

func source(partition int32) entry.Source {
	return entry.Source{Topic: [16]byte{0xa}, Partition: partition}
}

func (s *story) record(words []string) index.Record {
	h := s.header()
	var partition int32
	switch words[0] {
	case "settings":
		text := settings
		if len(words) > 1 {
			text = []byte(words[1])
		}
		return &index.Settings{Text: text, Wall: h.Wall}
	case "reposition": // reposition p0 epoch 1 offset 0
		r := &index.Reposition{Header: h, Name: "news"}
		s.scan(words[1:], "p%d epoch %d offset %d", &partition, &r.Epoch, &r.Offset)
		r.Source = source(partition)
		return r
	case "run", "foreign": // run p0 epoch 1 base 0 : 5=some_text 6@+30s=other_text
		r := &index.Run{Header: h}
		if words[0] == "foreign" {
			r.Fingerprint++
		}
		s.scan(words[1:6], "p%d epoch %d base %d", &partition, &r.Epoch, &r.Base)
		r.Source = source(partition)
		for _, w := range words[7:] {
			r.Entries = append(r.Entries, s.entry(w))
		}
		return r
	case "forget": // forget 3.0
		r := &index.Forget{Header: h}
		s.scan(words[1:], "%d.%d", &r.Target.Offset, &r.Target.Entry)
		return r
	}
	return s.claim(words, h)
}

// claim builds a record about replicas, or one that is none of the group's.
func (s *story) claim(words []string, h index.Header) index.Record {
	switch words[0] {
	case "mark": // mark [foreign]
		if len(words) > 1 {
			h.Fingerprint++
		}
		return &index.Mark{Header: h}
	case "stray": // a record that is none of the group's
		return nil
	case "checkpoint": // checkpoint at 3 right|wrong [bare: without the settings | 2 elsewhere: the routing]
		r := &index.Checkpoint{Header: h, Member: "other"}
		if len(words) != 5 {
			r.Settings = settings
		}
		if len(words) == 6 {
			s.scan(words[4:5], "%d", &r.Routes.Number)
			r.Routes.Text = []byte(words[5])
		}
		s.scan(words[2:3], "%d", &r.Offset)
		r.Hash = s.hashes[r.Offset]
		if words[3] == "wrong" {
			r.Hash++
		}
		return r
	case "routing":
		return s.routing(words)
	case "plan": // plan 1: begins that fill
		r := &index.Fill{Header: h, Plan: []byte("plan")}
		s.scan(words[1:], "%d", &r.Number)
		return r
	case "fill":
		return s.fill(words)
	case "accusation": // accusation of w at 3 right|wrong
		r := &index.Accusation{Header: h, Member: "other", Accused: words[2]}
		s.scan(words[4:5], "%d", &r.Offset)
		r.Hash = s.hashes[r.Offset]
		if words[5] == "wrong" {
			r.Hash++
		}
		return r
	}
	s.t.Fatalf("unknown record %q", words)
	return nil
}

// routing parses `routing 2 elsewhere`, or with other settings: `routing 2 elsewhere other`.
func (s *story) routing(words []string) *index.Routing {
	r := &index.Routing{Header: s.header(), Routes: index.Routes{Text: []byte(words[2])}}
	s.scan(words[1:2], "%d", &r.Number)
	if len(words) == 4 {
		r.Fingerprint++
	}
	return r
}

// fill parses `fill 1 first 0 : p0/5@-30s=some_text p1/6=other_text`. The time of a place is that of the document, and
// a part goes on where the one before ended.
func (s *story) fill(words []string) *index.Fill {
	r := &index.Fill{Header: s.header()}
	s.scan(words[1:4], "%d first %d", &r.Number, &r.First)
	parts := map[int32]int{}
	for _, w := range words[5:] {
		var partition int32
		place, rest, _ := strings.Cut(w, "/")
		s.scan([]string{place}, "p%d", &partition)
		e := s.entry(rest)
		part, known := parts[partition]
		if !known {
			part = len(r.Parts)
			parts[partition], r.Parts = part, append(r.Parts, index.FillPart{Source: source(partition), Name: "old news"})
		}
		r.Parts[part].Through = e.Offset + 1
		r.Entries = append(r.Entries, index.FedEntry{Part: part, At: e.Time, Entry: e})
	}
	return r
}

func (s *story) entry(word string) entry.Entry {
	place, text, _ := strings.Cut(word, "=")
	offset, late, _ := strings.Cut(place, "@")
	e := entry.Entry{Time: s.at.LogAppendTime}
	s.scan([]string{offset}, "%d", &e.Offset)
	if late != "" {
		e.Time += s.duration(late).Milliseconds()
	}
	s.signer.Sign(&e, []byte(text))
	return e.Clone()
}

func (s *story) apply(rec index.Record) []string {
	effect := s.replica.Apply(s.at, rec)
	answers := []string{fmt.Sprintf("%d: applied", s.at.Offset)}
	if !effect.Applied {
		answers[0] = fmt.Sprintf("%d: changes nothing", s.at.Offset)
	}
	for i := range effect.Judged {
		v := &effect.Judged[i]
		told := fmt.Sprintf("%d is unique", v.Offset)
		if v.Matched() {
			told = fmt.Sprintf("%d is %s", v.Offset, copyOf(&v.Match))
		}
		if v.Reemitted {
			told += ", and comes through"
		}
		answers = append(answers, told)
	}
	switch d := effect.Disputed; {
	case d != nil && d.Accused == "":
		answers = append(answers, fmt.Sprintf("%s differs at %d", d.Member, d.Offset))
	case d != nil && d.Known:
		answers = append(answers, fmt.Sprintf("%s accuses %s, and differs at %d", d.Member, d.Accused, d.Offset))
	case d != nil:
		answers = append(answers, fmt.Sprintf("%s accuses %s of %d, which is unknown", d.Member, d.Accused, d.Offset))
	}
	s.at.Offset++
	s.hashes[s.at.Offset] = s.replica.Hash()
	return answers
}

// state prints the partitions, the held verdicts and the clock.
func (s *story) state() string {
	var b strings.Builder
	for p := range int32(2) {
		known, ok := s.replica.Partition(source(p))
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "p%d epoch %d start %d base %d held", p, known.Epoch, known.Start, known.Base)
		for o := range int64(20) {
			if v, ok := s.replica.Held(source(p), known.Epoch, o); ok {
				fmt.Fprintf(&b, " %d", o)
				if v.Forgotten {
					b.WriteString("(forgotten)")
				}
			}
		}
		b.WriteString("; ")
	}
	if routes := s.replica.Routes(); routes.Number > 0 {
		fmt.Fprintf(&b, "routing %d %s; ", routes.Number, routes.Text)
	}
	if f := s.replica.Filled(); f.Number > 0 {
		fmt.Fprintf(&b, "fill %d: %d of %d kept, %d too old, %d empty, ", f.Number, f.Kept, f.Entries, f.TooOld, f.Empty)
		for p := range int32(2) {
			fmt.Fprintf(&b, "p%d through %d; ", p, s.replica.FilledPart(source(p)).Through)
		}
	}
	st := s.replica.Stats()
	fmt.Fprintf(&b, "window %d, now %s", st.Documents, time.Duration(st.Now-storyStart)*time.Millisecond)
	return b.String()
}
