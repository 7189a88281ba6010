package setting

import (
	"errors"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
)

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
