package assembly

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/consumer"
)

// The flags by which a person permits something once. A message that stops a member prints them whole.
const (
	acceptGap       = "accept-journal-gap"
	acceptOffsets   = "accept-lost-offsets"
	acceptRejected  = "accept-rejected"
	acceptUnchecked = "accept-unchecked"
)

// AddAcceptGap adds the flag that accepts the loss of what a group remembered.
func AddAcceptGap(f cmdline.Flags) {
	f.Text(acceptGap, "JOURNAL@OFFSET:ID", "", "go on with an empty memory if that journal, whose topic has that id, begins at "+
		"that offset and no snapshot covers what came before")
}

// AddAcceptLost adds the same flag to a fill, which a person runs by hand and which makes the next journal. It needs no
// id: members do not go on before they are given the one that it prints.
func AddAcceptLost(f cmdline.Flags) {
	f.Text(acceptGap, "JOURNAL", "", "fill the window of a group that has lost that journal; it prints the flag that the members need then")
}

// AddAcceptFirst adds the flags that accept a source that begins with documents which are all rejected, or all unchecked.
func AddAcceptFirst(f cmdline.Flags) {
	f.Texts(acceptRejected, "topic",
		"go on although the first documents of that topic are all rejected for one reason; repeatable, or with commas")
	f.Texts(acceptUnchecked, "topic",
		"go on although none of the first documents of that topic, 100 at least, meets sources.when; repeatable, or with commas")
}

// Accepted returns what the flags of a command accept, of which it may have some.
func Accepted(cmd *cobra.Command) (consumer.Accepted, error) {
	patterns := map[string]string{
		"JOURNAL@OFFSET:ID": `^[\w.-]+@\d+:[\w-]{22}$`, "JOURNAL": `^[\w.-]+$`,
		"TOPIC/PARTITION@OFFSET": `^[\w.-]+/\d+@\d+$`, "topic": `^[\w.-]+$`,
	}
	for _, name := range []string{acceptGap, acceptOffsets, acceptRejected, acceptUnchecked} {
		for _, text := range given(cmd, name) {
			form := cmdline.Kind(cmd.Flag(name))
			if !regexp.MustCompile(patterns[form]).MatchString(text) {
				return consumer.Accepted{}, exit.Usage(fmt.Errorf(
					"--%s: %q is no %s: the message that stops a member has the whole flag", name, text, form))
			}
		}
	}
	return consumer.Accepted{
		JournalGap: strings.Join(given(cmd, acceptGap), ""), LostOffsets: given(cmd, acceptOffsets),
		Rejected: given(cmd, acceptRejected), Unchecked: given(cmd, acceptUnchecked),
	}, nil
}

func given(cmd *cobra.Command, name string) []string {
	switch flag := cmd.Flag(name); {
	case flag == nil || !flag.Changed:
		return nil
	case name == acceptGap:
		return []string{flag.Value.String()}
	}
	return strings.Split(strings.Join(cmdline.Texts(cmd, name), ","), ",")
}
