package columnar

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// arrowWriter appends values of Arrow as JSON. After an error it appends nothing that counts.
type arrowWriter struct {
	most int // bytes that may be appended to
	err  error
}

// value appends a value of an array. text says that bytes of no type are text.
func (w *arrowWriter) value(dst []byte, of arrow.Array, i int, text bool) []byte {
	if len(dst) > w.most {
		w.err = ErrTooLarge
	}
	if w.err != nil {
		return dst
	}
	if of.IsNull(i) {
		return append(dst, "null"...)
	}
	switch a := of.(type) {
	case *array.Dictionary:
		return w.value(dst, a.Dictionary(), a.GetValueIndex(i), text)
	case *array.RunEndEncoded:
		return w.value(dst, a.Values(), a.GetPhysicalIndex(i), text)
	case array.ExtensionArray:
		return w.value(dst, a.Storage(), i, text)
	case *array.Struct:
		return w.structure(dst, a, i, text)
	case array.ListLike:
		return w.list(dst, a, i, text)
	}
	if out, ok := appendArrowNumber(dst, of, i, text); ok {
		return out
	}
	if out, ok := appendArrowTime(dst, of, i); ok {
		return out
	}
	return w.bytes(dst, of, i, text)
}

func (w *arrowWriter) structure(dst []byte, a *array.Struct, i int, text bool) []byte {
	of, ok := a.DataType().(*arrow.StructType)
	if !ok {
		return w.other(dst, a, i)
	}
	dst = append(dst, '{')
	for n, f := range of.Fields() {
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendText(dst, []byte(f.Name)), ':')
		dst = w.value(dst, a.Field(n), i, text)
	}
	return append(dst, '}')
}

func (w *arrowWriter) list(dst []byte, a array.ListLike, i int, text bool) []byte {
	from, to := a.ValueOffsets(i)
	dst = append(dst, '[')
	for at := from; at < to && w.err == nil; at++ {
		if at > from {
			dst = append(dst, ',')
		}
		dst = w.value(dst, a.ListValues(), int(at), text)
	}
	return append(dst, ']')
}

// bytes appends texts and bytes.
func (w *arrowWriter) bytes(dst []byte, of arrow.Array, i int, text bool) []byte {
	var data []byte
	switch a := of.(type) {
	case *array.String:
		return appendText(dst, []byte(a.Value(i)))
	case *array.LargeString:
		return appendText(dst, []byte(a.Value(i)))
	case *array.StringView:
		return appendText(dst, []byte(a.Value(i)))
	case *array.Binary:
		data = a.Value(i)
	case *array.LargeBinary:
		data = a.Value(i)
	case *array.BinaryView:
		data = a.Value(i)
	case *array.FixedSizeBinary:
		data = a.Value(i)
	default:
		return w.other(dst, of, i)
	}
	if text {
		return appendText(dst, data)
	}
	return appendBytes(dst, data)
}

// other appends a value of a type that Parquet has not, such as a duration, as the library does.
func (w *arrowWriter) other(dst []byte, of arrow.Array, i int) []byte {
	value, err := json.Marshal(of.GetOneForMarshal(i))
	if err != nil {
		w.err = err
	}
	return append(dst, value...)
}

// appendArrowNumber appends a number or a boolean. text says that a text is expected.
func appendArrowNumber(dst []byte, of arrow.Array, i int, text bool) (_ []byte, ok bool) {
	switch a := of.(type) {
	case *array.Boolean:
		return strconv.AppendBool(dst, a.Value(i)), true
	case *array.Int8:
		return strconv.AppendInt(dst, int64(a.Value(i)), 10), true
	case *array.Int16:
		return strconv.AppendInt(dst, int64(a.Value(i)), 10), true
	case *array.Int32:
		return strconv.AppendInt(dst, int64(a.Value(i)), 10), true
	case *array.Int64:
		return strconv.AppendInt(dst, a.Value(i), 10), true
	case *array.Uint8:
		return strconv.AppendUint(dst, uint64(a.Value(i)), 10), true
	case *array.Uint16:
		return strconv.AppendUint(dst, uint64(a.Value(i)), 10), true
	case *array.Uint32:
		return strconv.AppendUint(dst, uint64(a.Value(i)), 10), true
	case *array.Uint64:
		return strconv.AppendUint(dst, a.Value(i), 10), true
	case *array.Float16:
		return appendFloat(dst, float64(a.Value(i).Float32()), 32, text), true
	case *array.Float32:
		return appendFloat(dst, float64(a.Value(i)), 32, text), true
	case *array.Float64:
		return appendFloat(dst, a.Value(i), 64, text), true
	}
	return appendArrowDecimal(dst, of, i)
}

func appendArrowDecimal(dst []byte, of arrow.Array, i int) (_ []byte, ok bool) {
	scaled, ok := of.DataType().(arrow.DecimalType)
	if !ok {
		return dst, false
	}
	scale := int(scaled.GetScale())
	digits := ""
	switch a := of.(type) {
	case *array.Decimal32:
		digits = strconv.FormatInt(int64(a.Value(i)), 10)
	case *array.Decimal64:
		digits = strconv.FormatInt(int64(a.Value(i)), 10)
	case *array.Decimal128:
		digits = a.Value(i).BigInt().String()
	case *array.Decimal256:
		digits = a.Value(i).BigInt().String()
	}
	if digits == "" {
		return dst, false
	}
	return appendDecimal(dst, digits, scale), true
}

// appendArrowTime appends a date, a time or a moment.
func appendArrowTime(dst []byte, of arrow.Array, i int) (_ []byte, ok bool) {
	switch a := of.(type) {
	case *array.Date32:
		return appendDate(dst, int64(a.Value(i))), true
	case *array.Date64:
		return appendDate(dst, int64(a.Value(i))/int64(24*time.Hour/time.Millisecond)), true
	case *array.Timestamp:
		if t, ok := a.DataType().(*arrow.TimestampType); ok {
			return appendTime(dst, moment(int64(a.Value(i)), t.Unit.Multiplier()), t.TimeZone != ""), true
		}
	case *array.Time32:
		if t, ok := a.DataType().(*arrow.Time32Type); ok {
			return appendClock(dst, time.Duration(a.Value(i))*t.Unit.Multiplier()), true
		}
	case *array.Time64:
		if t, ok := a.DataType().(*arrow.Time64Type); ok {
			return appendClock(dst, time.Duration(a.Value(i))*t.Unit.Multiplier()), true
		}
	}
	return dst, false
}
