package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// How often progress is shown: on a terminal in place, else by a line.
const (
	progressRedrawn = 200 * time.Millisecond
	progressLine    = 10 * time.Second
)

// progress shows how far long work is, and when it will be done: documents that are read (add, at), or stages that are counted in
// something else (stage).
type progress struct {
	out    io.Writer
	screen *screen // of a terminal; else nil
	hidden bool
	now    func() time.Time
	began  time.Time
	last   time.Time
	drawn  bool // on the screen

	size      int64 // of what is read, in bytes; not above 0 where it is unknown
	bytes     int64
	documents int64
	files     int64 // shown where there are several

	stageName  string
	stageBegan time.Time
}

// newProgress begins to show the reading of size bytes.
func newProgress(out io.Writer, size int64) *progress {
	now := time.Now()
	screen, _ := out.(*screen)
	return &progress{out: out, screen: screen, now: time.Now, began: now, last: now, size: size}
}

// newStages begins to show stages.
func newStages(out io.Writer) *progress { return newProgress(out, -1) }

// add counts bytes.
func (p *progress) add(n int) { p.at(p.bytes + int64(n)) }

// at says that so many bytes have been read.
func (p *progress) at(bytes int64) {
	p.bytes = bytes
	if p.hidden || p.documents&63 != 0 && p.files < 2 {
		return
	}
	if p.due(p.now()) {
		p.show(p.line(p.last.Sub(p.began)))
	}
}

// stage is called often, and shows seldom, how much of a stage is done. A stage with no total waits for others, who knows how
// long: that is shown at once.
func (p *progress) stage(name string, done, total int64) {
	now, fresh := p.now(), name != p.stageName
	if fresh {
		p.stageName, p.stageBegan = name, now
	}
	waits := fresh && total == 0
	if p.hidden || !p.due(now) && !waits {
		return
	}
	p.last = now
	p.show(name + p.far(now, done, total))
}

// far is how far the stage is, and how long it will take if it goes on so.
func (p *progress) far(now time.Time, done, total int64) string {
	if total <= 0 {
		return ""
	}
	text := fmt.Sprintf(": %s of %s", grouped(int(done)), grouped(int(total)))
	if spent := now.Sub(p.stageBegan); done > 0 && done < total && spent > time.Second {
		left := time.Duration(float64(spent) / float64(done) * float64(total-done))
		text += fmt.Sprintf(", about %v left", left.Round(time.Second))
	}
	return text
}

// due says whether it is time to show something again.
func (p *progress) due(now time.Time) bool {
	every := progressLine
	if p.screen != nil {
		every = progressRedrawn
	}
	if p.hidden || now.Sub(p.last) < every {
		return false
	}
	p.last = now
	return true
}

func (p *progress) show(line string) {
	if p.screen != nil {
		p.screen.line(line)
		p.drawn = true
		return
	}
	fmt.Fprintln(p.out, "unecho: "+line)
}

// line is what there is to say after so long.
func (p *progress) line(after time.Duration) string {
	seconds := max(after.Seconds(), 0.001)
	var parts []string
	if p.files > 1 {
		parts = append(parts, fmt.Sprintf("%s files (%s/s)", grouped(int(p.files)), grouped(int(float64(p.files)/seconds))))
	}
	parts = append(parts, fmt.Sprintf("%s documents (%s/s)", grouped(int(p.documents)), grouped(int(float64(p.documents)/seconds))))
	if p.size <= 0 {
		return strings.Join(append(parts, fmt.Sprintf("%d MB", p.bytes>>20)), ", ")
	}
	parts = append(parts, fmt.Sprintf("%d of %d MB (%d %%)", p.bytes>>20, p.size>>20, min(100, 100*p.bytes/p.size)))
	if p.bytes > 0 && p.bytes < p.size {
		left := time.Duration(float64(after) * float64(p.size-p.bytes) / float64(p.bytes))
		parts = append(parts, left.Round(time.Second).String()+" left")
	}
	return strings.Join(parts, ", ")
}

// end clears the line.
func (p *progress) end() {
	if p.drawn {
		p.screen.clear()
	}
}
