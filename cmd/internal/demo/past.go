package demo

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// mostLast bounds the documents that are kept to be sorted.
const mostLast = 10_000

// begin is where the reading begins, by the flags, if it is now.
func begin(cmd *cobra.Command, now time.Time) (past topic.Past, err error) {
	from, fresh := cmdline.Text(cmd, "from"), cmdline.Bool(cmd, "new")
	if past.Last = cmdline.Int(cmd, "last"); fresh {
		past.Last = 0
	}
	switch {
	case fresh && (cmd.Flag("last").Changed || cmd.Flag("from").Changed):
		return past, errors.New("--new shows nothing of the past: leave out --last and --from")
	case past.Last < -1 || past.Last > mostLast:
		return past, fmt.Errorf("--last %d is out of range: write 0 to %d", past.Last, mostLast)
	case from == "":
		return past, nil
	}
	if back, err := time.ParseDuration(from); err == nil && back >= 0 {
		past.From = now.Add(-back)
		return past, nil
	}
	b, err := backfill.ParseBound(from, now)
	at, is := b.Time()
	if err != nil || !is {
		return past, fmt.Errorf("--from %q is no time: write 10m, \"2h ago\", 2026-01-01 or 2026-01-01T09:30:00Z", from)
	}
	past.From = at
	return past, nil
}

// Outputs are the outputs that the arguments name: one, or all.
func Outputs(args []string) ([]string, error) {
	all := []string{sink.Unique, sink.Duplicate, sink.Rejected}
	if len(args) == 0 {
		return all, nil
	}
	if !slices.Contains(all, args[0]) {
		return nil, fmt.Errorf("there is no output %q: write unique, duplicate or rejected", args[0])
	}
	return args, nil
}

// Topics are the topics of outputs of a source topic, each once.
func Topics(p sink.Params, source string, outputs []string) (topics []string) {
	unique, duplicate, rejected := p.Topics(source)
	of := map[string]string{sink.Unique: unique, sink.Duplicate: duplicate, sink.Rejected: rejected}
	for _, output := range outputs {
		if of[output] != "" && !slices.Contains(topics, of[output]) {
			topics = append(topics, of[output])
		}
	}
	return topics
}

// Only returns which records of those topics are of the outputs; nil if all of them are.
func Only(p sink.Params, outputs []string) func(*topic.Record) bool {
	if !p.Together() || slices.Contains(outputs, sink.Unique) && slices.Contains(outputs, sink.Duplicate) {
		return nil
	}
	return func(r *topic.Record) bool { return slices.Contains(outputs, r.Header(sink.HeaderVerdict)) }
}
