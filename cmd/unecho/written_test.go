package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/tune"
	"github.com/unecho/unecho/config"
)

// TestReplaceFile: what was there stays until another is whole, and nothing else is left.
func TestReplaceFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report")
	broken := errors.New("no space left")
	for _, there := range []string{"", "old"} {
		if there != "" {
			if err := os.WriteFile(path, []byte(there), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := replaceFile(path, 0o600, func(out io.Writer) error {
			_, err := io.WriteString(out, "half of")
			if now, _ := os.ReadFile(path); string(now) != there {
				t.Errorf("while it is written: %q", now)
			}
			return errors.Join(err, broken)
		})
		if now, _ := os.ReadFile(path); !errors.Is(err, broken) || string(now) != there {
			t.Errorf("%q, %v", now, err)
		}
	}
	err := replaceFile(path, 0o644, func(out io.Writer) error {
		_, err := io.WriteString(out, "new")
		return err
	})
	info, _ := os.Stat(path)
	if now, _ := os.ReadFile(path); err != nil || string(now) != "new" || info.Mode().Perm() != 0o600 {
		t.Errorf("%q, %v, %v", now, info.Mode(), err)
	}
	if left := names(t, dir); !slices.Equal(left, []string{"report"}) {
		t.Errorf("left are %v", left)
	}
}

// TestReplaceFileWhereItCannot: what was written is not lost where no file can take that place any more.
func TestReplaceFileWhereItCannot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report")
	err := replaceFile(path, 0o600, func(out io.Writer) error {
		_, err := io.WriteString(out, "all of it")
		return errors.Join(err, os.Mkdir(path, 0o700))
	})
	if err == nil {
		t.Fatal("a file took the place of a directory")
	}
	_, kept, _ := strings.Cut(err.Error(), "; what was written stands in ")
	if now, err2 := os.ReadFile(kept); err2 != nil || string(now) != "all of it" {
		t.Errorf("%v: %q, %v", err, now, err2)
	}
}

// TestTuneFinishes: of what was stopped the report holds what was tried, if anything was; and a recommendation that no service
// takes costs the settings, and nothing else.
func TestTuneFinishes(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	impossible := config.Default()
	impossible.Judge.Similarity.CodeBits = 5
	row := tune.Row{Setting: tune.Setting{Shingle: "word:1", Hash: "xxhash", Sketch: "minhash", Slots: 64, Planned: true, Threshold: 0.8}, Stage: tune.Verified}
	some := tune.Report{Rows: []tune.Row{row, row, row}, Recommended: &row}
	some.Rows[0].Stage, some.Rows[1].Stage = tune.Candidates, tune.Estimate
	for name, test := range map[string]struct {
		ctx        context.Context
		report     tune.Report
		config     config.Config
		want       string
		page, yaml bool // are written
	}{
		"done":              {t.Context(), some, config.Default(), "", true, true},
		"stopped":           {stopped, some, config.Default(), "stopped after 1 settings; the report holds what was tried so far", true, true},
		"stopped at once":   {stopped, tune.Report{}, config.Default(), "stopped before a setting was tried; nothing is written", false, false},
		"nothing was tried": {t.Context(), tune.Report{NotRecommended: "none was tried"}, config.Default(), "nothing to recommend: none was tried; it is left as it was", true, false},
		"impossible":        {t.Context(), some, impossible, "the recommended settings are none of a service: similarity.code_bits: 5", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			page, yaml := filepath.Join(dir, "page.html"), filepath.Join(dir, "tuned.yaml")
			cmd := &cobra.Command{}
			var table bytes.Buffer
			cmd.SetOut(&table)
			cmd.SetErr(io.Discard)
			out := &tuneOutputs{cmd: cmd, page: page, yaml: yaml}
			err := out.finish(test.ctx, &test.report, test.config, tune.Verified)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
			for path, written := range map[string]bool{page: test.page, yaml: test.yaml} {
				if _, err := os.Stat(path); (err == nil) != written {
					t.Errorf("%s: %v", path, err)
				}
			}
			if (table.Len() > 0) != test.page {
				t.Errorf("table: %s", table.String())
			}
		})
	}
}
