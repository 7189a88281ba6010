package cmdline

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

// Confirmed asks a person, unless --yes says so already. Where nobody can be asked, nothing is done. Ctrl-C ends the
// question.
func Confirmed(ctx context.Context, cmd *cobra.Command, question string) (bool, error) {
	if Bool(cmd, "yes") {
		return true, nil
	}
	in, _ := cmd.InOrStdin().(*os.File)
	if in == nil || !terminal.Is(in) || !terminal.Is(cmd.ErrOrStderr()) {
		return false, exit.Usage(errors.New("there is no terminal to ask for confirmation: add --yes"))
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s [y/N] ", question)
	answered := make(chan string, 1) // who was not answered reads on until the program ends
	go func() {
		answer, _ := bufio.NewReader(in).ReadString('\n') // a terminal that is closed says no
		answered <- answer
	}()
	select {
	case answer := <-answered:
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
			return true, nil
		}
		_, err := fmt.Fprintln(cmd.ErrOrStderr(), "nothing was removed")
		return false, err
	case <-ctx.Done():
		fmt.Fprintln(cmd.ErrOrStderr())
		return false, errors.New("nothing was removed")
	}
}
