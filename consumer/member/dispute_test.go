package member

import (
	"errors"
	"testing"

	"github.com/unecho/unecho/consumer/stop"
	"github.com/unecho/unecho/index"
)

// told is a record that a follower reads, what its replica could not confirm of it, and what that leads to.
type told struct {
	at   int64
	rec  index.Record
	c    *index.Divergence
	does string
}

const (
	restores = "restore"
	stops    = "stop"
	nothing  = "nothing"
)

func differs(by, accused string, offset int64, ours uint64) *index.Divergence {
	return &index.Divergence{Member: by, Accused: accused, Offset: offset, Theirs: 1, Ours: ours, Known: true}
}

func unknown(by, accused string, offset int64) *index.Divergence {
	return &index.Divergence{Member: by, Accused: accused, Offset: offset, Theirs: 1}
}

// What a follower that began at 10 makes of claims, one after another.
func TestClaims(t *testing.T) {
	t.Parallel()
	open := func(at int64, c *index.Divergence) *Dispute { return &Dispute{*c, at} }
	for _, c := range []struct {
		name    string
		open    *Dispute
		tell    []told
		charges bool
	}{
		{"a checkpoint differs", nil, []told{{60, nil, differs("b", "", 50, 2), restores}}, false},
		{"it is the same after a replay", open(60, differs("b", "", 50, 2)), []told{
			{60, nil, nil, nothing},
			{70, nil, differs("b", "", 65, 2), restores},
		}, false},
		{"it differs as before", open(60, differs("b", "", 50, 2)), []told{
			{55, nil, differs("b", "", 45, 9), nothing},
			{60, nil, differs("b", "", 50, 2), nothing},
			{70, nil, differs("b", "", 65, 4), nothing},
			{80, &index.Accusation{Member: "me", Accused: "b", Offset: 50}, nil, nothing},
			{81, nil, differs("b", "", 79, 4), nothing},
			{90, nil, differs("b", "", 85, 4), restores},
		}, true},
		{"it differs otherwise", open(60, differs("b", "", 50, 2)), []told{{60, nil, differs("b", "", 50, 3), stops}}, false},
		{"accused, and wrong", nil, []told{{60, nil, differs("b", "me", 50, 2), stops}}, false},
		{"accused, and begun behind that", nil, []told{{60, nil, unknown("b", "me", 5), restores}}, false},
		{"accused, and begun just there", nil, []told{{60, nil, differs("b", "me", 10, 2), restores}}, false},
		{"accused long ago", nil, []told{{60, nil, unknown("b", "me", 50), nothing}}, false},
		{"accused, and wrong again", open(60, unknown("b", "me", 50)), []told{{60, nil, differs("b", "me", 50, 2), stops}}, false},
		{"another is accused, and right", nil, []told{{60, nil, differs("b", "c", 50, 2), restores}}, false},
		{"begun with a snapshot of the accused", open(60, unknown("b", "c", 50)), []told{{60, nil, nil, nothing}}, false},
		{"replayed to that of the accused", open(60, unknown("b", "c", 50)), []told{{60, nil, differs("b", "c", 50, 2), restores}}, false},
		{"and a second time", open(60, differs("b", "c", 50, 2)), []told{{60, nil, differs("b", "c", 50, 2), nothing}}, true},
	} {
		d := disputes{member: "me", began: 10, open: c.open, guilty: map[string]int64{}}
		for _, now := range c.tell {
			if got := now.to(&d); got != now.does {
				t.Errorf("%s, at %d: %s, want %s", c.name, now.at, got, now.does)
			}
		}
		if (d.charge != nil) != c.charges {
			t.Errorf("%s: charge %+v", c.name, d.charge)
		}
	}
}

func (r told) to(d *disputes) string {
	if r.rec == nil {
		r.rec = &index.Checkpoint{}
	}
	err := d.claim(r.at, r.rec, r.c)
	var disputed *DisputedError
	var stopped *stop.Error
	switch {
	case errors.As(err, &disputed):
		return restores
	case errors.As(err, &stopped):
		return stops
	}
	return nothing
}
