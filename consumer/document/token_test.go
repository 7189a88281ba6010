package document

import (
	"bytes"
	"testing"
)

// TestPlain puts each byte at each place of a run of plain ones, before others that end it as well.
func TestPlain(t *testing.T) {
	for c := range 256 {
		for at := range 43 {
			data := bytes.Repeat([]byte{0xc3, 0xa9, 'a', '~', 0x7f, '!', '#', '[', ' ', 0x80}, 5)
			data[at], data[at+1], data[43] = byte(c), ' ', '"'
			want := 43
			if c < ' ' || c == '"' || c == '\\' {
				want = at
			}
			if got := plain(data); got != want {
				t.Fatalf("byte %#x at %d: %d plain, want %d", c, at, got, want)
			}
			if got := plain(data[:at+1]); got < at || got > min(at+1, want) {
				t.Fatalf("byte %#x last of %d: %d plain, want %d at most", c, at+1, got, want)
			}
		}
	}
}
