package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/memory"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// mostEvaluated bounds the documents whose texts are kept to measure precision and recall: each costs some 5 kB.
const mostEvaluated = 200_000

// outputs reads the three output topics: it counts, shows, and keeps the texts.
type outputs struct {
	config  config.Config
	reader  *topic.Reader
	texts   *document.Reader
	counts  map[string]int
	kept    map[string]string // coordinates in the source -> text
	known   map[string]article
	bounded bool // there are more documents than are evaluated
}

func newOutputs(opts topic.Options, c config.Config) (*outputs, error) {
	texts, err := document.NewSources(c.Readings())
	if err != nil {
		return nil, err
	}
	o := &outputs{
		config: c, texts: texts, counts: map[string]int{}, kept: map[string]string{}, known: map[string]article{},
	}
	o.reader, err = topic.NewReader(opts, c.Sink.Outputs(c.Sources[0].Topics[0])...)
	return o, err
}

func (o *outputs) total() int {
	return o.counts[sink.Unique] + o.counts[sink.Duplicate] + o.counts[sink.Rejected]
}

// follow reads until as many documents have come out as sent says.
func (o *outputs) follow(ctx context.Context, sent <-chan int, view verdictView) error {
	want := -1
	for want < 0 || o.total() < want {
		wait, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		err := o.reader.Next(wait, func(r *topic.Record) error {
			o.take(r, view)
			return nil
		})
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		if err := view.refresh(time.Now()); err != nil {
			return err
		}
		select {
		case want = <-sent:
			sent = nil
		default:
		}
	}
	return nil
}

func (o *outputs) take(r *topic.Record, view verdictView) {
	verdict, source := r.Header(sink.HeaderVerdict), r.Header(sink.HeaderSource)
	o.counts[verdict]++
	a := readArticle(r.Value)
	if a.ID == "" {
		a.ID = source
	}
	if o.bounded = o.bounded || len(o.known) >= mostEvaluated; !o.bounded {
		o.known[source] = a
		in := document.Input{Key: r.Key, Value: r.Value, Topic: r.Topic, Partition: r.Partition}
		// reading JSON does no I/O
		if doc, rejection, err := o.texts.Read(context.Background(), in, nil); err == nil && rejection == nil {
			o.kept[source] = string(doc.Text)
		}
	}
	view.show(o.event(r, verdict, a))
}

func (o *outputs) event(r *topic.Record, verdict string, a article) event {
	e := event{At: time.Now(), ID: a.ID, Outlet: a.Outlet, Title: a.Title, Verdict: verdict}
	switch verdict {
	case sink.Duplicate:
		match := o.known[r.Header(sink.HeaderMatch)]
		e.MatchID, e.MatchOutlet, e.MatchTitle = r.Header(sink.HeaderMatchID), match.Outlet, match.Title
		e.Method = r.Header(sink.HeaderMethod)
		e.Similarity, _ = strconv.Atoi(strings.Replace(r.Header(sink.HeaderSimilarity), ".", "", 1)) // our own digits
		e.Copy, _ = strconv.ParseUint(r.Header(sink.HeaderCopy), 10, 64)
	case sink.Rejected:
		e.Reason, e.Detail = r.Header(sink.HeaderReason), r.Header(sink.HeaderDetail)
	}
	return e
}

// summary returns the result of the run. Precision and recall come from a replay of the journal, in its order.
func (d *demo) summary(ctx context.Context) (Summary, error) {
	o := d.outputs
	s := Summary{
		Documents: o.total(), Unique: o.counts[sink.Unique], Duplicate: o.counts[sink.Duplicate],
		Rejected: o.counts[sink.Rejected],
		Seconds:  d.ended.Sub(d.began).Seconds(), PeakRSSBytes: memory.Peak(), Threshold: d.Config.Judge.Duplicates.Threshold,
	}
	s.DocumentsPerSecond = float64(s.Documents) / s.Seconds
	if o.bounded {
		return s, nil
	}
	evaluation, err := newEvaluation(d.Config.Judge.Duplicates.Threshold, d.Config.Judge.Duplicates.Shingle)
	if err != nil {
		return s, err
	}
	at := func(partition int32, offset int64) string {
		return fmt.Sprintf("%s/%d/%d", d.Config.Sources[0].Topics[0], partition, offset)
	}
	err = consumer.Replay(ctx, d.Setup, func(source entry.Source, v *index.Verdict) {
		id := at(source.Partition, v.Offset)
		evaluation.add(judgement{
			ID: id, Text: o.kept[id], Duplicate: v.Matched(), Match: at(v.Match.Source.Partition, v.Match.Offset),
		})
	})
	if err != nil {
		return s, err
	}
	if result, ok := evaluation.found(); ok {
		s.Precision, s.Recall, s.Degrees = result.Precision, result.Recall, result.Degrees
	}
	return s, nil
}

