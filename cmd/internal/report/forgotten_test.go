package report

import (
	"slices"
	"testing"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/document"
)

// A forgotten document may still be in the topics that have documents or their ids, and in no topic of clusters.
func TestRemains(t *testing.T) {
	c := config.Default()
	c.Sources = []document.Source{{Topics: []string{"news"}}}
	c.Sink.Verdicts.Topic, c.Sink.Clusters.Topic = "told", "groups"
	want := []string{"news", "news.unique", "news.duplicate", "news.rejected", "told"}
	if got := RemainsOf(c).Topics; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
