package consumer

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index/text"
)

// A template that does not count makes no copies, records say how much of them it is, and the audit agrees. Where a document is a
// template alone, all of it counts.
func TestTemplatesOfALiveGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	const template = "viewings by appointment at the office of our agency in the old town of the city"
	shingling, err := w.setup.Index.Duplicates.Shingling()
	if err != nil {
		t.Fatal(err)
	}
	w.setup.Index.Duplicates.Ignored = text.Ignore("a list", shingling.AppendHashes(nil, []byte(template)))
	m := w.start()
	values := []string{"one flat " + template, "a house " + template, template, "nothing in common with these"}
	for _, value := range append(values, values[0]) {
		w.send(&kgo.Record{Value: []byte(value)})
	}
	w.settled()
	w.ended(m)
	got := map[string]string{}
	for _, r := range w.outputs("news.unique", len(values)) {
		got[string(r.Value)] = headerOf(r, "unecho-ignored")
	}
	for i, want := range []string{"0.8750", "0.8750", "", ""} {
		if got[values[i]] != want {
			t.Errorf("of %s %q does not count, want %q", values[i], got[values[i]], want)
		}
	}
	for _, r := range w.outputs("news.duplicate", 1) {
		if share := headerOf(r, "unecho-ignored"); string(r.Value) != values[0] || share != "0.8750" {
			t.Errorf("%s is a duplicate, of which %q does not count", r.Value, share)
		}
	}
	w.audited()
}
