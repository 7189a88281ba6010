package docs

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// maxReadme is what a newcomer reads before anything else.
const maxReadme = 16_000

func TestReadmeIsShort(t *testing.T) {
	if n := len(read(t, "README.md")); n > maxReadme {
		t.Errorf("the README has %d bytes, and may have %d: what does a newcomer not need?", n, maxReadme)
	}
}

// The nine lines are those of the example, which the tests of package config read.
func TestReadmeConfiguration(t *testing.T) {
	_, shown, _ := strings.Cut(section(t, read(t, "README.md"), "## On your Kafka"), "```yaml\n")
	shown, _, _ = strings.Cut(shown, "```\n")
	if file := read(t, "deploy/examples/unecho.yaml"); shown != file || strings.Count(file, "\n") != 9 {
		t.Errorf("the README shows\n%sand deploy/examples/unecho.yaml, of nine lines, is\n%s", shown, file)
	}
}

// A match of a request that came again may be no original: whoever speaks of originals says so.
func TestMatchOfResent(t *testing.T) {
	for path, words := range map[string]string{
		"README.md":             "a document that was unique,\nunless `resent`",
		"deploy/docs/start.md":  "| `unecho-match` | duplicates | the original, a document that was unique, or of `resent` the one that came first",
		"deploy/docs/design.md": "a match is a *representative*, unless it is resent",
	} {
		if !strings.Contains(read(t, path), words) {
			t.Errorf("%s does not say %q", path, words)
		}
	}
}

// Each of the ten settings has the default that the program gives it, and its mark.
func TestReadmeSettings(t *testing.T) {
	table := section(t, read(t, "README.md"), "## Ten settings")
	rows := regexp.MustCompile("(?m)^(\\| `[a-z_.[\\]]+`( †)? \\| (`[^`]*`)? ?\\|) ").FindAllStringSubmatch(table, -1)
	if len(rows) != 10 {
		t.Errorf("there are %d settings", len(rows))
	}
	all := strings.ReplaceAll(read(t, "deploy/docs/configuration.md"), " A | ", " | ") // the README marks none as advanced
	for _, row := range rows {
		if !strings.Contains(all, "\n"+row[1]) {
			t.Errorf("the table of all settings has no row that begins with %s", row[1])
		}
	}
}

// Who adds a format of documents tells of it where people choose one.
func TestFormatsAreTold(t *testing.T) {
	rows := section(t, read(t, "README.md"), "## Ten settings")
	told := section(t, read(t, "deploy/docs/configuration.md"), "## Documents: text, id, scope")
	for _, word := range (document.Params{}).Choices("format") {
		if !strings.Contains(rows, "`"+word+"`") || !strings.Contains(told, word+"`") {
			t.Errorf("the README's settings or configuration.md say nothing of the format %s", word)
		}
	}
}

// A figure of the README is one of the pages that say how it was measured. There are few, and one in a row.
func TestReadmeFigures(t *testing.T) {
	claims := section(t, read(t, "README.md"), "## Does it work")
	measured := read(t, "deploy/docs/benchmarks.md") + read(t, "deploy/docs/reliability.md")
	figure := regexp.MustCompile(`[0-9][0-9,.]*[0-9]|[0-9]`)
	found := 0
	for line := range strings.Lines(claims) {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) != 2 {
			continue
		}
		figures := figure.FindAllString(cells[1], -1)
		if found += len(figures); len(figures) > 1 {
			t.Errorf("a row has %d figures, and may have one: %s", len(figures), line)
		}
		for _, f := range figures {
			if !regexp.MustCompile(`(?:^|[^0-9.,])` + regexp.QuoteMeta(f) + `(?:[^0-9]|$)`).MatchString(measured) {
				t.Errorf("%s is measured nowhere: %s", f, line)
			}
		}
	}
	if found < 6 || found > 8 {
		t.Errorf("%d figures, want 6 to 8: are they still the second column of a table?", found)
	}
}

// example are the three texts of the worked example.
func example(t *testing.T) []string {
	t.Helper()
	return strings.Split(strings.TrimSpace(read(t, "deploy/examples/texts.txt")), "\n")
}

