package main

import (
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// screen is standard error on a terminal. It keeps messages apart from a line that is drawn anew in place, such as progress: a
// message takes the place of what stands there.
type screen struct {
	out   io.Writer
	width func() int // in columns, now

	mu       sync.Mutex
	standing bool // a line without an end stands on the terminal
}

// onScreen makes a screen of a terminal, and leaves everything else as it is.
func onScreen(w io.Writer) io.Writer {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return w
	}
	return &screen{out: w, width: func() int { return columnsOf(file) }}
}

// columnsOf is how wide a terminal is.
func columnsOf(file *os.File) int {
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil || width <= 0 {
		return 80
	}
	return width
}

// Write implements io.Writer, for whole lines.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := p
	if s.standing {
		text = append([]byte(eraseLine), p...)
	}
	s.standing = false
	if _, err := s.out.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// draw writes text to out, which may be standard output on the same terminal. It says whether a line stands there then. There
// need not be a screen.
func (s *screen) draw(out io.Writer, text string, standing bool) error {
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.standing = standing
	}
	_, err := io.WriteString(out, text)
	return err
}

// echoed is what a terminal itself writes when Ctrl-C is pressed: ^C.
const echoed = 2

// line draws one line in place, as much of it as fits.
func (s *screen) line(text string) {
	_ = s.draw(s.out, eraseLine+printable(text, s.width()-1-echoed), true) // a lost line of progress is no loss
}

// clear removes what stands there.
func (s *screen) clear() { _ = s.draw(s.out, eraseLine, false) }
