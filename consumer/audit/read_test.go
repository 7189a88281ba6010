package audit

import (
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// A record that the client brings a second time is one record.
func TestRecordsBroughtAgain(t *testing.T) {
	p := place{"news.unique", 5}
	left, got := spans{p: {from: 2, to: 6}}, []int64(nil)
	for _, offset := range []int64{2, 3, 2, 3, 4, 5, 5, 6} {
		err := take(left, &kgo.Record{Topic: p.topic, Partition: p.partition, Offset: offset}, func(r *kgo.Record) error {
			got = append(got, r.Offset)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := []int64{2, 3, 4, 5}; !slices.Equal(got, want) || len(left) > 0 {
		t.Errorf("the audit takes the offsets %v and has %v left; want %v, and nothing left", got, left, want)
	}
}
