package terminal

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

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
