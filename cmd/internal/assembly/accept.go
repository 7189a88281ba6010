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
	acceptGap      = "accept-journal-gap"
	acceptOffsets  = "accept-lost-offsets"
	acceptRejected = "accept-rejected"
)

// AddAcceptGap adds the flag that accepts the loss of what a group remembered.
func AddAcceptGap(f cmdline.Flags) {
	f.Text(acceptGap, "JOURNAL@OFFSET", "",
		"go on with an empty memory where that journal begins there, and nothing tells what was remembered before")
}

// AddAcceptRejected adds the flag that accepts a source that begins with documents which are all rejected.
func AddAcceptRejected(f cmdline.Flags) {
	f.Texts(acceptRejected, "topic",
		"go on where the first documents of that topic are all rejected for one reason; repeatable, or with commas")
}

// Accepted returns what the flags of a command accept, of which it may have some.
func Accepted(cmd *cobra.Command) (consumer.Accepted, error) {
	for _, of := range []struct{ flag, form, pattern string }{
		{acceptGap, "JOURNAL@OFFSET", `^[\w.-]+@\d+$`},
		{acceptOffsets, "TOPIC/PARTITION@OFFSET", `^[\w.-]+/\d+@\d+$`},
		{acceptRejected, "TOPIC", `^[\w.-]+$`},
	} {
		for _, text := range given(cmd, of.flag) {
			if !regexp.MustCompile(of.pattern).MatchString(text) {
				return consumer.Accepted{}, exit.Usage(fmt.Errorf(
					"--%s: %q is no %s: the message that stops a member has the whole flag", of.flag, text, of.form))
			}
		}
	}
	return consumer.Accepted{
		JournalGap: strings.Join(given(cmd, acceptGap), ""), LostOffsets: given(cmd, acceptOffsets),
		Rejected: given(cmd, acceptRejected),
	}, nil
}

// given are the values of a flag.
func given(cmd *cobra.Command, name string) []string {
	switch flag := cmd.Flag(name); {
	case flag == nil || !flag.Changed:
		return nil
	case name == acceptGap:
		return []string{flag.Value.String()}
	}
	return strings.Split(strings.Join(cmdline.Texts(cmd, name), ","), ",")
}
