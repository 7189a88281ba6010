package backfills

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/consumer/topic"
)

// Entry is a line of the list. Its JSON is a promise to scripts.
type Entry struct {
	Backfill  string  `json:"backfill"`
	Group     string  `json:"group"`
	State     string  `json:"state"` // starting, running, half-loaded, half-finished, finished, half-removed, fill, unread
	Sessions  int     `json:"sessions"`
	Topics    string  `json:"topics"`
	From      string  `json:"from"`
	To        string  `json:"to"`
	Documents int64   `json:"documents"`
	Share     float64 `json:"share"`           // of the range
	Next      string  `json:"next"`            // the command to go on with
	Error     string  `json:"error,omitempty"` // why it could not be read; only with state unread
}

// EntryOf tells of a job. with is what the commands that it names end in: the configuration.
func EntryOf(l *backfill.Listed, with string) Entry {
	e := Entry{Backfill: l.Name, Group: backfill.GroupOf(l.Name), Sessions: l.Members, Next: "unecho backfill remove " +
		l.Name + with}
	if l.Err != nil {
		e.State, e.Next, e.Error = "unread", "", l.Err.Error()
		return e
	}
	if l.Plan == nil {
		e.State = "half-removed"
		switch {
		case l.Members > 0:
			e.State, e.Next = "starting", ""
		case l.Files && len(l.Offsets) == 0:
			e.State, e.Next = "half-loaded", "unecho backfill --name "+l.Name+with+" --files FILE..."
		case l.Fill && len(l.Offsets) == 0:
			e.State = "fill"
		}
		return e
	}
	e.Topics, e.From, e.To, e.Documents = strings.Join(l.Topics(), ", "), l.Plan.From, l.Plan.To,
		l.Progress.Tally.Documents()
	e.Share = 1
	if l.Progress.Total > 0 {
		e.Share = float64(l.Progress.Done) / float64(l.Progress.Total)
	}
	switch {
	case l.Progress.Finished:
		e.State = "finished"
	case l.Members > 0:
		e.State, e.Next = "running", ""
	default:
		e.State, e.Next = "half-finished", "unecho backfill --name "+l.Name+dryRun(l)+with
	}
	return e
}

// dryRun is the flag without which nobody goes on with a dry run.
func dryRun(l *backfill.Listed) string {
	if _, dry := l.Outputs(); dry {
		return " --dry-run"
	}
	return ""
}

// List writes the jobs of a cluster. with is what the commands that it names end in: the configuration. If a job cannot
// be read, the error names it, and the others are written.
func List(ctx context.Context, options topic.Options, with string, asJSON bool, out io.Writer) error {
	all, err := backfill.List(ctx, options)
	if err != nil {
		return err
	}
	entries := make([]Entry, len(all))
	for i := range all {
		entries[i] = EntryOf(&all[i], with)
	}
	write := WriteList
	if asJSON {
		write = WriteListJSON
	}
	if err := write(out, entries); err != nil {
		return err
	}
	return unread(entries)
}

// unread is an error if there are jobs that could not be read.
func unread(all []Entry) error {
	var names []string
	for _, e := range all {
		if e.State == "unread" {
			names = append(names, e.Backfill)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return &stop.Error{
		What:   fmt.Sprintf("%s cannot be read: %s", terminal.Several(len(names), "backfill"), strings.Join(names, ", ")),
		Remedy: "see the reason beside each; one that is begun or removed at this moment can be read in a moment",
	}
}

// WriteList writes the list for people.
func WriteList(out io.Writer, all []Entry) error {
	var b strings.Builder
	if len(all) == 0 {
		b.WriteString("there is no backfill\n")
	}
	for _, e := range all {
		fmt.Fprintf(&b, "%s: %s", e.Backfill, e.State)
		switch e.State {
		case "running":
			fmt.Fprintf(&b, " by %s, %d %%", terminal.Several(e.Sessions, "session"), int(100*e.Share))
		case "half-finished":
			fmt.Fprintf(&b, ", %d %%", int(100*e.Share))
		case "unread":
			fmt.Fprintf(&b, ": %s", terminal.Printable(e.Error, terminal.LongLine))
		}
		b.WriteByte('\n')
		if e.Topics != "" {
			fmt.Fprintf(&b, "  %s from %s to %s, %s judged\n", e.Topics, e.From, e.To,
				terminal.Several(int(e.Documents), "document"))
		}
		if does := map[string]string{
			"finished": "remove it", "fill": "files for the window of group " + e.Backfill + "; when that is filled, remove them", "half-finished": "go on",
			"half-loaded": "go on, with the same files", "half-removed": "finish that",
		}[e.State]; does != "" {
			fmt.Fprintf(&b, "  %s: %s\n", does, e.Next)
		}
	}
	// what was asked for stands in journals, as somebody wrote it
	_, err := io.WriteString(out, terminal.Harmless(b.String()))
	return err
}

// WriteListJSON writes one object a line.
func WriteListJSON(out io.Writer, all []Entry) error {
	for _, e := range all {
		if err := terminal.WriteJSON(out, e); err != nil {
			return err
		}
	}
	return nil
}

// Remove deletes what a backfill keeps, and tells what that was. Progress goes to log.
func Remove(ctx context.Context, c config.Config, options topic.Options, name string, out, log io.Writer) error {
	stored := false
	done, err := backfill.Remove(ctx, options, name, func(ctx context.Context) (err error) {
		stored, err = c.Snapshot.Opener().Remove(ctx, backfill.GroupOf(name))
		return err
	}, func(topics []string) {
		fmt.Fprintf(log, "unecho: waiting until no broker knows %s any more\n", strings.Join(topics, ", "))
	})
	if err != nil {
		return err
	}
	gone := done.Topics
	if done.Group {
		gone = append(gone, "group "+backfill.GroupOf(name))
	}
	if stored {
		gone = append(gone, "its snapshots")
	}
	if len(gone) == 0 {
		return fmt.Errorf("there is no backfill %s; `unecho backfill list` shows those there are", name)
	}
	_, err = fmt.Fprintf(out, "removed backfill %s: %s\n", name, strings.Join(gone, ", "))
	return err
}
