package target

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/index"
)

// AddDirectory adds the flag of a verb that follows a journal and can keep old documents in files.
func AddDirectory(cmd *cobra.Command) {
	cmdline.Add(cmd, cmdline.Advanced, func(f cmdline.Flags) {
		f.Text("directory", "dir", "", "keep old documents in files of this directory during the run")
	})
}

// CheckDirectory refuses that flag for a group whose old documents cannot lie in files.
func CheckDirectory(cmd *cobra.Command, p *index.Params) error {
	wrong := p.Duplicates.Remember.WrongFiles("--directory", cmdline.Text(cmd, "directory"))
	if len(wrong) == 0 {
		return nil
	}
	return exit.Usage(errors.New(wrong[0].String()))
}
