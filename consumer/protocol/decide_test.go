package protocol

import (
	"reflect"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
)

func ours(offset int64, epoch uint32, start int64) Committed {
	return Committed{Offset: offset, Ours: true, Epoch: epoch, Start: start}
}

// The replica knows the partition: epoch 3 began at 40, and all below 50 is forwarded. The source reaches from 10 to
// 100.
func TestDecideKnown(t *testing.T) {
	never := time.Duration(0)
	for name, c := range map[string]struct {
		committed Committed
		change    func(*Findings)
		want      Decision
	}{
		"agree":                         {ours(60, 3, 40), nil, Decision{Action: GoOn, Offset: 60, Epoch: 3}},
		"agree at base":                 {ours(50, 3, 40), nil, Decision{Action: GoOn, Offset: 50, Epoch: 3}},
		"agree at the end":              {ours(100, 3, 40), nil, Decision{Action: GoOn, Offset: 100, Epoch: 3}},
		"the topic begins behind it":    {ours(60, 3, 40), begins(80), Decision{Begin, Deleted, 80, 4, Assignment{}}},
		"the topic begins there":        {ours(60, 3, 40), begins(60), Decision{Action: GoOn, Offset: 60, Epoch: 3}},
		"below base, and deleted":       {ours(49, 3, 40), begins(80), Decision{Wait, Below, 0, 0, Assignment{}}},
		"no offset":                     {Committed{Offset: -1}, nil, Decision{Begin, NoOffset, 50, 4, Assignment{}}},
		"set by hand, forwards":         {Committed{Offset: 70}, nil, Decision{Begin, Foreign, 70, 4, Assignment{}}},
		"set by hand, backwards":        {Committed{Offset: 20}, nil, Decision{Begin, Foreign, 20, 4, Assignment{}}},
		"set by hand, where it was":     {Committed{Offset: 50}, nil, Decision{Begin, Foreign, 50, 4, Assignment{}}},
		"an earlier epoch":              {ours(60, 2, 30), nil, Decision{Begin, Foreign, 60, 4, Assignment{}}},
		"another start":                 {ours(60, 3, 41), nil, Decision{Begin, Foreign, 60, 4, Assignment{}}},
		"another document":              {ours(60, 3, 40), func(f *Findings) { f.Moved = true }, Decision{Begin, Foreign, 60, 4, Assignment{}}},
		"another document below base":   {ours(49, 3, 40), func(f *Findings) { f.Moved = true }, Decision{Wait, Below, 0, 0, Assignment{}}},
		"an epoch without reposition":   {ours(55, 4, 55), nil, Decision{Resume, Unfinished, 55, 4, Assignment{}}},
		"its reposition is lost":        {ours(56, 4, 55), nil, Decision{Wait, Behind, 0, 0, Assignment{}}},
		"two epochs ahead":              {ours(60, 5, 55), nil, Decision{Wait, Behind, 0, 0, Assignment{}}},
		"two epochs ahead for long":     {ours(60, 5, 55), after(BehindPatience), Decision{Refuse, Behind, 0, 0, Assignment{}}},
		"below base":                    {ours(49, 3, 40), after(never), Decision{Wait, Below, 0, 0, Assignment{}}},
		"below base for nearly long":    {ours(49, 3, 40), after(BelowPatience - 1), Decision{Wait, Below, 0, 0, Assignment{}}},
		"below base for long":           {ours(49, 3, 40), after(BelowPatience), Decision{Refuse, Below, 0, 0, Assignment{}}},
		"below base for long, accepted": {ours(49, 3, 40), accept(BelowPatience), Decision{Begin, Below, 50, 4, Assignment{}}},
		"below base, accepted too soon": {ours(49, 3, 40), accept(never), Decision{Wait, Below, 0, 0, Assignment{}}},
		"beyond the source":             {ours(101, 3, 40), nil, Decision{Wait, Beyond, 0, 0, Assignment{}}},
		"beyond the source for long":    {Committed{Offset: 101}, after(BeyondPatience), Decision{Refuse, Beyond, 0, 0, Assignment{}}},
		"a gap accepted is none":        {ours(60, 5, 55), accept(never), Decision{Wait, Behind, 0, 0, Assignment{}}},
	} {
		t.Run(name, func(t *testing.T) {
			f := Findings{Terms: Terms{Mode: live{}}, Known: true, Replica: index.Partition{Epoch: 3, Start: 40, Base: 50}, Committed: c.committed, Begin: 10, End: 100}
			if c.change != nil {
				c.change(&f)
			}
			got := f.Decide()
			if c.want.Action == GoOn {
				c.want.Assignment = Assignment{Mode: live{}, Epoch: 3, Start: 40, Base: c.want.Offset, Announced: 50, There: 100}
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func begins(at int64) func(*Findings) { return func(f *Findings) { f.Begin = at } }

func after(d time.Duration) func(*Findings) { return func(f *Findings) { f.Waited = d } }

func accept(d time.Duration) func(*Findings) {
	return func(f *Findings) { f.Waited, f.AcceptLostOffsets, f.AcceptJournalGap = d, true, true }
}

// Nobody knows the partition, or only the group does.
func TestDecideUnknown(t *testing.T) {
	latest := func(among int32) func(*Findings) { return func(f *Findings) { f.Latest, f.Among = true, among } }
	for name, c := range map[string]struct {
		committed Committed
		change    func(*Findings)
		want      Decision
	}{
		"earliest":                  {Committed{Offset: -1}, latest(2), Decision{Begin, New, 10, 1, Assignment{}}},
		"latest":                    {Committed{Offset: -1}, latest(3), Decision{Begin, New, 100, 1, Assignment{}}},
		"committed by a person":     {Committed{Offset: 60}, nil, Decision{Begin, Foreign, 60, 1, Assignment{}}},
		"its first epoch":           {ours(20, 1, 20), nil, Decision{Resume, Unfinished, 20, 1, Assignment{}}},
		"the journal is lost":       {ours(60, 3, 20), after(BehindPatience), Decision{Refuse, Behind, 0, 0, Assignment{}}},
		"it is lost in epoch 1":     {ours(60, 1, 20), after(BehindPatience), Decision{Refuse, Behind, 0, 0, Assignment{}}},
		"the journal is lost, gone": {ours(60, 3, 20), accept(0), Decision{Begin, Gap, 60, 1, Assignment{}}},
		"in epoch 1, and gone":      {ours(60, 1, 20), accept(0), Decision{Begin, Gap, 60, 1, Assignment{}}},
	} {
		t.Run(name, func(t *testing.T) {
			f := Findings{Terms: Terms{Mode: live{}}, Committed: c.committed, Begin: 10, End: 100}
			f.Source.Partition = 2
			if c.change != nil {
				c.change(&f)
			}
			if got := f.Decide(); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// A group forwards nothing below where it took over, whatever its name had committed with an earlier journal, or a
// person has set.
func TestDecideWhereAGroupTookOver(t *testing.T) {
	known := index.Partition{Epoch: 1, Start: 60, Base: 70}
	for name, c := range map[string]struct {
		committed Committed
		replica   index.Partition
		want      Decision
	}{
		"nothing committed":              {Committed{Offset: -1}, index.Partition{}, Decision{Begin, New, 60, 1, Assignment{}}},
		"by an earlier journal":          {ours(50, 3, 40), index.Partition{}, Decision{Begin, New, 60, 1, Assignment{}}},
		"by one that began there":        {ours(50, 1, 50), index.Partition{}, Decision{Begin, New, 60, 1, Assignment{}}},
		"by one that ended here":         {ours(60, 3, 40), index.Partition{}, Decision{Begin, New, 60, 1, Assignment{}}},
		"by one that began epochs here":  {ours(60, 3, 60), index.Partition{}, Decision{Begin, New, 60, 1, Assignment{}}},
		"its own first epoch":            {ours(60, 1, 60), index.Partition{}, Decision{Resume, Unfinished, 60, 1, Assignment{}}},
		"set by a person, below":         {Committed{Offset: 20}, index.Partition{}, Decision{Begin, New, 60, 1, Assignment{}}},
		"set by a person, beyond":        {Committed{Offset: 80}, index.Partition{}, Decision{Begin, Foreign, 80, 1, Assignment{}}},
		"set below later":                {Committed{Offset: 20}, known, Decision{Begin, Foreign, 60, 2, Assignment{}}},
		"set below what it forwarded":    {Committed{Offset: 65}, known, Decision{Begin, Foreign, 65, 2, Assignment{}}},
		"its journal has lost its epoch": {ours(75, 1, 60), index.Partition{}, Decision{Wait, Behind, 0, 0, Assignment{}}},
	} {
		f := Findings{Terms: Terms{Mode: live{}}, Known: c.replica.Epoch > 0, Replica: c.replica, Committed: c.committed, Begin: 10, End: 100}
		f.Duty.From = []Boundary{{Topic: "news", Offset: 60}}
		if got := f.Decide(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}
