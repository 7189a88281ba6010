package tune

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/config"
)

// TestTuneFinishes: of what was stopped the report holds what was tried, if anything was; and a recommendation that no
// service takes costs the settings, and nothing else.
func TestTuneFinishes(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	impossible := config.Default()
	impossible.Judge.Duplicates.MaxCandidates = 0
	row := Row{Setting: Setting{
		Shingle: "word:1", Hash: "xxhash", Sketch: "minhash", Slots: 64, Planned: true,
		Threshold: 0.8,
	}}
	some := Report{Rows: []Row{row}, Recommended: &row}
	for name, test := range map[string]struct {
		ctx        context.Context
		report     Report
		config     config.Config
		want       string
		page, yaml bool // are written
	}{
		"done": {t.Context(), some, config.Default(), "", true, true},
		"stopped": {
			stopped, some, config.Default(),
			"stopped after 1 settings; the report holds what was tried so far", true, true,
		},
		"stopped at once": {
			stopped,
			Report{},
			config.Default(), "stopped before a setting was tried; nothing is written",
			false, false,
		},
		"nothing was tried": {
			t.Context(),
			Report{NotRecommended: "none was tried"},
			config.Default(),
			"nothing to recommend: none was tried; it is left as it was", true, false,
		},
		"impossible": {
			t.Context(), some, impossible,
			"the service refuses the recommended settings: duplicates.max_candidates: 0", true, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			page, yaml := filepath.Join(dir, "page.html"), filepath.Join(dir, "tuned.yaml")
			var table bytes.Buffer
			out := &Outputs{Page: outfile.Single{Flag: "html", Path: page}, YAML: outfile.Single{Flag: "yaml", Path: yaml}, Stdout: &table, Stderr: io.Discard}
			err := out.Finish(test.ctx, &test.report, test.config)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
			for path, written := range map[string]bool{page: test.page, yaml: test.yaml} {
				if _, err := os.Stat(path); (err == nil) != written {
					t.Errorf("looking for %s gives the error %v; want it written: %t", path, err, written)
				}
			}
			if (table.Len() > 0) != test.page {
				t.Errorf("table: %s", table.String())
			}
		})
	}
}

// What is written is what a service takes: nothing that decides nothing beside the rest.
func TestYAMLIsTaken(t *testing.T) {
	for verify, states := range map[string]bool{"estimate": false, "jaccard": true} {
		c := config.Default()
		p := &c.Judge.Duplicates
		p.Method, p.Distance, p.Verify = "simhash", 2, verify
		p.Threshold, p.Recall = 0.6, 0.9 // of an earlier choice
		text := differences(c.Judge, config.Default().Judge, []string{"duplicates.threshold", "duplicates.method", "duplicates.distance"})
		path := filepath.Join(t.TempDir(), "unecho.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := config.ResolveSections(config.Default(), []string{"duplicates", "normalize"}, path, nil, nil); err != nil {
			t.Errorf("%s: %v; want what is written taken:\n%s", verify, err, text)
		}
		if strings.Contains(text, "threshold: 0.6") != states || strings.Contains(text, "recall") {
			t.Errorf("%s: it writes\n%swant the threshold stated: %v, and no recall", verify, text, states)
		}
	}
}
