package filestest

import (
	"bytes"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
)

// read reads a page that is right, or of a segment that is not there.
func read(d *files.Directory, n, page int) error {
	name, data := Content(n)
	got, err := d.ReadPage(name, page, nil)
	if errors.Is(err, snapshot.ErrMissingSegment) {
		return nil
	}
	if end := min((page+1)*files.PageBytes, len(data)); err == nil && !bytes.Equal(got, data[page*files.PageBytes:end]) {
		err = errors.New("a page has other bytes than were put")
	}
	return err
}

// readers: pages are read while segments come and go.
func readers(t *testing.T, p Place) {
	const segments, rounds = 6, 20
	faulty := &Faulty{System: p.System}
	p.System = faulty
	d := p.open(t)
	done := make(chan struct{})
	var all sync.WaitGroup
	for r := range 4 {
		all.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				if err := read(d, (i+r)%segments, i%4); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range rounds {
		put(t, d, i%segments, (i+1)%segments)
		name, _ := Content(i % segments)
		must(t, d.Keep(files.Only(name)))
	}
	close(done)
	all.Wait()
	must(t, d.Close())
	if n := faulty.Reading(); n != 0 {
		t.Errorf("%d files are still open", n)
	}
}

// few is a file system of which few files may stay open.
type few struct {
	files.System
	most int
}

func (f few) MostOpen() int { return f.most }

// openFiles: their number is bounded.
func openFiles(t *testing.T, p Place) {
	const segments, most = 270, 256
	faulty := &Faulty{System: few{p.System, most}}
	p.System = faulty
	d := p.open(t)
	for n := range segments {
		put(t, d, n)
		wantPage(t, d, n, 0)
	}
	if n := faulty.Reading(); n != most {
		t.Errorf("%d files are open, want %d", n, most)
	}
	opens := func() (n int) {
		for _, c := range faulty.Called() {
			if c.Op == "open" {
				n++
			}
		}
		return n
	}
	before := opens()
	wantPage(t, d, segments-1, 1)
	wantPage(t, d, segments-most, 1)
	if n := opens() - before; n != 0 {
		t.Errorf("%d files were opened again", n)
	}
	wantPage(t, d, 0, 1)
	wantPage(t, d, segments-most, 2)
	if n := opens() - before; n != 1 {
		t.Errorf("%d files were opened again, want the one that was read longest ago", n)
	}
	must(t, d.Close())
	if n := faulty.Reading(); n != 0 {
		t.Errorf("%d files are still open", n)
	}
}

// closedMeanwhile: a file that is opened while the directory is closed does not stay open.
func closedMeanwhile(t *testing.T, p Place) {
	p.meanwhile(t, "open", (*files.Directory).Close, func(d *files.Directory) error { return read(d, 1, 0) })
}

// openedAgain: a file that is opened again just before it is removed does not stay open.
func openedAgain(t *testing.T, p Place) {
	p.meanwhile(t, "remove", func(d *files.Directory) error { return read(d, 1, 0) },
		func(d *files.Directory) error { return d.Keep(files.Only()) })
}

// meanwhile does something before a call for a file, and expects that none stays open.
func (p Place) meanwhile(t *testing.T, op string, does, while func(*files.Directory) error) {
	faulty := &Faulty{System: p.System}
	d := Place{faulty, p.Path}.open(t)
	put(t, d, 1)
	faulty.Before = func(c Call) error {
		if c.Op == op {
			return does(d)
		}
		return nil
	}
	must(t, while(d))
	if n := faulty.Reading(); n != 0 {
		t.Errorf("%d files are still open", n)
	}
}

// late has something happen between the opening of a file and its first read.
type late struct {
	files.System
	then func()
}

// Open implements files.System.
func (l *late) Open(path string) (files.Reader, int64, error) {
	file, size, err := l.System.Open(path)
	if then := l.then; then != nil {
		l.then = nil
		then()
	}
	return file, size, err
}

// replacedMeanwhile: a file that was opened just before it was replaced is not read again.
func replacedMeanwhile(t *testing.T, p Place) {
	system := &late{System: p.System}
	d := Place{system, p.Path}.open(t)
	put(t, d, 1)
	name, _ := Content(1)
	p.rewrite(t, name, func(data []byte) []byte { data[0] ^= 1; return data })
	system.then = func() { put(t, d, 1) }
	if _, err := d.ReadPage(name, 0, nil); err != nil {
		t.Error(err)
	}
	wantPage(t, d, 1, 0)
}

// slow: one who waits for the disk keeps nobody else waiting, and finds nothing that was replaced meanwhile.
func slow(t *testing.T, p Place) {
	for _, op := range []string{"open", "read"} {
		faulty := &Faulty{System: p.System}
		d := Place{faulty, p.Path + "/" + op}.open(t)
		put(t, d, 1, 2)
		wantPage(t, d, 2, 0)
		one, _ := Content(1)
		three, _ := Content(3)
		waits, goOn := make(chan struct{}), make(chan struct{})
		var waited atomic.Bool
		faulty.Before = func(c Call) error {
			if c.Op == op && c.Path == p.Path+"/"+op+"/"+one && !waited.Swap(true) {
				close(waits)
				<-goOn
			}
			return nil
		}
		answer := make(chan error)
		go func() { answer <- read(d, 1, 0) }()
		<-waits
		wantPage(t, d, 2, 0)
		put(t, d, 3, 1)
		wantPage(t, d, 1, 1)
		must(t, d.Keep(files.Only(three)))
		wantMissing(t, d, one)
		must(t, d.Close())
		close(goOn)
		must(t, <-answer)
		if n := faulty.Reading(); op == "read" && n != 0 {
			t.Errorf("%d files are still open", n)
		}
	}
}
