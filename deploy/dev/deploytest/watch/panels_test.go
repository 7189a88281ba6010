package watch

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/twmb/franz-go/pkg/kgo"
)

// mayBeEmpty are the expressions that may show nothing for members that are well, by a part of them, with the reason.
func mayBeEmpty() map[string]string {
	return map[string]string{
		"unecho_kafka_request_throttled_seconds_sum": "no quota holds a request back",
		"unecho_kafka_connect_errors_total":          "each broker can be reached",
		"unecho_kafka_disconnects_total":             "no connection is lost",
		"unecho_replica_confirmed_timestamp_seconds": "the broker of the test does not stamp the journal's records",
		"unecho_journal_clock_ahead_seconds":         "the broker of the test does not stamp the journal's records",
		"label_values(unecho_ready, namespace)":      "there is a namespace on Kubernetes only",
	}
}

// question is an expression of the dashboard, and where it stands.
type question struct {
	where, expr string
	instant     bool
}

func questions(t *testing.T) (all []question) {
	t.Helper()
	d := board(t)
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			all = append(all, question{p.String(), target.Expr, target.Instant})
		}
	}
	for _, a := range d.Annotations.List {
		all = append(all, question{"annotation " + a.Name, a.Expr, false})
	}
	for _, v := range d.Templating.List {
		if v.Type == "query" {
			all = append(all, question{"variable " + v.Name, v.Definition, true})
		}
	}
	if len(all) < 50 {
		t.Fatalf("only %d expressions were found", len(all))
	}
	return all
}

// label is the label of which a variable lists the values, or "".
func (q question) label() (expr, label string) {
	if m := regexp.MustCompile(`^label_values\((.*), (\w+)\)$`).FindStringSubmatch(q.expr); m != nil {
		return m[1], m[2]
	}
	return q.expr, ""
}

// asked is the expression as Grafana sends it, outside of Kubernetes, for all members, for a time of a given length.
func (q question) asked(length string) string {
	expr, _ := q.label()
	return strings.NewReplacer(
		"$namespace", "", "$job", "unecho", "$instance", ".*", "$__rate_interval", "1m", "$__range", length,
	).Replace(expr)
}

// Each expression shows something, of members that are at work, one of which was restarted.
func TestDashboardShowsMembersAtWork(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	one := s.start("one", "duplicates.remember.documents=1000", "duplicates.remember.keys=1h", "http.ingest.enabled=true", "http.token="+token)
	two := s.start("two", "duplicates.remember.documents=1000", "duplicates.remember.keys=1h")
	s.mixed(100)
	s.settled(one)
	s.settled(two)
	l := newLapse(t, one, two)
	l.waits = 1 // see TestAlertsAreSilentInHealth
	l.steps(10, func() {
		s.mixed(3)
		one.post("a text that comes over HTTP")
	})
	two.stop()
	l.steps(3, idle)
	two = s.start("two", "duplicates.remember.documents=1000", "duplicates.remember.keys=1h")
	s.settled(two)
	l.targets = []*member{one, two}
	l.steps(10, func() { s.mixed(3) })
	s.settled(one)
	for _, rare := range []string{"snapshot_timestamp_seconds ", "source_partition_lag_seconds{"} {
		s.until("one says "+rare, func() bool {
			s.mixed(1) // a group that gets nothing takes no snapshots
			text, _ := one.scrape()
			return strings.Contains(string(text), "\nunecho_"+rare)
		})
	}
	l.steps(2, idle)
	asked := map[string]bool{}
	for _, q := range questions(t) {
		part := excuse(q.expr)
		asked[part] = true
		if !l.shows(q) && part == "" {
			t.Errorf("%s shows nothing: %s", q.where, q.expr)
		}
	}
	for part := range mayBeEmpty() {
		if !asked[part] {
			t.Errorf("%s may be empty, and nothing asks for it", part)
		}
	}
}

// excuse is the part of an expression for which it may be empty, or "".
func excuse(expr string) string {
	for part := range mayBeEmpty() {
		if strings.Contains(expr, part) {
			return part
		}
	}
	return ""
}

// mixed sends n documents that are like no other, two that are the same, and one that has no text.
func (s *scene) mixed(n int) {
	s.t.Helper()
	s.produce(n)
	copied := kgo.StringRecord(strings.Repeat("the harbour bridge was closed on monday ", 3))
	check(s.t, s.client.ProduceSync(s.t.Context(), copied, kgo.StringRecord(string(copied.Value)), &kgo.Record{}).FirstErr())
}

// shows says whether the answer to a question has a number.
func (l *lapse) shows(q question) bool {
	l.t.Helper()
	length := l.now.Sub(l.begun)
	text := q.asked(length.String())
	var query promql.Query
	var err error
	if q.instant {
		query, err = l.engine.NewInstantQuery(l.t.Context(), l.storage, nil, text, l.now)
	} else {
		query, err = l.engine.NewRangeQuery(l.t.Context(), l.storage, nil, text, l.begun, l.now, step)
	}
	if err != nil {
		l.t.Errorf("%s: the query is refused with %v: %s", q.where, err, text)
		return true
	}
	defer query.Close()
	answer := query.Exec(l.t.Context())
	if answer.Err != nil || len(answer.Warnings) > 0 {
		l.t.Errorf("%s: the query ends with error %v and warnings %v: %s", q.where, answer.Err, answer.Warnings, text)
		return true
	}
	_, label := q.label()
	return hasNumber(answer.Value, label)
}

func hasNumber(v parser.Value, label string) bool {
	switch v := v.(type) {
	case promql.Matrix:
		return slices.ContainsFunc(v, func(series promql.Series) bool {
			return slices.ContainsFunc(series.Floats, func(p promql.FPoint) bool { return !math.IsNaN(p.F) })
		})
	case promql.Vector:
		return slices.ContainsFunc(v, func(s promql.Sample) bool {
			return !math.IsNaN(s.F) && (label == "" || s.Metric.Get(label) != "")
		})
	}
	return false
}

// What is shown is of the group that was chosen, and of no other that the same Prometheus watches.
func TestDashboardShowsOneGroup(t *testing.T) {
	t.Parallel()
	own := map[string]string{"namespace": "", "job": "unecho", "instance": ".*"}
	for _, q := range questions(t) {
		if strings.HasPrefix(q.where, "variable") {
			continue // these find the groups
		}
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(q.asked(time.Hour.String()))
		if err != nil {
			t.Errorf("%s: the query is not read: %v", q.where, err)
			continue
		}
		for _, selector := range parser.ExtractSelectors(expr) {
			got := map[string]string{}
			for _, m := range selector {
				if _, ok := own[m.Name]; ok {
					got[m.Name] = m.Value
				}
			}
			if name := metricName(selector); name != "ALERTS" && !maps.Equal(got, own) {
				t.Errorf("%s asks for %s of any group: %s", q.where, name, q.expr)
			}
		}
	}
}

func metricName(selector []*labels.Matcher) string {
	for _, m := range selector {
		if m.Name == model.MetricNameLabel {
			return m.Value
		}
	}
	return ""
}
