package tune

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/unecho/unecho/cmd/internal/report"
)

//go:embed eval.html
var evalPage string

// shown is a wrong pair with both texts.
type shown struct {
	Wrong
	Left, Right []report.Words
}

// WritePage writes the result as one page, with the listed pairs side by side. KeepTexts must have been called before
// the documents were added. labels names where the known pairs are from.
func (d *Documents) WritePage(out io.Writer, about report.About, e Result, labels string) error {
	return report.Write(out, about, evalPage, nil, struct {
		Result
		Settings, Labels            string
		PositivesShown, MissedShown []shown
	}{e, d.settings(), labels, d.sides(e.Positives), d.sides(e.Missed)})
}

func (d *Documents) settings() string {
	p := d.judge.Duplicates
	text := fmt.Sprintf("threshold %v, shingle %s, verify %s, ", p.Threshold, p.Shingle, p.Verify)
	scheme, params, err := p.Scheme()
	if err != nil {
		return text + p.Method
	}
	described, err := scheme.Describe(params)
	if err != nil {
		return text + p.Method
	}
	return text + described
}

func (d *Documents) sides(pairs []Wrong) []shown {
	all := make([]shown, 0, len(pairs))
	for _, w := range pairs {
		s := shown{Wrong: w}
		s.Left, s.Right = report.Sides(string(d.raw[w.a]), string(d.raw[w.b]), d.judge.Normalize)
		all = append(all, s)
	}
	return all
}
