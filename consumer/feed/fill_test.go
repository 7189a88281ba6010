package feed

import (
	"errors"
	"testing"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// The group judges as soon as one feeder sees that all is brought. For another one, which sees that later, the fill is
// not over too early.
func TestFilledBeforeTheGroupJudged(t *testing.T) {
	for through, want := range map[int64]error{5: ErrOver, 9: nil} {
		settings := []byte("{}")
		r, err := index.NewReplica(index.DefaultParams(), index.Fingerprint(settings))
		if err != nil {
			t.Fatal(err)
		}
		h, source := index.Header{Fingerprint: index.Fingerprint(settings)}, entry.Source{Topic: [16]byte{7}}
		part := index.FillPart{Source: source, Name: "news", Through: through, Rejected: uint64(through)}
		for at, rec := range []index.Record{
			&index.Settings{Text: settings},
			&index.Fill{Header: h, Number: 1, Plan: []byte("a plan")},
			&index.Fill{Header: h, Number: 1, Parts: []index.FillPart{part}},
			&index.Reposition{Header: h, Source: source, Name: "news", Epoch: 1, Offset: 9},
		} {
			if !r.Apply(index.Stamp{Offset: int64(at), LogAppendTime: 1}, rec).Applied {
				t.Fatalf("%T changes nothing", rec)
			}
		}
		s := Setup{Fill: 1, Plan: &protocol.Plan{Ranges: []protocol.Range{{Topic: "news", Source: source, To: 9}, {Topic: "empty"}}}}
		if now, err := s.filled(r); !errors.Is(err, want) || now.Parts[0].Through != through {
			t.Errorf("brought up to %d of 9: %v, error %v; want %v", through, now.Parts, err, want)
		}
		if s.Fill = 2; !errors.Is(second(s.filled(r)), ErrOver) {
			t.Error("another fill is in force, and this one goes on")
		}
	}
}

func second[T any](_ T, err error) error { return err }
