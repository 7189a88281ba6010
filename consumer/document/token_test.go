package document

import (
	"bytes"
	"testing"
)

// TestPlain puts each byte at each place of a run of plain ones.
func TestPlain(t *testing.T) {
	for c := range 256 {
		for at := range 24 {
			data := bytes.Repeat([]byte{0xc3, 0xa9, 'a', '~', 0x7f, '!', '#', '['}, 3)
			data[at] = byte(c)
			want := 24
			if c < ' ' || c == '"' || c == '\\' {
				want = at / 8 * 8
			}
			if got := plain(data); got != want {
				t.Fatalf("byte %#x at %d: %d plain, want %d", c, at, got, want)
			}
			if got := plain(data[:23]); got > 16 {
				t.Fatalf("%d of 23 bytes, in eights", got)
			}
		}
	}
}
