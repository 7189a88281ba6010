package broker

import (
	"context"
	"fmt"
	"maps"
	"math"
	"strconv"
	"time"
)

// Times are the timestamps that a topic accepts, in ms before and after the broker's clock; math.MaxInt64 is any.
type Times struct {
	Before, After int64
}

// AnyTime returns the times of a topic without limits, or without known ones.
func AnyTime() Times { return Times{Before: math.MaxInt64, After: math.MaxInt64} }

// TimesOf reads the limits from a topic's settings. A topic that stamps records itself accepts any. Kafka before 3.6
// has one limit for both sides.
func TimesOf(settings map[string]string) Times {
	if settings[timestampType] == "LogAppendTime" {
		return AnyTime()
	}
	limit := func(key string) int64 {
		for _, key := range []string{key, "message.timestamp.difference.max.ms"} {
			if ms, err := strconv.ParseInt(settings[key], 10, 64); err == nil && ms >= 0 {
				return ms
			}
		}
		return math.MaxInt64
	}
	return Times{Before: limit(timestampBefore), After: limit(timestampAfter)}
}

// takeTimesOf adds to the settings of an output that is created what it needs to take the timestamps of its source.
// Where the source's settings cannot be read, the output gets Kafka's defaults.
func (t *Topics) takeTimesOf(ctx context.Context, source string, configs map[string]string) error {
	settings, err := t.Settings(ctx, source)
	if Forbidden(err) {
		return nil
	}
	maps.Copy(configs, timesFor(settings))
	return err
}

// timesFor returns the settings with which an output takes the timestamps that a source with these settings may hold.
// Documents grow old on their way, and the broker that took a document may have had another clock than the one that
// leads the output has, so the output takes any time. Kafka before 3.6 has one limit for both sides, and none by default.
func timesFor(source map[string]string) map[string]string {
	out := map[string]string{}
	if source[timestampType] == "LogAppendTime" {
		out[timestampType] = "CreateTime"
	}
	if _, knows := source[timestampAfter]; knows {
		out[timestampBefore], out[timestampAfter] = anyDistance, anyDistance
	}
	return out
}

const (
	timestampType   = "message.timestamp.type"
	timestampBefore = "message.timestamp.before.max.ms"
	timestampAfter  = "message.timestamp.after.max.ms"

	anyDistance = "9223372036854775807"
)

// Untimed is the timestamp of a record that has none, in ms, as old producers write it. Every topic accepts it.
const Untimed = -1

// Take says whether a record of that time is accepted now, both in ms since 1970. With a positive margin the record is
// surely accepted, with a negative one it may be. The margin is for clocks that differ and for the time that a
// transaction takes.
func (t Times) Take(ms, now int64, margin time.Duration) bool {
	if ms == Untimed {
		return true
	}
	within := func(ahead, limit int64) bool {
		return limit == math.MaxInt64 || ahead <= max(0, less(limit, margin.Milliseconds()))
	}
	return within(less(now, ms), t.Before) && within(less(ms, now), t.After)
}

// less returns a - b, or the nearest number that there is: times may be any.
func less(a, b int64) int64 {
	d := a - b
	switch {
	case a >= 0 && b < 0 && d < 0:
		return math.MaxInt64
	case a < 0 && b >= 0 && d >= 0:
		return math.MinInt64
	}
	return d
}

// Times reads which timestamps a topic accepts.
func (t *Topics) Times(ctx context.Context, name string) (Times, error) {
	settings, err := t.Settings(ctx, name)
	if err != nil {
		return AnyTime(), err
	}
	return TimesOf(settings), nil
}

// Untimely returns a Mistake for each limit of an output that excludes timestamps of its source. Documents grow old on
// their way, above all in a backlog, so a limit on the past is reported whatever the source's limit is.
func (t *Topics) Untimely(source, output string, from, to Times) (found []Mistake) {
	tell := func(key string, limit, ofSource int64, older string) {
		has := fmt.Sprintf("%s has %s", source, milliseconds(ofSource))
		found = append(found, Mistake{
			What: fmt.Sprintf("%s is %s, %s", key, milliseconds(limit), has),
			Why: "documents whose timestamp is " + older +
				" than that go to rejected, with another timestamp and their own in a header",
			Remedy: t.ConfigCommand(output, key, strconv.FormatInt(math.MaxInt64, 10)),
		})
	}
	if to.Before != math.MaxInt64 {
		tell(timestampBefore, to.Before, from.Before, "older")
	}
	if to.After < from.After {
		tell(timestampAfter, to.After, from.After, "further in the future")
	}
	return found
}

func milliseconds(limit int64) string {
	switch {
	case limit == math.MaxInt64:
		return "no limit"
	case limit > math.MaxInt64/int64(time.Millisecond):
		return strconv.FormatInt(limit, 10) + " ms"
	}
	return (time.Duration(limit) * time.Millisecond).String()
}
