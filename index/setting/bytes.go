package setting

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Bytes is a size in bytes. People write it as 512, 64KiB, 2Gi, 2GB or 2G.
type Bytes int64

const sizeRemedy = "write a whole number with a unit, such as 64MiB, 2GiB, 2Gi or 2GB"

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

// units lists the units, the largest first. String writes no kB, so that 1000 stays 1000.
func units() []unit {
	return []unit{
		{"TiB", TiB}, {"TB", 1e12}, {"GiB", GiB}, {"GB", 1e9}, {"MiB", MiB}, {"MB", 1e6}, {"KiB", KiB},
	}
}

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

// ofUnit matches a number and a unit: 512, 64KiB, 2 Gi, 2GB, 2g.
var ofUnit = regexp.MustCompile(`^([0-9]+) *([KMGT]?)(I?)B?$`)

// UnmarshalText parses what String writes. A unit with an i is binary, one without is decimal, its B may be left out,
// and its case does not matter.
func (b *Bytes) UnmarshalText(text []byte) error {
	wrong := fmt.Errorf("%q is not a size: %s", string(text), sizeRemedy)
	m := ofUnit.FindStringSubmatch(strings.ToUpper(strings.TrimSpace(string(text))))
	if m == nil || m[2] == "" && m[3] != "" {
		return wrong
	}
	base, scale := Bytes(1000), Bytes(1)
	if m[3] != "" {
		base = 1024
	}
	for range strings.Index(" KMGT", m[2]) {
		scale *= base
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil || n > int64(8<<40/scale) {
		return wrong
	}
	*b = Bytes(n) * scale
	return nil
}
