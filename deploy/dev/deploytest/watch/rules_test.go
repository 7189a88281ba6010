package watch

import (
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/rules"
)

const rulesFile = "deploy/chart/files/alerts.yaml"

// ruleGroup is what the file of alerts says, as Prometheus reads it.
func ruleGroup(t *testing.T) []rulefmt.Rule {
	t.Helper()
	groups, errs := rulefmt.Parse([]byte(read(t, rulesFile)), false, model.UTF8Validation,
		parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	for _, err := range errs {
		t.Error(err)
	}
	if t.Failed() || len(groups.Groups) != 1 {
		t.Fatalf("%s has not one group of rules that Prometheus takes", rulesFile)
	}
	return groups.Groups[0].Rules
}

// alerting are the rules, ready to be evaluated.
func alerting(t *testing.T) map[string]*rules.AlertingRule {
	t.Helper()
	made := map[string]*rules.AlertingRule{}
	for _, r := range ruleGroup(t) {
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(r.Expr)
		check(t, err)
		made[r.Alert] = rules.NewAlertingRule(r.Alert, expr, time.Duration(r.For), 0, labels.FromMap(r.Labels),
			labels.FromMap(r.Annotations), labels.EmptyLabels(), "", true, slog.New(slog.DiscardHandler))
	}
	return made
}
