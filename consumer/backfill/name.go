package backfill

import (
	"fmt"
	"strings"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index/setting"
)

// Prefix begins the name of each job's group.
const Prefix = "unecho-backfill."

// The topics that hold the documents of files end in these: of those that a job replays, and of those that fill a
// group's window.
const (
	filesSuffix = ".files"
	fillSuffix  = ".fill"
)

const longestTopic = 249 // of Kafka

// GroupOf returns the group of the job of that name.
func GroupOf(name string) string { return Prefix + name }

// JournalOf returns the journal of a job.
func JournalOf(name string) string { return journal.DefaultParams().Name(GroupOf(name)) }

// FilesOf returns the topic that holds the documents of files that a job replays.
func FilesOf(name string) string { return GroupOf(name) + filesSuffix }

// FillOf returns the topic that holds the documents of files that fill the window of a group.
func FillOf(group string) string { return GroupOf(group) + fillSuffix }

// IsFill says whether a topic is one of files that fill a group's window.
func IsFill(topic string) bool {
	return strings.HasPrefix(topic, Prefix) && strings.HasSuffix(topic, fillSuffix)
}

// CheckName refuses a name that cannot be part of a topic's.
func CheckName(name string) error {
	longest := longestTopic - len(JournalOf(""))
	switch {
	case name == "":
		return &stop.Error{What: "a backfill needs a name", Remedy: "give it one with --name"}
	case !setting.IsName(name):
		return &stop.Error{
			What:   fmt.Sprintf("%q cannot be the name of a backfill: its topics could not have it in theirs", name),
			Remedy: "use letters, digits, '.', '_' and '-' in --name",
		}
	case len(name) > longest:
		return &stop.Error{
			What: fmt.Sprintf("%q has %d characters and is too long for the name of a backfill: its journal would be longer "+
				"than the 249 that Kafka allows", name, len(name)),
			Remedy: fmt.Sprintf("give it a name of up to %d with --name", longest),
		}
	}
	return nil
}
