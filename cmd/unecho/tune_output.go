package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/tune"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// tuneOutputs are opened before anything is tried: that a file cannot be written must not show only after minutes.
type tuneOutputs struct {
	cmd        *cobra.Command
	page, yaml io.Writer // nil if not asked for
	files      []*os.File
	json       bool
	used       bool // standard output is, by page or yaml
}

func openTuneOutputs(cmd *cobra.Command) (out *tuneOutputs, err error) {
	out = &tuneOutputs{cmd: cmd, json: flagBool(cmd, "json")}
	if out.page, err = out.open("html"); err != nil {
		return nil, err
	}
	if out.yaml, err = out.open("yaml"); err != nil {
		return nil, errors.Join(err, out.close())
	}
	return out, nil
}

func (o *tuneOutputs) open(flag string) (io.Writer, error) {
	path := o.cmd.Flag(flag).Value.String()
	switch path {
	case "":
		return nil, nil
	case corpus.Stdin:
		if o.used || o.json {
			return nil, usageError{fmt.Errorf("--%s -: standard output is taken already", flag)}
		}
		o.used = true
		return o.cmd.OutOrStdout(), nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("write report: %w", err)
	}
	o.files = append(o.files, f)
	return f, nil
}

func (o *tuneOutputs) close() error {
	var err error
	for _, f := range o.files {
		err = errors.Join(err, f.Close())
	}
	return err
}

func (o *tuneOutputs) write(report *tune.Report) error {
	if o.page != nil {
		if err := report.WritePage(o.page); err != nil {
			return err
		}
	}
	if o.yaml != nil {
		if _, err := io.WriteString(o.yaml, report.YAML); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	switch {
	case o.json:
		return json.NewEncoder(o.cmd.OutOrStdout()).Encode(report)
	case o.used:
		return nil
	}
	if err := report.WriteTable(o.cmd.OutOrStdout()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(o.cmd.ErrOrStderr(), "%s, %s in %s\n", several(report.Documents, "document"), several(report.Settings(), "setting"),
		time.Duration(report.Seconds*float64(time.Second)).Round(time.Millisecond))
	return err
}

// settingYAML is what a service's configuration says for a setting to be as it was tried: the setting, and what else about
// texts and similarity is not the default.
func settingYAML(c config.Config, s tune.Setting, stage string) (string, error) {
	tried, always := c, []string{"similarity.threshold", "similarity.shingle", "similarity.sketch"}
	p := &tried.Judge.Similarity
	p.Threshold, p.Shingle, p.Hash, p.Sketch = s.Threshold, s.Shingle, s.Hash, s.Sketch
	p.Bands, p.Rows, p.Blocks, p.Plan = 0, 0, 0, config.Default().Judge.Similarity.Plan
	if s.Sketch == tune.SimHash {
		p.Bits, p.Distance = s.Bits, s.Distance
		always = append(always, "similarity.bits", "similarity.distance")
	} else {
		always = append(always, "similarity.slots")
		if p.Slots = s.Slots; !s.Planned {
			p.Bands, p.Rows = s.Bands, s.Rows
		}
	}
	if stage == tune.Estimate {
		p.Verify = "estimate"
	}
	if mistakes := tried.Judge.Validate(); len(mistakes) > 0 {
		return "", fmt.Errorf("write the recommended settings: %s", mistakes[0])
	}
	return differences(tried.Judge, config.Default().Judge, always), nil
}

// differences are the settings of similarity and text that are not as usual, and those that are always told.
func differences(tried, usual index.Params, always []string) string {
	var b strings.Builder
	section := ""
	as := setting.Fields(usual)
	for i, f := range setting.Fields(tried) {
		head, name, _ := strings.Cut(f.Key, ".")
		if head != "similarity" && head != "text" || f.Text() == as[i].Text() && !slices.Contains(always, f.Key) {
			continue
		}
		if head != section {
			section = head
			b.WriteString(head + ":\n")
		}
		fmt.Fprintf(&b, "  %s: %s\n", name, f.Text())
	}
	return b.String()
}
