package docs

import (
	"regexp"
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer/signing"
	"github.com/unecho/unecho/sink"
)

// Every header is a row of the page, and no document names another.
func TestOutputHeaders(t *testing.T) {
	outputs := section(t, read(t, "deploy/docs/start.md"), "## Reading the outputs")
	known := map[string]bool{}
	for _, h := range sink.Headers() {
		known[h.Name] = true
	}
	for header := range known {
		if !regexp.MustCompile("(?m)^\\| (`[a-z-]+`, )*`" + header + "`[ ,]").MatchString(outputs) {
			t.Errorf("start.md has no row for %s", header)
		}
	}
	known[signing.HeaderIdempotencyKey] = true // of source records
	for _, path := range documents(t) {
		for _, header := range regexp.MustCompile("`(unecho-[a-z-]+[a-z])`|(?m)^(unecho-[a-z-]+[a-z])  ").
			FindAllStringSubmatch(read(t, path), -1) {
			if name := header[1] + header[2]; !known[name] {
				t.Errorf("%s names %s, which no record carries", path, name)
			}
		}
	}
}

// The page says that headers of the source are dropped in any case of their letters, as they are.
func TestOutputsDropHeaders(t *testing.T) {
	outputs := section(t, read(t, "deploy/docs/start.md"), "## Reading the outputs")
	above, _, _ := strings.Cut(outputs, "| header |")
	for _, words := range []string{"in upper or lower case", "of the source are dropped"} {
		if !strings.Contains(strings.Join(strings.Fields(above), " "), words) {
			t.Errorf("above the table of headers start.md does not say %q:\n%s", words, above)
		}
	}
}

// Every reason is a row of the page, in the order of package sink.
func TestOutputReasons(t *testing.T) {
	_, table, _ := strings.Cut(section(t, read(t, "deploy/docs/start.md"), "## Reading the outputs"), "| reason |")
	var there, want []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(table, -1) {
		there = append(there, m[1])
	}
	for _, reason := range sink.Reasons() {
		want = append(want, string(reason))
	}
	if strings.Join(there, " ") != strings.Join(want, " ") {
		t.Errorf("start.md lists %v, and the reasons are %v", there, want)
	}
}

// A message that sends people to a page, and to a section of it, names what there is.
func TestMessagesNamePages(t *testing.T) {
	pointer := regexp.MustCompile(`(?:\\"([A-Z][a-z ]+)\\" in )?deploy/docs/([a-z]+\.md)(?:: ([A-Z][a-z ]+))?`)
	found := 0
	for path, text := range sources(t, "cmd", "config", "consumer", "sink", "index") {
		for _, m := range pointer.FindAllStringSubmatch(text, -1) {
			found++
			page := read(t, "deploy/docs/"+m[2])
			if heading := m[1] + m[3]; heading != "" && !strings.Contains(page, "# "+heading+"\n") {
				t.Errorf("%s points to %q: there is no such section", path, m[0])
			}
		}
	}
	if found < 2 {
		t.Errorf("only %d pointers found: are pages still named so?", found)
	}
}
