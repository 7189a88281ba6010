package watch

import (
	"context"
	"errors"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/teststorage"
)

// A lapse is a Prometheus whose time runs quicker than that of the members: it scrapes them every 100 ms, and for it
// 15 seconds have passed. What members say in terms of time is stretched likewise: timestamps, and how long a
// document has waited.
const (
	tick  = 100 * time.Millisecond
	step  = 15 * time.Second
	speed = float64(step / tick)
)

type lapse struct {
	t       *testing.T
	storage *teststorage.TestStorage
	engine  *promql.Engine
	rules   map[string]*rules.AlertingRule
	begun   time.Time
	now     time.Time
	targets []*member
	live    map[string]map[string]labels.Labels // series of the last scrape, by target
	firing  map[string]bool
	waits   float64 // by how much the time that documents wait is stretched
}

func newLapse(t *testing.T, targets ...*member) *lapse {
	t.Helper()
	begun := time.Now()
	return &lapse{
		t: t, storage: teststorage.New(t), engine: newEngine(t), rules: alerting(t), begun: begun, now: begun,
		targets: targets,
		live:    map[string]map[string]labels.Labels{}, firing: map[string]bool{}, waits: speed,
	}
}

func newEngine(t *testing.T) *promql.Engine {
	engine := promql.NewEngine(promql.EngineOpts{
		MaxSamples: 1e6, Timeout: time.Minute, EnableAtModifier: true, EnableNegativeOffset: true,
		Parser: parser.NewParser(parser.Options{}),
	})
	t.Cleanup(func() { _ = engine.Close() })
	return engine
}

// next scrapes all targets and evaluates all rules.
func (l *lapse) next() {
	l.t.Helper()
	l.now = l.now.Add(step)
	for _, m := range l.targets {
		l.scrape(m)
	}
	l.evaluate()
}

func (l *lapse) evaluate() {
	l.t.Helper()
	query := rules.EngineQueryFunc(l.engine, l.storage)
	for name, rule := range l.rules {
		_, err := rule.Eval(context.Background(), 0, l.now, query, nil, 0)
		check(l.t, err)
		for _, alert := range rule.ActiveAlerts() {
			if alert.State == rules.StateFiring {
				l.firing[name] = true
			}
		}
	}
}

func (l *lapse) scrape(m *member) {
	l.t.Helper()
	app := l.storage.Appender(l.t.Context())
	text, ok := m.scrape()
	up := 0.0
	if ok {
		up = 1
	}
	seen := map[string]labels.Labels{}
	l.add(app, seen, labels.FromStrings("__name__", "up", "job", m.job, "instance", m.name), up)
	if ok {
		l.addAll(app, seen, m, text)
	}
	for key, gone := range l.live[m.name] {
		if _, still := seen[key]; !still {
			_, err := app.Append(0, gone, l.now.UnixMilli(), math.Float64frombits(value.StaleNaN))
			check(l.t, err)
		}
	}
	l.live[m.name] = seen
	check(l.t, app.Commit())
}

func (l *lapse) addAll(app storage.Appender, seen map[string]labels.Labels, m *member, text []byte) {
	l.t.Helper()
	p, err := textparse.New(text, "text/plain; version=0.0.4", labels.NewSymbolTable(), textparse.ParserOptions{})
	check(l.t, err)
	for {
		entry, err := p.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		check(l.t, err)
		if entry != textparse.EntrySeries {
			continue
		}
		_, _, v := p.Series()
		var series labels.Labels
		p.Labels(&series)
		name := series.Get("__name__")
		series = labels.NewBuilder(series).Set("job", m.job).Set("instance", m.name).Labels()
		l.add(app, seen, series, l.stretched(name, v))
	}
}

// stretched is a value as it would be if the members' time ran as quickly as that of the lapse.
func (l *lapse) stretched(name string, v float64) float64 {
	begun := float64(l.begun.UnixMilli()) / 1000
	switch {
	case strings.HasSuffix(name, "_timestamp_seconds"):
		return begun + (v-begun)*speed
	case name == "unecho_source_partition_lag_seconds":
		return v * l.waits
	}
	return v
}

func (l *lapse) add(app storage.Appender, seen map[string]labels.Labels, series labels.Labels, v float64) {
	l.t.Helper()
	_, err := app.Append(0, series, l.now.UnixMilli(), v)
	check(l.t, err)
	seen[series.String()] = series
}

// until goes on until each of the alerts fires; meanwhile is done at each step.
func (l *lapse) until(meanwhile func(), alerts ...string) {
	l.t.Helper()
	clock := time.NewTicker(tick)
	defer clock.Stop()
	end := time.NewTimer(patience)
	defer end.Stop()
	for !l.fired(alerts) {
		meanwhile()
		l.next()
		select {
		case <-clock.C:
		case <-end.C:
			l.t.Fatalf("%v should fire, and %v do\n%s", alerts, slices.Sorted(maps.Keys(l.firing)), l.last())
		}
	}
}

// steps goes on for n scrapes.
func (l *lapse) steps(n int, meanwhile func()) {
	l.t.Helper()
	clock := time.NewTicker(tick)
	defer clock.Stop()
	for range n {
		meanwhile()
		l.next()
		<-clock.C
	}
}

func (l *lapse) fired(alerts []string) bool {
	for _, name := range alerts {
		if l.rules[name] == nil {
			l.t.Fatalf("there is no alert %s", name)
		}
		if !l.firing[name] {
			return false
		}
	}
	return true
}

// last is what the targets say, without the histograms.
func (l *lapse) last() string {
	var said strings.Builder
	for _, m := range l.targets {
		text, _ := m.scrape()
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "unecho_") && !strings.Contains(line, "_kafka_") && !strings.Contains(line, "_bucket") {
				said.WriteString(line)
			}
		}
	}
	return said.String()
}
