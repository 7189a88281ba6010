package tune

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
)

// Outputs are written at the end, each completely. An output that cannot be written should be reported before the
// minutes of work.
type Outputs struct {
	Page, YAML     outfile.Single
	About          report.About // of the page
	JSON           bool         // instead of the table
	All            bool         // all rows instead of the best
	Stdout, Stderr io.Writer
}

// Ready checks whether all of them can be written.
func (o *Outputs) Ready() error {
	return errors.Join(o.Page.Ready(o.JSON), o.YAML.Ready(o.JSON || o.Page.OnStdout()))
}

// Finish completes the report and writes it. If the run was stopped before anything was tried, an older report is kept.
func (o *Outputs) Finish(ctx context.Context, report *Report, c config.Config) error {
	if ctx.Err() != nil && report.Settings() == 0 {
		return errors.New("stopped before a setting was tried; nothing is written")
	}
	err := o.recommend(report, c)
	if err := errors.Join(o.write(report), err); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("stopped after %d settings; the report holds what was tried so far", report.Settings())
	}
	return nil
}

func (o *Outputs) write(report *Report) error {
	err := o.Page.Write(func(out io.Writer) error { return report.WritePage(out, o.About) })
	if report.YAML != "" {
		err = errors.Join(err, o.YAML.Write(func(out io.Writer) error {
			_, err := io.WriteString(out, report.YAML)
			return err
		}))
	}
	return errors.Join(err, o.print(report))
}

// print writes to standard output if no other output does.
func (o *Outputs) print(report *Report) error {
	switch {
	case o.JSON:
		return terminal.WriteJSON(o.Stdout, report)
	case o.Page.OnStdout() || o.YAML.OnStdout():
		return nil
	}
	if o.All {
		if err := report.WriteAll(o.Stdout); err != nil {
			return err
		}
	}
	if err := report.WriteTable(o.Stdout); err != nil {
		return err
	}
	_, err := fmt.Fprintf(o.Stderr, "%s, %s in %s\n", terminal.Several(report.Documents, "document"),
		terminal.Several(report.Settings(), "setting"),
		time.Duration(report.Seconds*float64(time.Second)).Round(time.Millisecond))
	return err
}

// recommend adds the recommended configuration to the report. It is an error if there is none: a script goes on with
// what it was recommended.
func (o *Outputs) recommend(report *Report, c config.Config) (err error) {
	if best := report.Recommended; best != nil {
		report.YAML, err = settingYAML(c, best.Setting)
	} else {
		err = errors.New("nothing to recommend: " + report.NotRecommended)
	}
	if err != nil && o.YAML.Path != "" {
		err = fmt.Errorf("write --yaml %s: %w; it is left as it was", o.YAML.Path, err)
	}
	return err
}
