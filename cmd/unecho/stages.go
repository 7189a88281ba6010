package main

import (
	"fmt"
	"io"
	"time"
)

// stages shows how far long work is: one line that changes on a terminal, else a line now and then.
type stages struct {
	out    io.Writer
	live   bool
	stage  string
	began  time.Time // of the stage
	shown  time.Time
	now    func() time.Time
	onLine bool // something stands on the terminal's line
}

// How often it is shown.
const (
	stagesLive  = 200 * time.Millisecond
	stagesLines = 10 * time.Second
)

func newStages(out io.Writer) *stages {
	p := &stages{out: out, live: terminal(out), now: time.Now}
	p.shown = p.now()
	return p
}

// at is called often, and writes seldom.
func (p *stages) at(stage string, done, total int64) {
	now, fresh := p.now(), stage != p.stage
	if fresh {
		p.stage, p.began = stage, now
	}
	every := stagesLines
	if p.live {
		every = stagesLive
	}
	waits := fresh && total == 0 // for others, who knows how long
	if now.Sub(p.shown) < every && !waits {
		return
	}
	p.shown = now
	text := stage + p.far(now, done, total)
	if p.live {
		p.onLine = true
		fmt.Fprintf(p.out, "\r\x1b[K%s", text)
		return
	}
	fmt.Fprintln(p.out, text)
}

// far is how far the stage is, and how long it will take if it goes on so.
func (p *stages) far(now time.Time, done, total int64) string {
	if total <= 0 {
		return ""
	}
	text := fmt.Sprintf(": %s of %s", grouped(int(done)), grouped(int(total)))
	if spent := now.Sub(p.began); done > 0 && done < total && spent > time.Second {
		left := time.Duration(float64(spent) / float64(done) * float64(total-done))
		text += fmt.Sprintf(", about %v left", left.Round(time.Second))
	}
	return text
}

// end clears the line.
func (p *stages) end() {
	if p.onLine {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
