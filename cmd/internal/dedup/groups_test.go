package dedup_test

import (
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/index/compare"
)

// TestGroups joins three of five documents, as the first ones there are, and behind an index of ten.
func TestGroups(t *testing.T) {
	for _, first := range []int64{0, 10} {
		for _, test := range []struct {
			choice dedup.Representative
			want   [5]int64
		}{
			{dedup.First, [5]int64{0, 1, 0, 0, 4}},
			{dedup.Last, [5]int64{3, 1, 3, 3, 4}},
			{dedup.Longest, [5]int64{2, 1, 2, 2, 4}},
		} {
			g := fiveGroups(test.choice, first)
			g.Join(first+2, &dedup.Match{Number: first, Similarity: compare.Similarity{Num: 8, Den: 10}, Method: compare.Jaccard})
			g.Join(first+3, &dedup.Match{
				Number: first + 2, Similarity: compare.Similarity{Num: 1, Den: 1},
				Method: compare.Identical,
			})
			g.Choose()
			for i, want := range test.want {
				if got := g.Cluster(first + int64(i)); got != first+want || len(g.Name(first+int64(i))) != i {
					t.Errorf("choice %d: document %d is in the cluster of %d, want %d", test.choice, i, got, want)
				}
			}
			if m := g.Partner(first + 2); m.Number != first+3 || m.Similarity.Num != 1 || m.Method != compare.Identical ||
				string(m.Name) != "nnn" {
				t.Errorf("partner %+v", m)
			}
		}
	}
}

// fiveGroups are five documents that nothing joins yet: the number of n in a name is its place.
func fiveGroups(choice dedup.Representative, first int64) *dedup.Groups {
	g := dedup.NewGroups(choice, first)
	for i, text := range []string{"aa", "bbbb", "cccc", "cccc", "d"} {
		g.Add(&dedup.Outcome{Number: first + int64(i), Name: []byte(strings.Repeat("n", i)), Length: len(text)})
	}
	return g
}

// TestGroupsOfTheIndex: whatever is chosen, the first document of the index stands for a cluster that has one.
func TestGroupsOfTheIndex(t *testing.T) {
	for _, choice := range []dedup.Representative{dedup.First, dedup.Last, dedup.Longest} {
		g := fiveGroups(choice, 10)
		similar := compare.Similarity{Num: 9, Den: 10}
		g.Join(11, &dedup.Match{Number: 7, Name: []byte("seven"), Similarity: similar, Method: compare.Jaccard})
		g.Join(12, &dedup.Match{Number: 11, Similarity: similar, Method: compare.Jaccard})
		g.Join(12, &dedup.Match{Number: 3, Name: []byte("three"), Similarity: similar, Method: compare.Jaccard})
		g.Choose()
		for i, want := range []int64{10, 3, 3, 13, 14} {
			if got := g.Cluster(10 + int64(i)); got != want {
				t.Errorf("choice %d: document %d is in the cluster of %d, want %d", choice, i, got, want)
			}
		}
		if string(g.Name(3)) != "three" || string(g.Name(7)) != "seven" || string(g.Partner(11).Name) != "seven" {
			t.Errorf("names of the index: %s, %s, %s", g.Name(3), g.Name(7), g.Partner(11).Name)
		}
	}
}
