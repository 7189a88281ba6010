package routing

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index/entry"
)

// The keys of a backfill's plan, beside those of every routing:
//
//	"backfill.order": "time", "backfill.fixed": "2026-11-22T09:30:00.000Z",
//	"backfill.from": "2026-01-01", "backfill.to": "end",
//	"backfill.range news/0": "7c0f1e4a... 0..120000"
const (
	keyOrder = "backfill.order"
	keyFixed = "backfill.fixed"
	keyFrom  = "backfill.from"
	keyTo    = "backfill.to"
	keyRange = "backfill.range "
)

const fixedLayout = "2006-01-02T15:04:05.000Z"

// WithPlan adds the plan of a backfill to the canonical text of a routing.
func WithPlan(text []byte, plan *protocol.Plan) []byte {
	values := decode(text)
	values[keyOrder] = plan.Order.String()
	values[keyFixed] = time.UnixMilli(plan.Fixed).UTC().Format(fixedLayout)
	values[keyFrom], values[keyTo] = plan.From, plan.To
	for _, r := range plan.Ranges {
		values[keyRange+r.Name().String()] = fmt.Sprintf("%x %d..%d", r.Source.Topic, r.From, r.To)
	}
	return encode(values)
}

// PlanOf returns the plan of a backfill that a routing has. It is nil if the routing is that of a live group.
func PlanOf(text []byte) (*protocol.Plan, error) {
	var values map[string]any
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, fmt.Errorf("read routing: %w", err)
	}
	order, ok := values[keyOrder].(string)
	if !ok {
		return nil, nil // a live group has none
	}
	plan := &protocol.Plan{}
	plan.Order, ok = protocol.ParseOrder(order)
	fixed, _ := values[keyFixed].(string)
	at, err := time.Parse(fixedLayout, fixed)
	if err != nil || !ok {
		return nil, fmt.Errorf("read routing: a backfill of order %q, fixed at %q, is of a newer unecho: upgrade this program", order, fixed)
	}
	plan.Fixed = at.UnixMilli()
	plan.From, _ = values[keyFrom].(string)
	plan.To, _ = values[keyTo].(string)
	for key, value := range values {
		if place, ok := strings.CutPrefix(key, keyRange); ok {
			r, err := readRange(place, value)
			if err != nil {
				return nil, err
			}
			plan.Ranges = append(plan.Ranges, r)
		}
	}
	slices.SortFunc(plan.Ranges, func(a, b protocol.Range) int { return a.Name().Compare(b.Name()) })
	return plan, nil
}

func readRange(place string, value any) (r protocol.Range, err error) {
	text, _ := value.(string)
	r.Topic, r.Source, err = readPartition(place, text, " %d..%d", &r.From, &r.To)
	return r, err
}

// readPartition reads what a routing says of a partition: the topic's id, and more.
func readPartition(place, said, format string, more ...any) (topic string, source entry.Source, err error) {
	var id []byte
	name, ok := entry.ParseName(place)
	_, err = fmt.Sscanf(said, "%x"+format, append([]any{&id}, more...)...)
	if !ok || err != nil || len(id) != len(source.Topic) {
		return "", source, fmt.Errorf("read routing: %q of partition %q: %w", said, place, err)
	}
	return name.Topic, entry.Source{Topic: [16]byte(id), Partition: name.Partition}, nil
}
