package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/cmd/internal/tune"
	"github.com/unecho/unecho/cmd/internal/written"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// tuneOutputs are written at the end, each as a whole. That one cannot be must not show only after minutes.
type tuneOutputs struct {
	cmd        *cobra.Command
	page, yaml string        // paths; empty if not asked for
	files      written.Files // that the sample may not be read from
	json       bool
	used       bool // standard output is, by page or yaml
}

func newTuneOutputs(cmd *cobra.Command) (out *tuneOutputs, err error) {
	out = &tuneOutputs{
		cmd: cmd, page: cmd.Flag("html").Value.String(), yaml: cmd.Flag("yaml").Value.String(), json: flagBool(cmd, "json"),
	}
	if out.files, err = writtenBy(cmd, "html", "yaml"); err != nil {
		return nil, err
	}
	if err := out.files.SpareFiles(configOf(cmd)); err != nil {
		return nil, err
	}
	return out, errors.Join(out.ready("html", out.page), out.ready("yaml", out.yaml))
}

// ready finds out whether an output can be written.
func (o *tuneOutputs) ready(flag, path string) error {
	switch path {
	case "":
		return nil
	case corpus.Stdin:
		if o.used || o.json {
			return exit.Usage(fmt.Errorf("--%s -: standard output is taken already", flag))
		}
		o.used = true
		return nil
	}
	if err := written.Replaceable(path); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// finish completes the report and writes it. What was stopped before anything was tried leaves an older report alone.
func (o *tuneOutputs) finish(ctx context.Context, report *tune.Report, c config.Config, stage string) error {
	if ctx.Err() != nil && report.Settings() == 0 {
		return errors.New("stopped before a setting was tried; nothing is written")
	}
	err := o.recommend(report, c, stage)
	if err := errors.Join(o.write(report), err); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("stopped after %d settings; the report holds what was tried so far", report.Settings())
	}
	return nil
}

func (o *tuneOutputs) write(report *tune.Report) error {
	var err error
	if o.page != "" {
		err = o.to(o.page, report.WritePage)
	}
	if o.yaml != "" && report.YAML != "" {
		err = errors.Join(err, o.to(o.yaml, func(out io.Writer) error {
			_, err := io.WriteString(out, report.YAML)
			return err
		}))
	}
	return errors.Join(err, o.print(report))
}

func (o *tuneOutputs) to(path string, write func(io.Writer) error) error {
	if path == corpus.Stdin {
		return write(o.cmd.OutOrStdout())
	}
	if err := written.Replace(path, 0o666, write); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// print writes what goes to standard output if nothing else does.
func (o *tuneOutputs) print(report *tune.Report) error {
	switch {
	case o.json:
		return json.NewEncoder(o.cmd.OutOrStdout()).Encode(report)
	case o.used:
		return nil
	}
	if err := report.WriteTable(o.cmd.OutOrStdout()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(o.cmd.ErrOrStderr(), "%s, %s in %s\n", terminal.Several(report.Documents, "document"), terminal.Several(report.Settings(), "setting"),
		time.Duration(report.Seconds*float64(time.Second)).Round(time.Millisecond))
	return err
}

// recommend completes the report by its configuration. That there is none is an error only to who wants the file.
func (o *tuneOutputs) recommend(report *tune.Report, c config.Config, stage string) (err error) {
	switch best := report.Recommended; {
	case best != nil:
		report.YAML, err = settingYAML(c, best.Setting, stage)
	case o.yaml != "":
		err = errors.New("nothing to recommend: " + report.NotRecommended)
	}
	if err != nil && o.yaml != "" {
		err = fmt.Errorf("write --yaml %s: %w; it is left as it was", o.yaml, err)
	}
	return err
}

// settingYAML is what a service's configuration says for a setting to be as it was tried: the setting, and what else about
// texts and similarity is not the default.
func settingYAML(c config.Config, s tune.Setting, stage string) (string, error) {
	tried, always := c, []string{"similarity.threshold", "similarity.shingle", "similarity.sketch"}
	p := &tried.Judge.Similarity
	p.Threshold, p.Shingle, p.Hash, p.Sketch = s.Threshold, s.Shingle, s.Hash, s.Sketch
	p.Bands, p.Rows, p.Blocks, p.Plan = 0, 0, 0, config.Default().Judge.Similarity.Plan
	if s.ByDistance() {
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
		return "", fmt.Errorf("the recommended settings are none of a service: %s", mistakes[0])
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
