package main

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/unecho/unecho/cmd/internal/cmdline"
)

// TestOneNameOneSetting: a flag means the same setting in each verb that has it.
func TestOneNameOneSetting(t *testing.T) {
	means := map[string]string{}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			for _, key := range flag.Annotations[cmdline.SettingAnnotation] {
				if other, known := means[flag.Name]; known && other != key {
					t.Errorf("--%s is %s, and %s in %s", flag.Name, other, key, cmd.CommandPath())
				}
				means[flag.Name] = key
			}
		})
		for _, below := range cmd.Commands() {
			visit(below)
		}
	}
	visit(rootCommand())
	if len(means) < 40 {
		t.Errorf("%d settings have flags", len(means))
	}
}
