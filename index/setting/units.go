package setting

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
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

const durationRemedy = "write a number with a unit, such as 500ms, 30s, 5m, 24h or 7d"

// errDuration is the problem that ParseDuration reports. The caller shows the text itself.
var errDuration = errors.New("not a duration: " + durationRemedy)

const day = 24 * time.Hour

// ParseDuration parses what time.ParseDuration does, with an optional number of days in front: 7d, 1d12h. A day is 24
// hours.
func ParseDuration(text string) (time.Duration, error) {
	days, rest, found := strings.Cut(text, "d")
	if !found {
		d, err := time.ParseDuration(text)
		if err != nil {
			return 0, errDuration
		}
		return d, nil
	}
	n, err := strconv.ParseUint(days, 10, 31)
	if err != nil || n > uint64(math.MaxInt64/day) {
		return 0, errDuration
	}
	d := time.Duration(n) * day
	if rest == "" {
		return d, nil
	}
	r, err := time.ParseDuration(rest)
	if err != nil || r < 0 || rest[0] == '+' || rest[0] == '-' || d > math.MaxInt64-r {
		return 0, errDuration
	}
	return d + r, nil
}

// FormatDuration writes a duration without the zeroes of time.Duration.String: 24h, 90s as 1m30s, 7d.
func FormatDuration(d time.Duration) string {
	if d > day && d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func parseDuration(v reflect.Value, text string) (problem, remedy string) {
	d, err := ParseDuration(text)
	if err == nil {
		v.SetInt(int64(d))
		return "", ""
	}
	if _, numeric := strconv.ParseFloat(text, 64); numeric == nil {
		return "has no unit", "write " + text + "ms, " + text + "s, " + text + "m, " + text + "h or " + text + "d"
	}
	if meant := abbreviated(text); meant != text {
		if _, err := ParseDuration(meant); err == nil {
			return "is not a duration", "write " + meant
		}
	}
	if m := ofWeeks.FindStringSubmatch(text); m != nil {
		weeks, _ := strconv.Atoi(m[1])
		return "is not a duration", "write days: " + strconv.Itoa(7*weeks) + "d"
	}
	return "is not a duration", durationRemedy
}

var ofWeeks = regexp.MustCompile(`^([0-9]{1,4}) ?(?i:w|weeks?)$`)

// abbreviated turns units that are written out into those of a duration.
func abbreviated(text string) string {
	return strings.NewReplacer(" ", "", "days", "d", "day", "d", "hours", "h", "hour", "h", "hrs", "h", "hr", "h",
		"minutes", "m", "minute", "m", "mins", "m", "min", "m", "seconds", "s", "second", "s", "secs", "s", "sec", "s",
		"milliseconds", "ms", "millisecond", "ms").Replace(strings.ToLower(text))
}
