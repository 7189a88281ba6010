package setting

import (
	"fmt"
	"strconv"
	"strings"
)

// Bytes is a size in bytes. People write it as 512, 64KiB, 1MiB or 2GiB.
type Bytes int64

// Sizes in bytes.
const (
	KiB Bytes = 1 << 10
	MiB Bytes = 1 << 20
	GiB Bytes = 1 << 30
	TiB Bytes = 1 << 40
)

type unit struct {
	name string
	size Bytes
}

func units() []unit { return []unit{{"TiB", TiB}, {"GiB", GiB}, {"MiB", MiB}, {"KiB", KiB}} }

// String writes the size with the largest unit that divides it.
func (b Bytes) String() string {
	for _, u := range units() {
		if b >= u.size && b%u.size == 0 {
			return strconv.FormatInt(int64(b/u.size), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(b), 10)
}

// MarshalText implements encoding.TextMarshaler.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText parses what String writes. Units are binary and their case does not matter; a plain number is bytes.
func (b *Bytes) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	scale := Bytes(1)
	for _, u := range units() {
		if len(s) > len(u.name) && strings.EqualFold(s[len(s)-len(u.name):], u.name) {
			s, scale = strings.TrimSpace(s[:len(s)-len(u.name)]), u.size
			break
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > int64(8<<40/scale) {
		return fmt.Errorf("%q is not a size: write bytes, or a number with KiB, MiB, GiB or TiB", string(text))
	}
	*b = Bytes(n) * scale
	return nil
}
