package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index/eval"
)

// A Tuner tries settings on documents.
type Tuner struct {
	Params
	Sample Sample
	Labels []eval.Pair // pairs of documents of the sample that are the truth; nil if their similarity is
	// Progress is called, one call at a time, with what is being done and how much of it is done; all is -1 where that
	// is unknown.
	Progress func(what string, done, all int)
}

// Run tries all settings. It ends early when ctx is done or the budget is spent; the report says what was not tried.
func (t *Tuner) Run(ctx context.Context) (*Report, error) {
	began := time.Now()
	report := &Report{
		Documents: t.Sample.Len(), By: t.By, At: t.At, Recall: t.Judge.Duplicates.Recall, Precision: t.Precision,
		Verify: t.Judge.Duplicates.Verify, Labelled: len(t.Labels), shingle: t.Judge.Duplicates.Shingle, ignores: t.Grid.Listed.ignores,
		threshold: t.Judge.Duplicates.Threshold, Skipped: []Skipped{},
	}
	sources := t.sources()
	tried := &tally{progress: t.Progress}
	for _, from := range sources {
		tried.all += len(t.Grid.settings(from))
	}
	for i, from := range sources {
		err := t.within(ctx, began, len(sources)-i,
			func(ctx context.Context) error { return t.source(ctx, from, report, tried) })
		if err != nil {
			return nil, err
		}
	}
	report.choose(t.preferred())
	report.Short = t.short(report)
	report.Seconds = time.Since(began).Seconds()
	return report, nil
}

// short says what a changed word costs, if most documents are short: by the recommended setting, or where there is none by the
// shingle that is shown.
func (t *Tuner) short(r *Report) string {
	of := r.shown()
	if of == nil {
		return ""
	}
	p, short := t.Judge.Duplicates, 0
	if best := r.Recommended; best != nil {
		p = t.service(&best.Setting).Duplicates
	} else {
		p.Shingle, p.Threshold = of.Shingle, cmp.Or(r.At, t.Grid.Thresholds[0])
	}
	least := p.LeastShingles()
	for _, size := range of.sizes {
		if size < least {
			short++
		}
	}
	if 2*short <= len(of.sizes) {
		return ""
	}
	return fmt.Sprintf("%s of the sample are short: %s; %s", terminal.Several(short, "document"), p.ShortTexts(), p.ShortAdvice())
}

// within gives work its share of the remaining budget, so that each source gets some.
func (t *Tuner) within(ctx context.Context, began time.Time, left int, work func(context.Context) error) error {
	if t.Budget == 0 {
		return work(ctx)
	}
	ctx, stop := context.WithTimeout(ctx, (t.Budget-time.Since(began))/time.Duration(left))
	defer stop()
	return work(ctx)
}

// sources returns the sources, in random order if there is a budget, because the last ones gain from the time that the
// first did not need.
func (t *Tuner) sources() []source {
	all := t.Grid.sources()
	if t.Budget > 0 {
		r := rand.New(rand.NewPCG(t.Seed, 1))
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	return all
}

type tally struct {
	mu        sync.Mutex // progress is called by one at a time
	done, all int
	progress  func(what string, done, all int)
}

func (c *tally) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += n
	c.progress("settings", c.done, c.all)
}

func (t *Tuner) source(ctx context.Context, from source, report *Report, tried *tally) error {
	settings := t.Grid.settings(from)
	found, err := t.find(ctx, from)
	switch {
	case errors.Is(err, eval.ErrPairs):
		t.skip(settings, fmt.Sprintf(
			"more than %d pairs reach %v: many documents are copies of each other; take a smaller sample, or a higher threshold",
			t.MostPairs, slices.Min(t.Grid.Thresholds)), report, tried)
		return nil
	case err != nil && over(ctx):
		t.skip(settings, t.stopped(), report, tried)
		return nil
	case err != nil:
		return err
	}
	report.Sources = append(report.Sources, found.about)
	if t.Budget > 0 {
		r := rand.New(rand.NewPCG(t.Seed, 2))
		r.Shuffle(len(settings), func(i, j int) { settings[i], settings[j] = settings[j], settings[i] })
	}
	return t.settings(ctx, settings, found, report, tried)
}

// skip passes settings over.
func (t *Tuner) skip(settings []Setting, why string, report *Report, tried *tally) {
	for _, s := range settings {
		report.Skipped = append(report.Skipped, t.skipped(s, why)...)
	}
	tried.add(len(settings))
}

// skipped lists each point of the grid that was not tried: those of a setting from a threshold on.
func (t *Tuner) skipped(s Setting, why string, tried ...Row) []Skipped {
	var all []Skipped
	for _, s.Threshold = range t.Grid.thresholds(s)[len(tried):] {
		all = append(all, Skipped{s, why})
	}
	return all
}

func (t *Tuner) stopped() string {
	if t.Budget > 0 {
		return "the budget was spent"
	}
	return "stopped"
}

// settings tries the settings on all cores; the report has them in their order.
func (t *Tuner) settings(ctx context.Context, settings []Setting, found *found, report *Report, tried *tally) error {
	type outcome struct {
		rows    []Row
		skipped []Skipped
	}
	outcomes := make([]outcome, len(settings))
	var group errgroup.Group
	group.SetLimit(t.Workers)
	for i, s := range settings {
		group.Go(func() (err error) {
			o := &outcomes[i]
			o.rows, o.skipped, err = t.try(ctx, s, found)
			tried.add(1)
			return err
		})
	}
	err := group.Wait()
	for _, o := range outcomes {
		report.Rows = append(report.Rows, o.rows...)
		report.Skipped = append(report.Skipped, o.skipped...)
	}
	return err
}

// tenThousandths returns a threshold in the unit in which the core compares.
func tenThousandths(threshold float64) int { return int(threshold*eval.Scale + 0.5) }
