package cmdline

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Help names what a value is, and shows a default as one would write it.
func TestFlagUsages(t *testing.T) {
	cmd := &cobra.Command{Use: "try"}
	Add(cmd, Output, func(f Flags) {
		f.TextP("output", "o", "file", "out.txt", "where to")
		f.Texts("set", "key=value", "override")
		f.Float64Slice("threshold", []float64{0.75, 0.8}, "from")
		f.Uint64("seed", 1, "the same again")
		f.Duration("budget", 0, "no longer")
		f.Bool("json", false, "one object")
	})
	cmd.Flags().String("secret", "", "for nobody")
	cmd.Flag("secret").Hidden = true
	want := `
Flags:
      --budget duration    no longer
      --json               one object
  -o, --output file        where to (default out.txt)
      --seed int           the same again (default 1)
      --set key=value      override
      --threshold floats   from (default 0.75,0.8)
`
	if got := flagUsages(cmd, mostHelpColumns); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	Add(cmd, Advanced, func(f Flags) {
		for _, name := range strings.Fields("a1 a2 a3 a4 a5") {
			f.Int(name, 0, "")
		}
	})
	cmd.Flags().Bool("help", false, "")
	var titles []string
	for line := range strings.Lines(flagUsages(cmd, mostHelpColumns)) {
		if strings.HasSuffix(line, ":\n") {
			titles = append(titles, strings.TrimSpace(line))
		}
	}
	if got := strings.Join(titles, " "); got != "Output: Advanced: All commands:" {
		t.Errorf("a large command has %s", got)
	}
	if cmd.Flag("output").Value.Type() != "string" || pflag.CommandLine.Lookup("output") != nil {
		t.Error("the flag itself is changed")
	}
}

// Below another command, the text of one stays in its column.
func TestListed(t *testing.T) {
	root := &cobra.Command{Use: "try"}
	one, two := &cobra.Command{Use: "one", Short: "Write one and two and three"}, &cobra.Command{Use: "a-longer-name"}
	root.AddCommand(one, two)
	if got, want := listed(one, 30), "  one           Write one and\n                two and three"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := helpColumns(&strings.Builder{}); got != mostHelpColumns {
		t.Errorf("no terminal: %d columns", got)
	}
}
