package consumer

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/standing"
	"github.com/unecho/unecho/index/entry"
)

func TestLagTimes(t *testing.T) {
	begin := time.UnixMilli(1_700_000_000_000)
	at := func(s int) time.Time { return begin.Add(time.Duration(s) * time.Second) }
	mail, news := entry.Name("mail", 2), entry.Name("news", 0)
	reach := func(of entry.PartitionName, written time.Time) standing.Reach {
		return standing.Reach{PartitionName: of, Written: written}
	}
	var l lagTimes
	for _, c := range []struct {
		name    string
		of      map[entry.PartitionName]int64
		reaches []standing.Reach
		now     int
		want    string
	}{
		{"a backlog, nothing committed", map[entry.PartitionName]int64{news: 9}, []standing.Reach{reach(news, time.Time{})}, 0, "[news/0 9 -1]"},
		{"a backlog that is worked off", map[entry.PartitionName]int64{news: 5}, []standing.Reach{reach(news, at(-3600))}, 10, "[news/0 5 3610]"},
		{"no lag", map[entry.PartitionName]int64{news: 0}, []standing.Reach{reach(news, at(-60))}, 20, "[news/0 0 0]"},
		{"a document after a quiet hour", map[entry.PartitionName]int64{news: 1}, []standing.Reach{reach(news, at(-60))}, 30, "[news/0 1 10]"},
		{"it is still there", map[entry.PartitionName]int64{news: 1}, []standing.Reach{reach(news, at(-60))}, 40, "[news/0 1 20]"},
		{"steady work is never caught up", map[entry.PartitionName]int64{news: 3}, []standing.Reach{reach(news, at(49))}, 50, "[news/0 3 1]"},
		{"a document of the future", map[entry.PartitionName]int64{news: 3}, []standing.Reach{reach(news, at(99))}, 50, "[news/0 3 0]"},
		{"in order", map[entry.PartitionName]int64{news: 0, mail: 0}, []standing.Reach{reach(news, at(0)), reach(mail, at(0))}, 60, "[mail/2 0 0 news/0 0 0]"},
		{"not ours", map[entry.PartitionName]int64{news: 0, mail: 0}, []standing.Reach{reach(mail, at(0))}, 70, "[mail/2 0 0]"},
		{"without a leader", map[entry.PartitionName]int64{mail: 0}, []standing.Reach{reach(news, at(0)), reach(mail, at(0))}, 80, "[mail/2 0 0]"},
		{"what was known before it had none is forgotten", map[entry.PartitionName]int64{news: 1}, []standing.Reach{reach(news, time.Time{})}, 90, "[news/0 1 -1]"},
		{"the lag cannot be read", nil, []standing.Reach{reach(news, at(0))}, 100, "[]"},
	} {
		var got []string
		for _, p := range l.ours(c.of, c.reaches, at(c.now)) {
			got = append(got, fmt.Sprintf("%s/%d %d %v", p.Topic, p.Partition, p.Documents, p.Seconds))
		}
		if text := fmt.Sprint(got); text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}

// A process shows a bounded number of partitions, always the same.
func TestLagsAreBounded(t *testing.T) {
	of, reaches := map[entry.PartitionName]int64{}, []standing.Reach{}
	for p := range int32(mostPartitions + 5) {
		of[entry.Name("news", p)] = 1
		reaches = append(reaches, standing.Reach{PartitionName: entry.Name("news", p)})
	}
	slices.Reverse(reaches)
	all := (&lagTimes{}).ours(of, reaches, time.Now())
	if len(all) != mostPartitions || all[mostPartitions-1].Partition != mostPartitions-1 {
		t.Errorf("%d partitions, the last is %d", len(all), all[len(all)-1].Partition)
	}
}

// A member says what it has done, by topic, and how far the group is behind in the partitions that it reads.
func TestStatsOfAMember(t *testing.T) {
	w := newWorld(t, 3)
	w.produce(300, 1)
	m := w.start(sessions(1), func(s *Setup) { s.lagEvery = 20 * time.Millisecond })
	w.settled()
	w.until("the lags are not read", func() bool {
		s := m.Stats()
		return int(s.Delay.Count) == w.total && len(s.Lags) == 3 && s.Lags[2].Partition == 2 && s.JournalStart == 0 &&
			s.StartTime > 0
	})
	s := m.Stats()
	if string(s.Settings) != string(w.setup.Settings) {
		t.Errorf("in force are %s, want %s", s.Settings, w.setup.Settings)
	}
	v := s.Topics
	if len(v) != 1 || v[0].Topic != "news" || v[0].Unique != s.Unique || v[0].Duplicate != s.Duplicate ||
		s.Duplicate == 0 {
		t.Errorf("%+v, and %d unique, %d duplicates in all", v, s.Unique, s.Duplicate)
	}
	if s.Similarity.Count != s.Duplicate || s.Similarity.Sum < 0.8*float64(s.Duplicate) {
		t.Errorf("%d duplicates, and the similarities %+v", s.Duplicate, s.Similarity)
	}
	if int(s.Delay.Count) != w.total || s.Unique+s.Duplicate != s.Delay.Count ||
		s.Delay.Counts[len(s.Delay.Counts)-1] != 0 {
		t.Errorf("delays %+v", s.Delay)
	}
	if want := w.setup.Index.Duplicates.Remember; s.Bounds != (WindowLimits{Age: want.Age, Documents: want.Documents, Bytes: int64(want.Memory)}) {
		t.Errorf("bounds %+v", s.Bounds)
	}
	w.ended(m)
	if s := m.Stats(); len(s.Lags) != 0 {
		t.Errorf("it reads none any more: %+v", s.Lags)
	}
}
