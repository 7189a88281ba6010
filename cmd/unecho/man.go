package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/unecho/unecho/cmd/internal/cmdline"
)

func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write a man page for each command into a directory",
		Example: "  unecho man /usr/local/share/man/man1",
		Args:    cmdline.Exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil { // man pages are for everybody
				return fmt.Errorf("write man pages: %w", err)
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true // a page without a date is the same each time
			header := &doc.GenManHeader{Title: "UNECHO", Section: "1", Source: "unecho " + version()}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return fmt.Errorf("write man pages: %w", err)
			}
			return nil
		},
	}
}
