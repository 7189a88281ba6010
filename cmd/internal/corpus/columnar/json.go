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
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, data)
	return append(dst, '"')
}

// appendFloat appends a number. In a column of texts NaN is a text that is missing, and not the word.
func appendFloat(dst []byte, f float64, bits int, text bool) []byte {
	if text && math.IsNaN(f) {
		return append(dst, "null"...)
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		dst = append(dst, '"')
		dst = strconv.AppendFloat(dst, f, 'g', -1, bits)
		return append(dst, '"')
	}
	return strconv.AppendFloat(dst, f, 'g', -1, bits)
}

// appendTime appends a moment, with its zone if it has one.
func appendTime(dst []byte, t time.Time, zoned bool) []byte {
	layout := "2006-01-02T15:04:05.999999999"
	if zoned {
		layout += "Z07:00"
	}
	dst = append(dst, '"')
	dst = t.UTC().AppendFormat(dst, layout)
	return append(dst, '"')
}

func appendDate(dst []byte, days int64) []byte {
	dst = append(dst, '"')
	dst = time.Unix(days*86400, 0).UTC().AppendFormat(dst, time.DateOnly)
	return append(dst, '"')
}

func appendClock(dst []byte, sinceMidnight time.Duration) []byte {
	dst = append(dst, '"')
	dst = time.Unix(0, 0).UTC().Add(sinceMidnight).AppendFormat(dst, "15:04:05.999999999")
	return append(dst, '"')
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
