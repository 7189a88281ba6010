package snapshot

import (
	"reflect"
	"testing"
)

func TestNewer(t *testing.T) {
	p := func(journal byte, epoch int32, offset int64) Position {
		return Position{JournalTopic: [16]byte{journal}, LeaderEpoch: epoch, Offset: offset}
	}
	for _, test := range []struct {
		p, q  Position
		newer bool
	}{
		{p(1, 1, 2), p(1, 1, 1), true},
		{p(1, 1, 1), p(1, 1, 1), false},
		{p(1, 1, 1), p(1, 9, 0), true},
		{p(1, 2, 1), p(1, 1, 1), true},
		{p(1, 0, 1), p(1, 1, 1), false},
		{p(2, 9, 9), p(1, 1, 1), false},
	} {
		if test.p.Newer(test.q) != test.newer {
			t.Errorf("%v newer than %v: %v", test.p, test.q, !test.newer)
		}
	}
}

// at returns a line of a listing: journal, offset, and when it was published, in days.
func at(journal byte, offset, days int64) Info {
	return Info{Position: Position{JournalTopic: [16]byte{journal}, Offset: offset}, Published: days * 24 * 3600 * 1000}
}

func TestSortInfos(t *testing.T) {
	infos := []Info{at(1, 10, 1), at(2, 5, 3), at(1, 20, 2), at(3, 99, 3), at(2, 7, 1), at(1, 20, 1)}
	infos[5].Position.LeaderEpoch = -1
	SortInfos(infos)
	want := []Info{at(2, 7, 1), at(2, 5, 3), at(3, 99, 3), at(1, 20, 2), at(1, 20, 1), at(1, 10, 1)}
	want[4].Position.LeaderEpoch = -1
	if !reflect.DeepEqual(infos, want) {
		t.Errorf("got %v, want %v", infos, want)
	}
}

func TestExpired(t *testing.T) {
	for _, test := range []struct {
		name  string
		infos []Info
		keep  int
		now   int64 // days
		gone  []Info
	}{
		{"nothing", nil, 1, 0, nil},
		{"fewer than kept", []Info{at(1, 2, 1), at(1, 1, 1)}, 3, 99, nil},
		{"the oldest go", []Info{at(1, 3, 1), at(1, 2, 1), at(1, 1, 1)}, 1, 99, []Info{at(1, 2, 1), at(1, 1, 1)}},
		{"an old one alone stays", []Info{at(1, 1, 1)}, 1, 1000, nil},
		{"two journals, each its own", []Info{at(2, 9, 5), at(2, 8, 4), at(1, 7, 3), at(1, 6, 2)}, 1, 6, []Info{at(2, 8, 4), at(1, 6, 2)}},
		{"a week later", []Info{at(2, 9, 5), at(1, 7, 3), at(1, 6, 2)}, 3, 11, []Info{at(1, 7, 3), at(1, 6, 2)}},
		{"a week and less", []Info{at(2, 9, 5), at(1, 7, 3), at(1, 6, 2)}, 3, 10, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var want []Position
			for _, i := range test.gone {
				want = append(want, i.Position)
			}
			got, err := Expired(test.infos, test.keep, at(0, 0, test.now).Published)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %v, error %v, want %v", got, err, want)
			}
		})
	}
}
