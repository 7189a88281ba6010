package main

import (
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// A screen knows the parts of a terminal that the demo uses: colours, carriage return, erase to the end of the line,
// and new lines.
type screen struct {
	done    []line // lines that have ended, including those that have scrolled away
	current line   // the line that has not ended
	column  int
	style   string
	pending string // the beginning of an escape sequence
}

// line is a row of characters, each with the style that was in force.
type line []cell

type cell struct {
	char  rune
	style string // the parameters of the escape sequence, such as 32; empty is regular
}

// escape is a control sequence: parameters and a final letter.
var escape = regexp.MustCompile(`^\x1b\[([0-9;]*)([A-Za-z])`)

// write takes what a program has written.
func (s *screen) write(text string) {
	text = s.pending + text
	s.pending = ""
	for text != "" {
		if text[0] == '\x1b' {
			m := escape.FindStringSubmatch(text)
			if m == nil {
				s.pending = text
				return
			}
			s.control(m[1], m[2])
			text = text[len(m[0]):]
			continue
		}
		char, size := utf8.DecodeRuneInString(text)
		s.put(char)
		text = text[size:]
	}
}

func (s *screen) control(parameters, final string) {
	switch final {
	case "m":
		s.style = parameters
		if parameters == "0" {
			s.style = ""
		}
	case "K":
		s.current = s.current[:min(s.column, len(s.current))]
	}
}

func (s *screen) put(char rune) {
	switch char {
	case '\n':
		s.done = append(s.done, s.current)
		s.current, s.column = nil, 0
	case '\r':
		s.column = 0
	default:
		for len(s.current) <= s.column {
			s.current = append(s.current, cell{char: ' '})
		}
		s.current[s.column] = cell{char, s.style}
		s.column++
	}
}

// frame is the state of the screen from a moment on.
type frame struct {
	at     time.Duration
	lines  int  // number of lines that have ended
	status line // the line that has not ended
}

// frames plays a recording. Pieces that come within a twentieth of a second make one frame.
func (c cast) frames() (all []frame, lines []line) {
	var s screen
	for i, e := range c.events {
		s.write(e.text)
		if i+1 < len(c.events) && c.events[i+1].at-e.at < 50*time.Millisecond {
			continue
		}
		all = append(all, frame{e.at, len(s.done), append(line(nil), s.current...)})
	}
	return all, s.done
}

// text returns a line without its colours.
func (l line) text() string {
	var b strings.Builder
	for _, c := range l {
		b.WriteRune(c.char)
	}
	return strings.TrimRight(b.String(), " ")
}