// article is the part of a document's value that the view shows.
type article struct {
	ID, Outlet, Title string
}

// readArticle reads it from any document. A number keeps its digits, because matches are named by the same id.
func readArticle(value []byte) article {
	var v struct {
		ID     any `json:"id"`
		Outlet any `json:"outlet"`
		Title  any `json:"title"`
	}
	from := json.NewDecoder(bytes.NewReader(value))
	from.UseNumber()
	if from.Decode(&v) != nil {
		return article{}
	}
	a := article{}
	a.Outlet, _ = v.Outlet.(string)
	a.Title, _ = v.Title.(string)
	if v.ID != nil {
		a.ID = fmt.Sprint(v.ID)
	}
	return a
}

// Summary is the result of a run of the demo. Its JSON is a promise to scripts.
type Summary struct {
	Documents          int      `json:"documents"`
	Unique             int      `json:"unique"`
	Duplicate          int      `json:"duplicate"`
	Rejected           int      `json:"rejected"`
	Precision          *float64 `json:"precision"` // null if nothing was judged a duplicate, or there are too many documents or pairs to look at
	Recall             *float64 `json:"recall"`    // null if there was nothing to find, or as precision is
	Seconds            float64  `json:"seconds"`
	DocumentsPerSecond float64  `json:"documents_per_second"`
	PeakRSSBytes       int64    `json:"peak_rss_bytes"` // 0 where the system does not say

	Threshold float64  `json:"-"`
	Degrees   []degree `json:"-"`
}

// WriteText writes the summary for people.
func (s Summary) WriteText(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s documents in %.1f s: %s a second", terminal.Grouped(s.Documents), s.Seconds,
		terminal.Grouped(int(s.DocumentsPerSecond)))
	if s.PeakRSSBytes > 0 {
		fmt.Fprintf(&b, ", %s MiB of memory at the peak", terminal.Grouped(int(s.PeakRSSBytes>>20)))
	}
	b.WriteString("\n\n")
	for _, row := range []struct {
		name  string
		count int
	}{{"unique", s.Unique}, {"duplicate", s.Duplicate}, {"rejected", s.Rejected}} {
		fmt.Fprintf(&b, "  %-10s %9s  %s\n", row.name, terminal.Grouped(row.count), percent(row.count, s.Documents))
	}
	b.WriteByte('\n')
	s.shares(&b)
	s.degrees(&b)
	text := b.String()
	if file, ok := out.(*os.File); ok && terminal.Is(file) {
		text = cutAt(terminal.WidthOf(file), text)
	}
	_, err := io.WriteString(out, text)
	return err
}

// cutAt cuts lines that are wider than a terminal, as the lines of the verdicts are. Each character has one column.
func cutAt(columns int, text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if runes := []rune(line); len(runes) > columns {
			lines[i] = string(runes[:columns-1]) + "…"
		}
	}
	return strings.Join(lines, "\n")
}

func (s Summary) shares(b *strings.Builder) {
	for _, row := range []struct {
		name  string
		share *float64
		means string
	}{
		{"precision", s.Precision, "of those judged duplicate, truly so similar to their match"},
		{"recall", s.Recall, "of those so similar to a kept document, judged duplicate"},
	} {
		value := "     -"
		if row.share != nil {
			value = fmt.Sprintf("%.4f", *row.share)
		}
		fmt.Fprintf(b, "  %-10s %9s  %s\n", row.name, value, row.means)
	}
}

// degrees writes the table of recall by degree of editing. The threshold separates the documents to find from the
// others.
func (s Summary) degrees(b *strings.Builder) {
	if len(s.Degrees) == 0 {
		return
	}
	fmt.Fprintf(b, "\n  similarity to the      documents   judged duplicate\n  nearest kept document              "+
		"(threshold %g)\n", s.Threshold)
	for _, d := range s.Degrees {
		name := fmt.Sprintf("%.1f to %.1f", d.From, d.To)
		if d.From >= 1 {
			name = "1"
		}
		line := fmt.Sprintf("  %-21s %10s %9s  %s  %s", name, terminal.Grouped(d.Documents), terminal.Grouped(d.Duplicate),
			percent(d.Duplicate, d.Documents), terminal.Bar(ratio(d.Duplicate, d.Documents), 20))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

func percent(part, whole int) string {
	if whole == 0 {
		return "      -"
	}
	return fmt.Sprintf("%5.1f %%", 100*ratio(part, whole))
}

func ratio(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