// The figures of the worked example are what the program makes of its texts.
func TestReadmeExample(t *testing.T) {
	how := section(t, read(t, "README.md"), "## How it decides")
	texts := example(t)
	three, err := text.ParseShingling(config.Default().Judge.Duplicates.Shingle)
	if err != nil {
		t.Fatal(err)
	}
	var sets [][]uint64
	for _, s := range texts {
		sets = append(sets, text.Set(three.AppendHashes(nil, text.NewNormalizer(text.DefaultParams()).
			Append(nil, []byte(s)))))
	}
	want := []string{
		"\n    " + string(text.NewNormalizer(text.DefaultParams()).Append(nil, []byte(texts[1]))) + "\n",
		fmt.Sprintf("The first text has %d, the second %d, the third %d.", len(sets[0]), len(sets[1]), len(sets[2])),
	}
	for i, name := range []string{1: "second", 2: "third"} {
		if name == "" {
			continue
		}
		shared, union := sketch.Jaccard(sets[i], sets[0])
		verdict := map[bool]string{true: "duplicate", false: "unique"}[sketch.AtLeast(uint32(shared), uint32(union), 8000)]
		want = append(want, fmt.Sprintf("| %s and first | %d | %d | 0.%d | %s |", name, shared, union, shared*10000/union, verdict))
	}
	for _, line := range want {
		if !strings.Contains(how, line) {
			t.Errorf("the README should say %q", line)
		}
	}
}

// At the threshold, a text of 50 words is missed that begins with other three words and has another one in its middle.
func TestReadmeShortText(t *testing.T) {
	if said := "At 0.8, 50 words with another greeting of three and one other word changed are missed"; !strings.Contains(read(t, "README.md"), said) {
		t.Errorf("the README does not say %q", said)
	}
	words := make([]string, 50)
	for i := range words {
		words[i] = fmt.Sprintf("word%c%c", 'a'+i/26, 'a'+i%26)
	}
	p := config.Default().Judge
	three, err := text.ParseShingling(p.Duplicates.Shingle)
	if err != nil {
		t.Fatal(err)
	}
	set := func() []uint64 {
		return text.Set(three.AppendHashes(nil, text.NewNormalizer(p.Normalize).Append(nil, []byte(strings.Join(words, " ")))))
	}
	one := set()
	words[0], words[1], words[2], words[30] = "dear", "madam", "smith", "other"
	if shared, union := sketch.Jaccard(one, set()); sketch.AtLeast(uint32(shared), uint32(union), 8000) {
		t.Errorf("%d of %d shingles are shared: it is found", shared, union)
	}
}

// The verdicts, similarity and fingerprint shown are those of a service with default settings.
func TestReadmeVerdicts(t *testing.T) {
	how := section(t, read(t, "README.md"), "## How it decides")
	c := config.Default()
	c.Sources = []document.Source{document.DefaultSource()}
	c, err := c.AsBegun(nil)
	if err != nil {
		t.Fatal(err)
	}
	settings, params := c.Settings(), c.Judge
	fingerprint := index.Fingerprint(settings)
	replica, err := index.NewReplica(params, fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := index.NewSigner(params)
	if err != nil {
		t.Fatal(err)
	}
	run := &index.Run{Header: index.Header{Fingerprint: fingerprint}, Epoch: 1}
	run.Source.Partition = 3 // where the README's run had them
	for i, s := range example(t) {
		e := entry.Entry{Offset: int64(i)}
		signer.Sign(&e, []byte(s))
		run.Entries = append(run.Entries, e)
	}
	replica.Apply(index.Stamp{Offset: 0}, &index.Settings{Text: settings})
	replica.Apply(index.Stamp{Offset: 1}, &index.Reposition{Header: run.Header, Source: run.Source, Name: "news", Epoch: 1})
	judged := replica.Apply(index.Stamp{Offset: 2}, run).Judged
	if len(judged) != 3 || !judged[0].Unique() || judged[1].Unique() || !judged[2].Unique() {
		t.Fatalf("the example is judged %+v", judged)
	}
	m := judged[1].Match
	place := fmt.Sprintf("%s/%d/%d", m.Topic, m.Source.Partition, m.Offset)
	for _, line := range []string{
		fmt.Sprintf("%s:%016x", params.Algorithm(), fingerprint),
		"unecho-match       " + place,
		fmt.Sprintf("unecho-similarity  0.%04d", m.Similarity.TenThousandths()),
		fmt.Sprintf("unecho-method      %s", m.Method),
		fmt.Sprintf("unecho-copy        %d", m.Copy),
	} {
		if !strings.Contains(how, line+"\n") {
			t.Errorf("the README should say %q", line)
		}
	}
	texts := example(t)
	tails := []string{
		place + "  " + texts[0], "news/3/2  " + texts[2],
		fmt.Sprintf("news/3/1  0.%04d of %s (%s), copy %d  %s", m.Similarity.TenThousandths(), place, m.Method, m.Copy, texts[1]),
	}
	for _, line := range tails {
		if !strings.Contains(section(t, read(t, "README.md"), "## On your Kafka"), line+"\n") {
			t.Errorf("the README should say %q", line)
		}
	}
}
