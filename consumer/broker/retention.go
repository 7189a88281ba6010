package broker

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// The settings by which Kafka deletes old records, each with a value that means never.
const (
	retentionTime  = "retention.ms"
	retentionBytes = "retention.bytes"
	unlimited      = -1
)

// retention is how long a topic keeps its records: milliseconds by their own time, and bytes of a partition. -1 is no
// bound.
type retention map[string]int64

func retentionOf(configs map[string]string) retention {
	r := retention{retentionTime: unlimited, retentionBytes: unlimited}
	if !strings.Contains(configs["cleanup.policy"], "delete") {
		return r // compaction alone deletes nothing for its age
	}
	for key := range r {
		if v, err := strconv.ParseInt(configs[key], 10, 64); err == nil {
			r[key] = v
		}
	}
	if configs["message.timestamp.type"] == "LogAppendTime" {
		r[retentionTime] = unlimited // it begins when a record is written
	}
	return r
}

// shorter returns the settings by which r keeps less than other, in a fixed order.
func (r retention) shorter(other retention) (keys []string) {
	for _, key := range []string{retentionTime, retentionBytes} {
		if r[key] >= 0 && (other[key] < 0 || other[key] > r[key]) {
			keys = append(keys, key)
		}
	}
	return keys
}

// sourceRetention returns how long the source keeps its records, as settings of an output.
func (t *Topics) sourceRetention(ctx context.Context, source string) (map[string]string, error) {
	configs, err := t.Settings(ctx, source)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for key, v := range retentionOf(configs) {
		out[key] = strconv.FormatInt(v, 10)
	}
	return out, nil
}

// forgetful returns what is wrong with an output that would delete documents of the past as soon as they are forwarded,
// because it keeps records for a shorter time than their source.
func (t *Topics) forgetful(ctx context.Context, output string, source Topic) (mistakes []Mistake, err error) {
	from, err := t.Settings(ctx, source.Name)
	if err != nil {
		return nil, err
	}
	to, err := t.Settings(ctx, output)
	if err != nil {
		return nil, err
	}
	want := retentionOf(from)
	for _, key := range retentionOf(to).shorter(want) {
		value := strconv.FormatInt(want[key], 10)
		mistakes = append(mistakes, Mistake{
			What:   fmt.Sprintf("%s is %s, and must be at least that of %s, which is %s", key, to[key], source.Name, value),
			Why:    "documents keep their times: Kafka would delete old ones as soon as they are forwarded",
			Remedy: t.ConfigCommand(output, key, value),
		})
	}
	return mistakes, nil
}
