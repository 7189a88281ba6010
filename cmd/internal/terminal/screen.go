package terminal

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// Screen is standard error on a terminal. It separates messages from a line that is redrawn in place, such as progress:
// a message replaces that line.
type Screen struct {
	out   io.Writer
	width func() int // present width in columns

	mu       sync.Mutex
	standing bool // a line without a line break is on the terminal
}

// OnScreen returns a screen if w is a terminal that can draw a line anew, and w unchanged otherwise.
func OnScreen(w io.Writer) io.Writer {
	file, ok := w.(*os.File)
	if !ok || dumb() || !term.IsTerminal(int(file.Fd())) {
		return w
	}
	return NewScreen(w, func() int { return WidthOf(file) })
}

// NewScreen returns a screen of this many columns.
func NewScreen(out io.Writer, width func() int) *Screen { return &Screen{out: out, width: width} }

// WidthOf returns the width of a terminal, in columns.
func WidthOf(file *os.File) int {
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil || width <= 0 {
		return 80
	}
	return width
}

// Write implements io.Writer, for whole lines.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := p
	if s.standing {
		text = append([]byte(EraseLine), p...)
	}
	s.standing = false
	if _, err := s.out.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Draw writes text to out, which may be standard output on the same terminal. standing says whether a line without a
// line break is there afterwards. The screen may be nil.
func (s *Screen) Draw(out io.Writer, text string, standing bool) error {
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.standing = standing
	}
	_, err := io.WriteString(out, text)
	return err
}

// echoed is the columns of what a terminal itself writes when Ctrl-C is pressed: ^C.
const echoed = 2

// line draws one line in place, as much of it as fits.
func (s *Screen) line(text string) {
	_ = s.Draw(s.out, EraseLine+Printable(text, s.width()-1-echoed), true) // a lost line of progress is no loss
}

// clear removes the line that is drawn in place.
func (s *Screen) clear() { _ = s.Draw(s.out, EraseLine, false) }

// EraseLine is the sequence that returns to the beginning of a line and erases it.
const EraseLine = "\r\x1b[K"

// Coloured says whether colours are seen and wanted (https://no-color.org).
func Coloured(out io.Writer) bool { return Is(out) && os.Getenv("NO_COLOR") == "" && !dumb() }

// dumb says that the terminal shows escape sequences as they are, such as that of an editor.
func dumb() bool { return os.Getenv("TERM") == "dumb" }

// Is says whether w is a terminal.
func Is(w io.Writer) bool {
	if _, ok := w.(*Screen); ok {
		return true
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Stage is a whole terminal that is drawn anew again and again, beside what was on it before.
type Stage struct {
	out  *os.File
	back func() // restores the keyboard
}

// Sequences of a terminal (xterm's control sequences).
const (
	otherScreen = "\x1b[?1049h\x1b[?25l" // the alternate screen, without a cursor
	firstScreen = "\x1b[?25h\x1b[?1049l"
	home        = "\x1b[H"
	eraseRight  = "\x1b[K"
	eraseBelow  = "\x1b[J"
)

// NewStage takes the terminal, and the keyboard if in is one: q, Escape and Ctrl-C end the context that it returns.
func NewStage(ctx context.Context, out *os.File, in io.Reader) (*Stage, context.Context, error) {
	s := &Stage{out: out, back: func() {}}
	ctx, end := context.WithCancel(ctx)
	if keyboard, ok := in.(*os.File); ok && term.IsTerminal(int(keyboard.Fd())) {
		before, err := term.MakeRaw(int(keyboard.Fd()))
		if err != nil {
			end()
			return nil, nil, fmt.Errorf("take the keyboard: %w", err)
		}
		s.back = func() { _ = term.Restore(int(keyboard.Fd()), before) } // the shell would set it right, too
		go waitForKey(keyboard, end)
	}
	context.AfterFunc(ctx, end)
	if _, err := io.WriteString(out, otherScreen); err != nil {
		s.back()
		end()
		return nil, nil, err
	}
	return s, ctx, nil
}

// waitForKey calls end at a key that ends the program. It stays in a read when the program ends otherwise.
func waitForKey(keyboard io.Reader, end func()) {
	key := make([]byte, 1)
	for {
		n, err := keyboard.Read(key)
		if err != nil {
			return // the keyboard is gone; signals still end the program
		}
		if n == 1 && strings.ContainsAny(string(key), "qQ\x1b\x03") {
			end()
			return
		}
	}
}

// Draw draws a picture of the terminal's present size.
func (s *Stage) Draw(frame func(width, height int) []string) error {
	width, height, err := term.GetSize(int(s.out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		width, height = 80, 24
	}
	var b strings.Builder
	b.WriteString(home)
	for i, line := range frame(width, height) {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(line + eraseRight)
	}
	b.WriteString(eraseBelow)
	_, err = io.WriteString(s.out, b.String())
	return err
}

// Close shows what was there before.
func (s *Stage) Close() {
	_, _ = io.WriteString(s.out, firstScreen) // whoever closed the terminal does not see it
	s.back()
}
