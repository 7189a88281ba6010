package report_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/report"
)

// TestPlaces: the row of each document is that which was noted, whatever lies between documents, also from a file.
func TestPlaces(t *testing.T) {
	type noted struct {
		name, file string
		row        int
	}
	random := rand.New(rand.NewPCG(1, 2))
	var all []noted
	var p report.Rows
	const first = 7 // those before it are of an index file
	for range 40 {
		file := fmt.Sprint("f\xff", random.IntN(4))
		for row, end := random.IntN(3), random.IntN(20); row < end; row += 1 + random.IntN(8)/7 {
			n := noted{fmt.Sprint("n", len(all)), file, row}
			if row == 0 { // a file that is a document
				n.name = file
			}
			p.Add(first+int64(len(all)), n.file, n.row)
			all = append(all, n)
			p.Add(first, "another", 99) // it is noted already
		}
	}
	var written strings.Builder
	if err := p.Write(&written); err != nil {
		t.Fatal(err)
	}
	if _, err := report.ReadRows(strings.NewReader(strings.Replace(written.String(), `"row":1`, `"row":2`, 1))); err == nil {
		t.Error("places with another row are read; want an error")
	}
	p, err := report.ReadRows(strings.NewReader(written.String()))
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range all {
		if file, row := p.Of(first+int64(i), n.name); file != n.file || row != n.row {
			t.Errorf("document %d is in %s:%d; want %+v", i, file, row, n)
		}
	}
	for _, number := range []int64{0, first - 1, first + int64(len(all))} {
		if file, row := p.Of(number, "x"); file != "" || row != 0 {
			t.Errorf("document %d, which was not noted, is in %s:%d; want nothing", number, file, row)
		}
	}
}

// TestRepeats: ids that begin anew in each file are found however many they are, and how many are told about right. Ids that are
// all different are not.
func TestRepeats(t *testing.T) {
	for name, c := range map[string]struct {
		files, rows int
		own         bool
		want        string
	}{
		"one file":   {1, 300_000, false, ""},
		"own ids":    {3, 100_000, true, ""},
		"few":        {2, 3, false, "ids are not unique: 1 is that of f0:1 and of f1:1, and 3 documents have the id of one before"},
		"one":        {2, 1, false, "and 1 document has the id of one before"},
		"many files": {3, 200_000, false, "documents have the id of one before"},
	} {
		var p report.Rows
		var r report.Repeats
		number := int64(0)
		for file := range c.files {
			for row := range c.rows {
				id := fmt.Sprint(row + 1)
				if c.own {
					id = fmt.Sprint(file, "-", row)
				}
				p.Add(number, fmt.Sprint("f", file), row+1)
				r.Add(number, []byte(id), &p)
				number++
			}
		}
		var out strings.Builder
		r.Report(&out, &p)
		if c.want == "" && out.Len() > 0 || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: told is %q; want %q", name, out.String(), c.want)
		}
		if name != "many files" {
			continue
		}
		about := 0
		_, said, _ := strings.Cut(strings.ReplaceAll(out.String(), ",", ""), "and about ")
		if _, err := fmt.Sscanf(said, "%d", &about); err != nil || about < 380_000 || about > 420_000 {
			t.Errorf("told is %q, %v; want about 400,000", out.String(), err)
		}
	}
}
