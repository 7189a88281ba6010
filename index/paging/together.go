package paging

import (
	"context"
	"sync"

	"github.com/unecho/unecho/index/window"
)

// reader reads what is wanted.
type reader func(w window.Want) ([]byte, error)

// beside does something beside the replica.
func (p *Pager) beside(do func()) {
	if p.Aside == nil {
		do()
	} else {
		p.Aside(do)
	}
}

// together has n goroutines do something. They read by what they are given.
func (p *Pager) together(ctx context.Context, n int, do func(k int, read reader)) {
	now := doing{work: n, waits: p.Waits}
	read := func(w window.Want) ([]byte, error) {
		now.change(-1, 1)
		defer now.change(1, -1)
		return p.Read(ctx, w)
	}
	var group sync.WaitGroup
	for k := range n {
		one := func() {
			defer now.change(-1, 0)
			do(k, read)
		}
		if k == n-1 { // a single one needs no other goroutine
			one()
		} else {
			group.Go(one)
		}
	}
	group.Wait()
}

// doing is how many goroutines read, and how many do anything else. One whose read is over counts as reading until it has a
// processor, so how long reads take says little of the disk: it is waited for only while nobody does anything else.
type doing struct {
	waits func() (over func()) // Pager.Waits

	mu         sync.Mutex
	work, read int
	over       func() // not nil: nothing but reads goes on
}

func (d *doing) change(work, read int) {
	if d.waits == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.work, d.read = d.work+work, d.read+read
	switch only := d.work == 0 && d.read > 0; {
	case only && d.over == nil:
		d.over = d.waits()
	case !only && d.over != nil:
		d.over()
		d.over = nil
	}
}
