package cmdline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/config"
)

// settingsCommand runs a command with setting flags and returns the configuration it would work with.
func settingsCommand(t *testing.T, args ...string) (config.Config, error) {
	t.Helper()
	var c config.Config
	cmd := &cobra.Command{Use: "try", RunE: func(cmd *cobra.Command, _ []string) (err error) {
		c, err = Settings(cmd, config.Default())
		return err
	}}
	cmd.Flags().String("recall", "", "a flag of the verb's own")
	AddLogFlags(cmd)
	AddSettings(cmd, "duplicates", "sources.text")
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	return c, cmd.Execute()
}

func TestSettingFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "unecho.yaml")
	if err := os.WriteFile(file, []byte("duplicates:\n  threshold: 0.7\n  slots: 256\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := settingsCommand(t, "--config", file, "--threshold", "0.9", "--max-candidates=8", "--text", "title,body",
		"--duplicates-recall", "0.9")
	if err != nil {
		t.Fatal(err)
	}
	s := c.Judge.Duplicates
	if s.Threshold != 0.9 || s.Slots != 256 || s.MaxCandidates != 8 || s.Recall != 0.9 ||
		strings.Join(c.Sources[0].Reading.Fields, " ") != "title body" {
		t.Errorf("%+v, sources %+v", s, c.Sources)
	}
	if _, err := settingsCommand(t, "--threshold", "8", "--verify", "cosine"); err == nil ||
		!strings.Contains(err.Error(), "threshold") || !strings.Contains(err.Error(), "cosine") {
		t.Errorf("two mistakes: %v", err)
	}
}
