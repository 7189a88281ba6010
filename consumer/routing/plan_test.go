package routing

import (
	"reflect"
	"testing"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index/entry"
)

func TestPlan(t *testing.T) {
	for _, order := range []protocol.Order{protocol.ByPlace, protocol.ByArrival} {
		plan := &protocol.Plan{
			Order: order, Fixed: 1_790_000_000_123, From: "2026-01-01", To: "end",
			Ranges: []protocol.Range{
				{Topic: "a", Source: entry.Source{Topic: [16]byte{9, 0, 1}, Partition: 2}, From: 0, To: 5},
				{Topic: "a", Source: entry.Source{Topic: [16]byte{9, 0, 1}, Partition: 10}, From: 7, To: 1 << 40},
				{Topic: "b", Source: entry.Source{Topic: [16]byte{8}}, From: 3, To: 3},
			},
		}
		got, err := PlanOf(WithPlan(text(as, "a", "b"), plan))
		if err != nil || !reflect.DeepEqual(got, plan) {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	if got, err := PlanOf(text(as, "a")); got != nil || err != nil {
		t.Errorf("a live group has plan %+v, %v", got, err)
	}
	for _, wrong := range []string{
		`{"backfill.order":"random","backfill.fixed":"2026-11-22T09:30:00.000Z"}`, `{"backfill.order":"time"}`,
		`{"backfill.order":"time","backfill.fixed":"2026-11-22T09:30:00.000Z","backfill.range a/0":"0102 0..1"}`,
		`{"backfill.order":"time","backfill.fixed":"2026-11-22T09:30:00.000Z","backfill.range a":"` +
			"00000000000000000000000000000000" + ` 0..1"}`,
	} {
		if got, err := PlanOf([]byte(wrong)); err == nil {
			t.Errorf("%s is read as %+v", wrong, got)
		}
	}
}
