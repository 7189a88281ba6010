package columnar

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// writerOf returns how values of a type are written as JSON. text says that bytes of no type are text.
func writerOf(t parquet.Type, text bool) func(dst []byte, v parquet.Value) []byte {
	if of := t.LogicalType(); of != nil {
		switch l := of.Value.(type) {
		case *format.StringType, *format.EnumType, *format.JsonType:
			text = true
		case *format.UUIDType:
			return func(dst []byte, v parquet.Value) []byte { return appendUUID(dst, v.ByteArray()) }
		case *format.DecimalType:
			return func(dst []byte, v parquet.Value) []byte { return appendDecimal(dst, digitsOf(v), int(l.Scale)) }
		case *format.DateType:
			return func(dst []byte, v parquet.Value) []byte { return appendTime(dst, day(int64(v.Int32())), time.DateOnly) }
		case *format.TimestampType:
			unit, layout := unitOf(l.Unit), localLayout
			if l.IsAdjustedToUTC {
				layout = zonedLayout
			}
			return func(dst []byte, v parquet.Value) []byte { return appendTime(dst, moment(v.Int64(), unit), layout) }
		case *format.TimeType:
			unit := unitOf(l.Unit)
			return func(dst []byte, v parquet.Value) []byte {
				return appendTime(dst, day(0).Add(time.Duration(integer(v))*unit), clockLayout)
			}
		case *format.IntType:
			if !l.IsSigned {
				return appendUnsigned
			}
		}
	}
	return plainWriter(t.Kind(), text)
}

// plainWriter writes values of a physical type.
func plainWriter(kind parquet.Kind, text bool) func(dst []byte, v parquet.Value) []byte {
	switch kind {
	case parquet.Boolean:
		return func(dst []byte, v parquet.Value) []byte { return strconv.AppendBool(dst, v.Boolean()) }
	case parquet.Int32, parquet.Int64:
		return func(dst []byte, v parquet.Value) []byte { return strconv.AppendInt(dst, integer(v), 10) }
	case parquet.Int96:
		return appendInt96
	case parquet.Float:
		return func(dst []byte, v parquet.Value) []byte { return appendFloat(dst, float64(v.Float()), 32, text) }
	case parquet.Double:
		return func(dst []byte, v parquet.Value) []byte { return appendFloat(dst, v.Double(), 64, text) }
	case parquet.ByteArray, parquet.FixedLenByteArray:
	}
	if text {
		return func(dst []byte, v parquet.Value) []byte { return appendText(dst, v.ByteArray()) }
	}
	return func(dst []byte, v parquet.Value) []byte { return appendBytes(dst, v.ByteArray()) }
}

// halves says of each column whether its values are numbers of two bytes: for the library they are bytes.
func halves(schema []format.SchemaElement) (all []bool) {
	for i := range schema {
		if e := &schema[i]; e.Type.Valid {
			_, half := e.LogicalType.Value.(*format.Float16Type)
			all = append(all, half && e.Type.V == format.FixedLenByteArray && e.TypeLength.V == 2)
		}
	}
	return all
}

// float16 is the number of two bytes (IEEE 754, binary16).
func float16(data []byte) float64 {
	bits := binary.LittleEndian.Uint16(data)
	exponent, fraction := int(bits>>10&0x1f), float64(bits&0x3ff)
	f := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		f = math.Ldexp(fraction, -24)
	case exponent == 0x1f && fraction == 0:
		f = math.Inf(1)
	case exponent == 0x1f:
		return math.NaN()
	}
	return math.Copysign(f, 1-float64(bits>>15)*2)
}

func unitOf(u format.TimeUnit) time.Duration {
	if u.Value == nil {
		return time.Nanosecond
	}
	return u.Value.Duration()
}

// integer returns the value of a column of either width.
func integer(v parquet.Value) int64 {
	if v.Kind() == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

func appendUnsigned(dst []byte, v parquet.Value) []byte {
	if v.Kind() == parquet.Int32 {
		return strconv.AppendUint(dst, uint64(v.Uint32()), 10)
	}
	return strconv.AppendUint(dst, v.Uint64(), 10)
}

// julianDay1970 is the Julian day of the first of January 1970.
const julianDay1970 = 2440588

// appendInt96 appends a timestamp of old: nanoseconds of a Julian day.
func appendInt96(dst []byte, v parquet.Value) []byte {
	i := v.Int96()
	return appendTime(dst, day(int64(i[2])-julianDay1970).Add(time.Duration(i.Int64())), localLayout)
}

// day is so many days after the first of January 1970.
func day(n int64) time.Time { return time.Unix(n*86400, 0) }

// appendUUID appends 8-4-4-4-12 digits.
func appendUUID(dst, uuid []byte) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	for i, b := range uuid {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = append(dst, digits[b>>4], digits[b&15])
	}
	return append(dst, '"')
}

// digitsOf returns the unscaled value of a decimal, which is two's complement where it is bytes.
func digitsOf(v parquet.Value) string {
	if kind := v.Kind(); kind == parquet.Int32 || kind == parquet.Int64 {
		return strconv.FormatInt(integer(v), 10)
	}
	data := v.ByteArray()
	n := new(big.Int).SetBytes(data)
	if len(data) > 0 && data[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(data)))) // a length
	}
	return n.String()
}

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

// isInteger says whether values of a type are integers that 64 bits hold with their sign.
func isInteger(t parquet.Type) bool {
	if t.Kind() != parquet.Int32 && t.Kind() != parquet.Int64 {
		return false
	}
	of := t.LogicalType()
	if of == nil || of.Value == nil {
		return true
	}
	integer, ok := of.Value.(*format.IntType)
	return ok && (integer.IsSigned || integer.BitWidth < 64)
}
