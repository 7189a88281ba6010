package docs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/unecho/unecho/config"
)

// The curve shown is that of the default plan.
func TestConfigurationCurve(t *testing.T) {
	how := section(t, read(t, "deploy/docs/configuration.md"), "## Similarity: what is a copy, and how it is found")
	p := config.Default().Judge.Similarity
	plan, err := p.Banding()
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%d bands of %d rows", plan.Bands, plan.Rows); !strings.Contains(strings.ReplaceAll(how, "\n", " "), want) {
		t.Errorf("configuration.md should say %s", want)
	}
	row := "| compared |"
	for _, j := range []float64{0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9} {
		row += fmt.Sprintf(" %.4f |", plan.Probability(j))
	}
	if !strings.Contains(how, row+"\n") {
		t.Errorf("configuration.md should say\n%s", row)
	}
}
