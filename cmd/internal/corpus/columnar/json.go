package columnar

import (
	"encoding/base64"
	"math"
	"strconv"
	"time"
)

// appendText appends a JSON string. Bytes that are no UTF-8 stay: who reads the text decides about them.
func appendText(dst, text []byte) []byte {
	dst = append(dst, '"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c < ' ':
			const digits = "0123456789abcdef"
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// appendBytes appends bytes that are no text.
func appendBytes(dst, data []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), data), '"')
}

// appendFloat appends a number. In a column of texts NaN is a text that is missing, and not the word.
func appendFloat(dst []byte, f float64, bits int, text bool) []byte {
	if text && math.IsNaN(f) {
		return append(dst, "null"...)
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(strconv.AppendFloat(append(dst, '"'), f, 'g', -1, bits), '"')
	}
	return strconv.AppendFloat(dst, f, 'g', -1, bits)
}

// Layouts of moments. One that has a zone is in UTC.
const (
	clockLayout = "15:04:05.999999999"
	localLayout = time.DateOnly + "T" + clockLayout
	zonedLayout = localLayout + "Z07:00"
)

// appendTime appends a moment.
func appendTime(dst []byte, t time.Time, layout string) []byte {
	return append(t.UTC().AppendFormat(append(dst, '"'), layout), '"')
}

// mostScale is the scale up to which a decimal is written with a point. No type has so many digits, but a file may say so.
const mostScale = 100

// appendDecimal appends digits with a point before the last scale of them.
func appendDecimal(dst []byte, digits string, scale int) []byte {
	if scale < 0 || scale > mostScale {
		return strconv.AppendInt(append(append(dst, digits...), 'e'), -int64(scale), 10)
	}
	if len(digits) > 0 && digits[0] == '-' {
		dst, digits = append(dst, '-'), digits[1:]
	}
	for len(digits) <= scale {
		digits = "0" + digits
	}
	dst = append(dst, digits[:len(digits)-scale]...)
	if scale > 0 {
		dst = append(append(dst, '.'), digits[len(digits)-scale:]...)
	}
	return dst
}

// moment returns the time so many units after the year 1970.
func moment(n int64, unit time.Duration) time.Time {
	per := int64(time.Second / unit)
	seconds := n / per
	rest := n % per
	return time.Unix(seconds, rest*int64(unit))
}
