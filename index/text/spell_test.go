package text

import (
	"os"
	"strings"
	"testing"
)

// num2words 0.5.14 from PyPI printed the table, in Python 3.11, with to_cardinal in its default language and commas
// removed: num2words(int(x)) for whole numbers, because as strings they lose all digits behind the 28th, and
// num2words(x) for the others.
func TestSpelledAsByNum2words(t *testing.T) {
	table, err := os.ReadFile("testdata/num2words.tsv")
	if err != nil {
		t.Fatal(err)
	}
	n := with(t, "digits=words", "punctuation=keep")
	rows := strings.Split(strings.TrimSpace(string(table)), "\n")
	if len(rows) < 250 {
		t.Fatalf("only %d rows", len(rows))
	}
	for _, row := range rows {
		number, want, _ := strings.Cut(row, "\t")
		if got := string(n.Append(nil, []byte(number))); got != want {
			t.Errorf("%s: got %q, num2words says %q", number, got, want)
		}
	}
}

// Text that is no single number for num2words is read in parts.
func TestNumbersTakenApart(t *testing.T) {
	n := with(t, "digits=words")
	for in, want := range map[string]string{
		"1.2.3":           "one two three",
		"1,23":            "one twenty three",
		"1,2345":          "one two thousand three hundred and forty five",
		"1234,567":        "one thousand two hundred and thirty four five hundred and sixty seven",
		"0,123":           "zero one hundred and twenty three",
		"1,234.5,6":       "one two hundred and thirty four five six",
		"21.11.2026":      "twenty one eleven two thousand and twenty six",
		"-5":              "five",
		".5":              "five",
		"5.":              "five",
		"5,":              "five",
		"3rd x2":          "three rd x two",
		"٤٢ १२":           "forty two twelve",
		"1" + zeros(66):   "one" + strings.Repeat(" zero", 66),
		zeros(80) + "7":   "seven",
		"7." + zeros(80):  "seven",
		"1" + zeros(9):    "one billion",
		"0.1" + zeros(80): "zero point one",
	} {
		if got := string(n.Append(nil, []byte(in))); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

func zeros(n int) string { return strings.Repeat("0", n) }
