package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Intervals at which progress is shown: on a terminal in place, elsewhere as a line.
const (
	progressRedrawn = 200 * time.Millisecond
	progressLine    = 10 * time.Second
)

// leastMB is from how many bytes on they are counted in MB: fewer would be 0 of 0.
const leastMB = 2 << 20

// Progress shows how far long work is, and when it will be done. It counts bytes of documents that are read (Add, At),
// or stages in units of their own (Stage).
type Progress struct {
	out    io.Writer
	screen *Screen // screen of a terminal; nil if there is none
	Hidden bool
	now    func() time.Time
	began  time.Time
	last   time.Time
	drawn  bool // a progress line is on the screen

	size      int64 // bytes to be read; 0 or less if unknown
	bytes     int64
	Documents int64
	Files     int64 // number of files read; shown if there are several

	stageName  string
	stageBegan time.Time
}

// NewProgress returns the progress of reading size bytes.
func NewProgress(out io.Writer, size int64) *Progress {
	now := time.Now()
	screen, _ := out.(*Screen)
	return &Progress{out: out, screen: screen, now: time.Now, began: now, last: now, size: size}
}

// NewStages returns the progress of stages.
func NewStages(out io.Writer) *Progress { return NewProgress(out, -1) }

// Add counts bytes.
func (p *Progress) Add(n int) { p.At(p.bytes + int64(n)) }

// Document counts a document, behind which this many bytes and files have been read.
func (p *Progress) Document(bytes, files int64) {
	p.Documents++
	p.Files = files
	p.At(bytes)
}

// At sets the number of bytes that have been read.
func (p *Progress) At(bytes int64) {
	p.bytes = bytes
	if p.Hidden || p.Documents&63 != 0 && p.Files < 2 {
		return
	}
	if p.due(p.now()) {
		p.show(p.line(p.last.Sub(p.began)))
	}
}

// Stage sets how much of a stage is done. It may be called often; it shows something only at intervals. total 0 means
// waiting: that is shown at once.
func (p *Progress) Stage(name string, done, total int64) {
	now, fresh := p.now(), name != p.stageName
	if fresh {
		p.stageName, p.stageBegan = name, now
	}
	waits := fresh && total == 0
	if p.Hidden || !p.due(now) && !waits {
		return
	}
	p.last = now
	p.show(name + p.far(now, done, total))
}

// far returns how far the stage is, and how long it will take at this speed.
func (p *Progress) far(now time.Time, done, total int64) string {
	if total <= 0 {
		return ""
	}
	text := fmt.Sprintf(": %s of %s", Grouped(int(done)), Grouped(int(total)))
	if spent := now.Sub(p.stageBegan); done > 0 && done < total && spent > time.Second {
		left := time.Duration(float64(spent) / float64(done) * float64(total-done))
		text += fmt.Sprintf(", about %v left", left.Round(time.Second))
	}
	return text
}

// Line shows a line of the caller's own in place, at once. It shows nothing elsewhere than on a terminal.
func (p *Progress) Line(text string) {
	if p.screen != nil && !p.Hidden {
		p.show(text)
	}
}

func (p *Progress) due(now time.Time) bool {
	every := progressLine
	if p.screen != nil {
		every = progressRedrawn
	}
	if p.Hidden || now.Sub(p.last) < every {
		return false
	}
	p.last = now
	return true
}

func (p *Progress) show(line string) {
	if p.screen != nil {
		p.screen.line(line)
		p.drawn = true
		return
	}
	fmt.Fprintln(p.out, "unecho: "+line)
}

// line returns the text of progress after this much time.
func (p *Progress) line(after time.Duration) string {
	seconds := max(after.Seconds(), 0.001)
	var parts []string
	if p.Files > 1 {
		parts = append(parts, fmt.Sprintf("%s files (%s/s)", Grouped(int(p.Files)), Grouped(int(float64(p.Files)/seconds))))
	}
	parts = append(parts, fmt.Sprintf("%s documents (%s/s)", Grouped(int(p.Documents)),
		Grouped(int(float64(p.Documents)/seconds))))
	unit, per := "MB", int64(1<<20)
	if max(p.bytes, p.size) < leastMB {
		unit, per = "kB", 1<<10
	}
	if p.size <= 0 {
		return strings.Join(append(parts, fmt.Sprintf("%d %s", p.bytes/per, unit)), ", ")
	}
	parts = append(parts, fmt.Sprintf("%d of %d %s (%d %%)", (p.bytes+per-1)/per, (p.size+per-1)/per, unit,
		min(100, 100*p.bytes/p.size)))
	if p.bytes > 0 && p.bytes < p.size {
		left := time.Duration(float64(after) * float64(p.size-p.bytes) / float64(p.bytes))
		parts = append(parts, left.Round(time.Second).String()+" left")
	}
	return strings.Join(parts, ", ")
}

// End clears the progress line.
func (p *Progress) End() {
	if p.drawn {
		p.screen.clear()
	}
}
