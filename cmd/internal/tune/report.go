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
	"github.com/unecho/unecho/index/eval"
)

// Figures say how the documents that leave as copies compare with those that should. Their JSON is a promise to scripts.
type Figures struct {
	eval.Score
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

func newFigures(s eval.Score) Figures { return Figures{s, s.Precision(), s.Recall(), s.F1()} }

// Row is the result of one setting: the verdicts about the sample, in its order. Its JSON is a promise to scripts.
type Row struct {
	Setting
	Figures
	// Near leaves out what leaves as a copy of a document with the same shingles. Every setting finds these, so they tell
	// no two apart.
	Near Figures `json:"near"`
	// share of the pairs at the threshold that become candidates, by the bands themselves; none for a sketch without rows
	Curve                 float64 `json:"curve,omitempty"`
	UniqueCut             uint64  `json:"unique_cut"` // unique documents that were not compared with all candidates
	CandidatesPerDocument float64 `json:"candidates_per_document"`
	CostNanoseconds       float64 `json:"cost_ns"`            // of a document in the window of the service, by sketch.CostOf
	BytesPerDocument      float64 `json:"bytes_per_document"` // bytes that the index would take per document
	IndexBytes            int64   `json:"index_bytes"`        // for the sample
	Seconds               float64 `json:"seconds"`            // to sign and to judge the sample
}

// Source is the truth about the sample under one shingle and hash.
type Source struct {
	Shingle     string  `json:"shingle"`
	Hash        string  `json:"hash"`
	Ignores     bool    `json:"ignores,omitempty"` // the list of duplicates.ignore is left out
	Documents   int     `json:"documents"`         // that are not empty
	Shingles    float64 `json:"shingles_per_document"`
	Floor       float64 `json:"floor"` // least similarity looked for
	Pairs       int     `json:"pairs"` // at or above it
	Histogram   []int   `json:"histogram"`
	Identical   int     `json:"identical"`     // of the pairs, those whose shingles are equal
	At          int     `json:"at"`            // pairs at or above the threshold of the recommendation
	Common      int     `json:"common"`        // of these, those that are pairs of the recommended setting's truth as well
	Best        *Row    `json:"best"`          // what would be recommended under this truth; null if there is none
	Why         string  `json:"why,omitempty"` // nothing would be recommended
	JoinSeconds float64 `json:"join_seconds"`

	at    []uint64 // the pairs that At counts, in order
	sizes []int    // of the sets that are not empty
}

func (s *Source) source() source { return source{s.Shingle, s.Hash, s.Ignores} }

// Compared names what is compared: the shingle, and whether a list is left out.
func (s *Source) Compared() string { return s.source().compared() }

// Skipped is a setting that was not tried completely, and why.
type Skipped struct {
	Setting Setting `json:"setting"`
	Why     string  `json:"why"`
}

// Report holds all results.
type Report struct {
	Documents      int     `json:"documents"`
	By             string  `json:"by"`
	At             float64 `json:"at"`                 // threshold; 0 where each is weighed
	Labelled       int     `json:"labelled,omitempty"` // pairs that are the truth, if they are known
	Recall         float64 `json:"recall"`
	Precision      float64 `json:"min_precision"`
	Verify         string  `json:"verify"`
	Recommended    *Row    `json:"recommended"`               // null if there is none
	Reason         string  `json:"reason,omitempty"`          // why this one
	NotRecommended string  `json:"not_recommended,omitempty"` // why there is none
	Short          string  `json:"short,omitempty"`           // what a changed word costs, if most documents are short
	// the recommended setting as a service's configuration has it
	YAML    string    `json:"yaml"`
	Sources []Source  `json:"sources"`
	Rows    []Row     `json:"rows"` // the best first of each source, threshold and setting
	Skipped []Skipped `json:"skipped"`
	Seconds float64   `json:"seconds"`

	shingle   string // as configured, as are
	ignores   bool
	threshold float64
}

// Settings returns how many settings were tried, each at its thresholds.
func (r *Report) Settings() int { return len(r.Rows) }

// estimates says whether only sketches are compared.
func (r *Report) estimates() bool { return r.Verify == "estimate" }

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
