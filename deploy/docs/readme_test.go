package docs

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
	"github.com/unecho/unecho/sink"
)

// Every header is in the README, and it names no other.
func TestReadmeHeaders(t *testing.T) {
	readme := read(t, "README.md")
	known := map[string]bool{}
	for _, h := range sink.Headers() {
		known[h.Name] = true
	}
	for header := range known {
		if !strings.Contains(readme, header) {
			t.Errorf("the README does not name %s", header)
		}
	}
	for _, header := range regexp.MustCompile(`\bunecho-[a-z-]+[a-z]\b`).FindAllString(readme, -1) {
		if !known[header] {
			t.Errorf("the README names %s, which no record carries", header)
		}
	}
}

func TestReadmeReasons(t *testing.T) {
	promises := section(t, read(t, "README.md"), "## What it promises, and what not")
	var list []string
	for _, r := range sink.Reasons() {
		list = append(list, "`"+string(r)+"`")
	}
	if want := strings.Join(list, ", ") + "."; !strings.Contains(strings.ReplaceAll(promises, "\n  ", " "), want) {
		t.Errorf("the README does not list %s", want)
	}
}

// example are the three texts of the worked example.
func example(t *testing.T, how string) []string {
	t.Helper()
	_, rest, ok := strings.Cut(how, "$ cat texts.txt\n")
	if !ok {
		t.Fatal("no texts in the README")
	}
	texts := strings.SplitN(rest, "\n", 4)[:3]
	return texts
}

// The figures of the worked example are what the program makes of its texts.
func TestReadmeExample(t *testing.T) {
	how := section(t, read(t, "README.md"), "## How it decides")
	texts := example(t, how)
	three, err := text.ParseShingling(config.Default().Judge.Similarity.Shingle)
	if err != nil {
		t.Fatal(err)
	}
	var sets [][]uint64
	for _, s := range texts {
		sets = append(sets, text.Set(three.AppendHashes(nil, text.NewNormalizer(text.DefaultParams()).Append(nil, []byte(s)))))
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

// The verdicts, similarity and fingerprint shown are those of a service with default settings.
func TestReadmeVerdicts(t *testing.T) {
	how := section(t, read(t, "README.md"), "## How it decides")
	settings := config.Default().Settings()
	params := config.Default().Judge
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
	for i, s := range example(t, how) {
		e := entry.Entry{Offset: int64(i)}
		signer.Sign(&e, []byte(s))
		run.Entries = append(run.Entries, e)
	}
	replica.Apply(index.Stamp{Offset: 0}, &index.Settings{Text: settings})
	replica.Apply(index.Stamp{Offset: 1}, &index.Reposition{Header: run.Header, Source: run.Source, Name: "documents", Epoch: 1})
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
}

func TestReadmeCurve(t *testing.T) {
	how := section(t, read(t, "README.md"), "## How it decides")
	p := config.Default().Judge.Similarity
	plan, err := p.Banding()
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%d bands of %d rows", plan.Bands, plan.Rows); !strings.Contains(strings.ReplaceAll(how, "\n", " "), want) {
		t.Errorf("the README should say %s", want)
	}
	row := "| compared |"
	for _, j := range []float64{0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9} {
		row += fmt.Sprintf(" %.4f |", plan.Probability(j))
	}
	if !strings.Contains(how, row+"\n") {
		t.Errorf("the README should say\n%s", row)
	}
}

// The map of the code has every room, and no other.
func TestReadmeMap(t *testing.T) {
	code := section(t, read(t, "README.md"), "## Map of the code")
	_, code, _ = strings.Cut(code, "```\n")
	code, _, _ = strings.Cut(code, "\n```")
	var shown []string
	for _, m := range regexp.MustCompile(`(?m)(?:^| )((?:[a-z]+/)+)`).FindAllStringSubmatch(code, -1) {
		shown = append(shown, strings.TrimSuffix(m[1], "/"))
	}
	var rooms []string
	for path := range sources(t, "cmd", "config", "consumer", "sink", "index", "deploy") {
		room, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		if room = filepath.ToSlash(room); !slices.Contains(rooms, room) && fs.ValidPath(room) {
			rooms = append(rooms, room)
		}
	}
	named := func(room string) bool {
		return slices.ContainsFunc(shown, func(s string) bool { return room == s || strings.HasSuffix(room, "/"+s) })
	}
	for _, room := range rooms {
		if !named(room) {
			t.Errorf("the map lacks %s", room)
		}
	}
	for _, s := range shown {
		exists := slices.ContainsFunc(rooms, func(room string) bool {
			return room == s || strings.HasSuffix(room, "/"+s) || strings.HasPrefix(room, s+"/")
		})
		if !exists {
			t.Errorf("the map shows %s, which is not there", s)
		}
	}
}
