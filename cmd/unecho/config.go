package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/config"
)

// configCommand holds the verbs about configuration.
func configCommand() *cobra.Command {
	cmd := cmdline.GroupCommand(&cobra.Command{Use: "config", Short: "Write, check and show the configuration"})
	cmd.AddCommand(configInitCommand(), configCheckCommand(), configPrintCommand(), configSchemaCommand(),
		configTableCommand())
	return cmd
}

func configInitCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a configuration file to begin with",
		Args:  cmdline.AtMost(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, text := cmdline.Text(cmd, "output"), config.Start()
			if cmdline.Bool(cmd, "full") {
				text = config.Template()
			}
			if path == "" || path == "-" {
				_, err := io.WriteString(cmd.OutOrStdout(), text)
				return err
			}
			err := outfile.Create(path, func(out io.Writer) error {
				_, err := io.WriteString(out, text)
				return err
			})
			if errors.Is(err, outfile.ErrExists) {
				return fmt.Errorf("write configuration: %s %w", path, err)
			}
			if err != nil {
				return fmt.Errorf("write configuration: %w", err)
			}
			_, err = fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s; edit it, then: unecho config check %s\n", path, path)
			return err
		},
	}
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.TextP("output", "o", "file", "", "the file to write; standard output if not given")
		f.Bool("full", false, "write every key with its meaning, commented out")
	})
	return cmd
}

func configCheckCommand() *cobra.Command {
	return onConfig(&cobra.Command{
		Use:   "check [FILE]",
		Short: "Report every mistake in the configuration",
		Long: "Report every mistake in FILE (default " + cmdline.DefaultFile +
			", if it is there), the environment and --set, each with its place.",
	}, func(loaded config.Loaded) string {
		return fmt.Sprintf("no mistakes: %d settings from the file, %d from the environment, %d from flags, %d defaults\n",
			loaded.Count(config.FromFile), loaded.Count(config.FromEnvironment), loaded.Count(config.FromFlag),
			loaded.Count(config.FromDefault))
	})
}

func configPrintCommand() *cobra.Command {
	return onConfig(&cobra.Command{
		Use:   "print [FILE]",
		Short: "Print the effective configuration and where each value comes from; secrets are masked",
	}, func(loaded config.Loaded) string { return loaded.String() })
}

// onConfig prints what there is to say of the configuration.
func onConfig(cmd *cobra.Command, say func(config.Loaded) string) *cobra.Command {
	cmd.Args = cmdline.AtMost(1, "one FILE")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		loaded, err := resolveConfig(cmd, args)
		if err != nil {
			return err
		}
		_, err = io.WriteString(cmd.OutOrStdout(), say(loaded))
		return err
	}
	// --config names the file as it does for other verbs
	cmdline.Add(cmd, cmdline.Advanced, func(f cmdline.Flags) { f.TextP("config", "c", "file", "", "the same as FILE") })
	cmdline.AddSet(cmd)
	return cmd
}

func configSchemaCommand() *cobra.Command {
	return printing("schema", "Print a JSON schema of the configuration file, for editors", config.Schema)
}

func configTableCommand() *cobra.Command {
	cmd := printing("table", "Print all settings as a Markdown table", config.Table)
	cmd.Hidden = true
	return cmd
}

func printing(use, short string, text func() string) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cmdline.AtMost(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), text())
			return err
		},
	}
}

// resolveConfig loads the configuration that a command line asks for: the file it names, the environment, --set and the
// log flags.
func resolveConfig(cmd *cobra.Command, args []string) (config.Loaded, error) {
	if path := cmdline.Text(cmd, "config"); path != "" {
		if len(args) > 0 {
			return config.Loaded{}, exit.Usage(fmt.Errorf("%s takes one file, not %q and --config %s as well", cmd.CommandPath(),
				args[0], path))
		}
		args = []string{path}
	}
	return config.Resolve(cmdline.ConfigPath(args), os.Environ(), append(cmdline.Texts(cmd, "set"), cmdline.LogSets(cmd)...))
}
