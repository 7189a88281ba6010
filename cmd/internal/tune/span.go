package tune

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/consumer/topic"
)

// ParseSpan returns the part of a topic that --from, --to and --documents name.
func ParseSpan(from, to string, documents int64, now time.Time) (span topic.Span, err error) {
	if span.From, err = parseTime("from", from, now); err != nil {
		return span, err
	}
	if span.To, err = parseTime("to", to, now); err != nil {
		return span, err
	}
	if !span.From.IsZero() && !span.To.IsZero() && !span.From.Before(span.To) {
		return span, exit.Usage(errors.New("--from is not before --to: nothing is between them"))
	}
	if span.Last = documents; documents < 0 {
		return span, exit.Usage(fmt.Errorf("--documents %d: write a number above 0", documents))
	}
	return span, nil
}

// parseTime reads a time, or how long ago it was; the zero time if nothing is given.
func parseTime(flag, value string, now time.Time) (time.Time, error) {
	value = strings.TrimSpace(value)
	if value == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(value); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, value); err == nil {
			return t, nil
		}
	}
	return time.Time{}, exit.Usage(
		fmt.Errorf("--%s %s: write a time such as 2026-11-21T08:00:00Z or 2026-11-21 (UTC), or how long ago, such as 24h",
			flag, value))
}
