package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/memory"
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

func (o *outputs) close() { o.reader.Close() }

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
