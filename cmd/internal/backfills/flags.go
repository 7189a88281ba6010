package backfills

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/backfill"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/sink"
)

// Flags are what a command line asks of a backfill.
type Flags struct {
	Topics                                          []string
	From, To                                        backfill.Bound
	Order                                           protocol.Order
	Unique, Duplicate, Rejected, Verdicts, Clusters string
	Name, Into                                      string
	Fill                                            bool     // a window is filled, and nothing is replayed
	Files                                           []string // their documents are replayed
	Format, Time                                    string   // of the files
	Partitions                                      int      // among which their documents are dealt; 0: not said
	MaxRate                                         int
	Directory                                       string // where old documents lie while a window is filled; empty: in memory
	DryRun, JSON                                    bool
	Accepted                                        consumer.Accepted

	Sets   []string               // the settings that --set gave
	Config []string               // the arguments that name the configuration, for commands that are shown
	Given  func(flag string) bool // says whether a flag was given
}

// Check returns all that is wrong with the flags.
func (f *Flags) Check() error {
	wrong := f.wrongFiles()
	switch {
	case f.MaxRate < 0:
		wrong = append(wrong, errors.New("--max-rate: write documents a second, or 0 for no bound"))
	case f.Into != "" && f.Name != "":
		wrong = append(wrong, errors.New(
			"--name and --into: a job that goes on as a live group has that group's name; leave --name out"))
	case f.Into != "" && f.DryRun:
		wrong = append(wrong, errors.New(
			"--into and --dry-run: choose one; a live group that forwards nothing is of no use to its readers"))
	}
	if f.Fill {
		return errors.Join(wrong...)
	}
	return errors.Join(append(wrong, f.wrongSettings()...)...)
}

func (f *Flags) wrongFiles() (wrong []error) {
	if len(f.Files) == 0 {
		for _, flag := range []string{"format", "time", "partitions"} {
			if f.Given(flag) {
				wrong = append(wrong, fmt.Errorf("--%s: is about files%s", flag,
					f.withFiles("; name them with --files", ", and none is named")))
			}
		}
		return wrong
	}
	for _, flag := range []string{"topic", "from", "to", "into"} {
		if f.Given(flag) {
			wrong = append(wrong, fmt.Errorf("--%s and %s: choose one; all documents of the files are taken", flag,
				f.withFiles("--files", "files")))
		}
	}
	if f.Fill { // the files are named after the group
	} else if f.Name == "" {
		wrong = append(wrong, errors.New("--files: give the job a name with --name"))
	} else if err := backfill.CheckName(f.Name); err != nil {
		wrong = append(wrong, err)
	}
	if !slices.Contains(corpus.Formats(), f.Format) {
		wrong = append(wrong, fmt.Errorf("--format %s: there is %s", f.Format, strings.Join(corpus.Formats(), ", ")))
	}
	return append(wrong, f.wrongPartitions()...)
}

// withFiles chooses a word: the verb that fills takes files as arguments, the other one by a flag.
func (f *Flags) withFiles(flag, arguments string) string {
	if f.Fill {
		return arguments
	}
	return flag
}

// mostPartitions keeps a slip from making a topic that a cluster cannot bear.
const mostPartitions = 1000

// wrongPartitions refuses several partitions where nothing but the order of the files says what is judged first.
func (f *Flags) wrongPartitions() (wrong []error) {
	if !f.Given("partitions") {
		return nil
	}
	if f.Partitions < 1 || f.Partitions > mostPartitions {
		wrong = append(wrong, fmt.Errorf("--partitions %d: write a number from 1 to %d", f.Partitions, mostPartitions))
	}
	if f.Partitions > 1 && f.ordered() {
		wrong = append(wrong, errors.New("--partitions: the order of the files holds in one partition only; "+
			"add --order arrival to judge documents as they come, or --time FIELD to judge them in the order of their times"))
	}
	return wrong
}

// ordered says that nothing but the order of the files says what is judged first.
func (f *Flags) ordered() bool {
	return f.Time == "" && (f.Fill || f.Order != protocol.ByArrival)
}

// wrongSettings refuses --set for what a backfill has flags for, or has of its own.
func (f *Flags) wrongSettings() (wrong []error) {
	instead := map[string]string{
		"sources.topics": "use --topic", "group": "use --name, or --into", "outputs.unique.topic": "use --unique",
		"outputs.duplicate.topic": "use --duplicate",
		"outputs.rejected.topic":  "use --rejected", "outputs.verdicts.topic": "use --verdicts",
		"outputs.clusters.topic": "use --clusters",
	}
	if f.Into == "" {
		instead["sources.start"] = "use --from"
	}
	for _, set := range f.Sets {
		key, value, _ := strings.Cut(set, "=")
		if advice, own := instead[key]; own {
			wrong = append(wrong, fmt.Errorf("--set %s: %s", key, advice))
		}
		if key == "duplicates.remember.clock" && value != eventClock {
			wrong = append(wrong, fmt.Errorf("--set duplicates.remember.clock=%s: a backfill goes by the documents' own times; leave it out", value))
		}
	}
	return wrong
}

// eventClock is the value of duplicates.remember.clock that a backfill has.
const eventClock = "event"

// asked returns what the command line says of a job that may have begun already. Dry says that the settings make it a
// dry run.
func (f *Flags) asked(dry bool) backfill.Asked {
	asked := f.brings("")
	asked.Files = len(f.Files) > 0
	if asked.Files {
		asked.Topics = []string{backfill.FilesOf(f.Name)}
	}
	asked.Outputs = sink.Outputs(f.Unique, f.Duplicate, f.Rejected, f.Verdicts, f.Clusters)
	if f.Given("order") {
		asked.Order = &f.Order
	}
	if dry || f.Given("dry-run") {
		asked.DryRun = &dry
	}
	return asked
}

// brings returns what the command line says of a fill, or of the range of a job, that may have begun already. The group
// is the one that is filled.
func (f *Flags) brings(group string) backfill.Asked {
	asked := backfill.Asked{Topics: f.Topics}
	if f.Fill && len(f.Files) > 0 { // all of them
		from, to := backfill.Start(), backfill.End()
		return backfill.Asked{Topics: []string{backfill.FillOf(group)}, From: &from, To: &to}
	}
	if f.Given("from") {
		asked.From = &f.From
	}
	if f.Given("to") {
		asked.To = &f.To
	}
	return asked
}
