package dedup_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// TestOtherEncodings: headlines in windows-1251 that have a year in common are unlike, and a near copy is found, however
// the files hold them. All are counted.
func TestOtherEncodings(t *testing.T) {
	report := "Как сообщает пресс-служба мэрии, работы на набережной начнутся весной и закончатся к осени; движение транспорта " +
		"на это время ограничат, а автобусы пойдут по соседним улицам, где уже поставили новые светофоры и знаки"
	var texts []string
	for _, text := range []string{
		"Курс рубля 2024", "Выборы мэра 2024", "Погода в Сочи 2024", "Цены на нефть 2024", report, strings.Replace(report, "новые ", "", 1),
	} {
		encoded, err := charmap.Windows1251.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, encoded)
	}
	for _, c := range []struct {
		suffix, header string
		line           func(text string) string
	}{
		{".txt", "", func(text string) string { return text + "\n" }},
		{".csv", "id,text\n", func(text string) string { return "1,\"" + text + "\"\n" }},
		{".jsonl", "", func(text string) string { return `{"text":"` + text + "\"}\n" }},
		{"", "", nil},
	} {
		path := filepath.Join(t.TempDir(), "headlines"+c.suffix)
		var out bytes.Buffer
		out.WriteString(c.header)
		for i, text := range texts {
			if c.line == nil {
				file := filepath.Join(path, fmt.Sprintf("%d.txt", i))
				if err := os.MkdirAll(path, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				continue
			}
			out.WriteString(c.line(text))
		}
		if c.line != nil {
			if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		lines, counts, err := judge(t.Context(), t, 2, newIndex(t, setting.GiB, false), nil, path)
		if err != nil || counts.Unique != 5 || counts.Duplicate != 1 || counts.Rejected != 0 || counts.ByBytes != 6 {
			t.Errorf("%q: %+v, %v; want 5 unique, 1 duplicate, and 6 compared by their bytes; the verdicts are\n%s", c.suffix, counts, err,
				strings.Join(lines, "\n"))
		}
	}
}

// Names are alike in runs of two characters, whatever they are, and so many of them are candidates of each other that not
// all are read. What is planned for them still finds those of which one letter differs.
func TestCopiesAmongShortTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	syllables := strings.Fields("ka lo mi ren tas vor bel din gar hol jun pel qui sar tul wen xan yor zed fra sto ble")
	word := func() (w string) {
		for range 1 + random.IntN(3) {
			w += syllables[random.IntN(len(syllables))]
		}
		return w
	}
	const originals, copies = 12_000, 2_000
	var names []string
	for range originals {
		names = append(names, fmt.Sprintf("%s %s %s %s %d", word(), word(), word(), word(), random.IntN(1000)))
	}
	for i := range copies {
		name := []byte(names[i])
		name[random.IntN(len(name))] = 'a' + byte(random.IntN(10))
		names = append(names, string(name))
	}
	p := index.DefaultParams()
	p.Duplicates.Verify, p.Duplicates.Shingle, p.Duplicates.Threshold = "levenshtein", "char:2", 0.85
	x, err := dedup.NewIndex(dedup.IndexParams{Index: p, Settings: []byte(`{}`), Memory: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	path := filepath.Join(t.TempDir(), "names.txt")
	if err := os.WriteFile(path, []byte(strings.Join(names, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err = judge(t.Context(), t, 2, x, func(o *dedup.Outcome) error {
		found += len(o.Matches)
		return nil
	}, path)
	if err != nil || found < copies*98/100 {
		t.Errorf("%d of %d copies are found, %v", found, copies, err)
	}
}
