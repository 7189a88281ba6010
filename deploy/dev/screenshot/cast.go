package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// cast is the output to a terminal with its times.
type cast struct {
	header
	events []event
}

// header is the first line of the file.
type header struct {
	Version int    `json:"version"`
	Width   int    `json:"width"`
	Height  int    `json:"height"`
	Command string `json:"command"`
}

// event is one piece of output. A piece never ends within a character.
type event struct {
	at   time.Duration // since the start
	text string
}

// encode writes the header and each event as an array, one on each line.
func (c cast) encode() []byte {
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	lines.SetEscapeHTML(false)
	_ = lines.Encode(c.header) // neither a buffer nor JSON of these types fails
	for _, e := range c.events {
		_ = lines.Encode([]any{math.Round(e.at.Seconds()*1000) / 1000, "o", e.text})
	}
	return b.Bytes()
}

func decode(text []byte) (c cast, err error) {
	lines := json.NewDecoder(bytes.NewReader(text))
	if err := lines.Decode(&c.header); err != nil || c.Version != 2 || c.Width < 1 || c.Height < 2 {
		return cast{}, fmt.Errorf("%s is no recording of version 2: %+v, %w", castFile, c.header, err)
	}
	for lines.More() {
		var seconds float64
		var kind, out string
		if err := lines.Decode(&[]any{&seconds, &kind, &out}); err != nil {
			return cast{}, fmt.Errorf("read event %d: %w", len(c.events), err)
		}
		if kind == "o" {
			c.events = append(c.events, event{time.Duration(seconds * float64(time.Second)), out})
		}
	}
	return c, nil
}
