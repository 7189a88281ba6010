package columnar

import (
	"fmt"
	"math"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/parquet-go/parquet-go"
)

// valueOf returns a value of an array as Parquet has it, as leafOf says.
func valueOf(of arrow.Array, i int) (parquet.Value, error) {
	switch a := of.(type) {
	case *array.Boolean:
		return parquet.BooleanValue(a.Value(i)), nil
	case *array.Int8:
		return parquet.Int32Value(int32(a.Value(i))), nil
	case *array.Int16:
		return parquet.Int32Value(int32(a.Value(i))), nil
	case *array.Int32:
		return parquet.Int32Value(a.Value(i)), nil
	case *array.Int64:
		return parquet.Int64Value(a.Value(i)), nil
	case *array.Uint8:
		return parquet.Int32Value(int32(a.Value(i))), nil
	case *array.Uint16:
		return parquet.Int32Value(int32(a.Value(i))), nil
	case *array.Uint32:
		return parquet.Int32Value(int32(a.Value(i))), nil // its bits are kept
	case *array.Uint64:
		return parquet.Int64Value(int64(a.Value(i))), nil // its bits are kept
	case *array.Float32:
		return parquet.FloatValue(a.Value(i)), nil
	case *array.Float64:
		return parquet.DoubleValue(a.Value(i)), nil
	case *array.Duration:
		return parquet.Int64Value(int64(a.Value(i))), nil
	}
	if data, ok := bytesOf(of, i); ok {
		return parquet.ByteArrayValue(data), nil
	}
	if fixed, ok := of.(*array.FixedSizeBinary); ok {
		return parquet.FixedLenByteArrayValue(fixed.Value(i)), nil
	}
	if number, ok := unscaled(of, i); ok {
		return decimalValue(of, number)
	}
	return momentOf(of, i)
}

func bytesOf(of arrow.Array, i int) ([]byte, bool) {
	switch a := of.(type) {
	case *array.String:
		return []byte(a.Value(i)), true
	case *array.LargeString:
		return []byte(a.Value(i)), true
	case *array.StringView:
		return []byte(a.Value(i)), true
	case *array.Binary:
		return a.Value(i), true
	case *array.LargeBinary:
		return a.Value(i), true
	case *array.BinaryView:
		return a.Value(i), true
	}
	return nil, false
}

// unscaled returns the digits of a decimal.
func unscaled(of arrow.Array, i int) (*big.Int, bool) {
	switch a := of.(type) {
	case *array.Decimal32:
		return big.NewInt(int64(a.Value(i))), true
	case *array.Decimal64:
		return big.NewInt(int64(a.Value(i))), true
	case *array.Decimal128:
		return a.Value(i).BigInt(), true
	case *array.Decimal256:
		return a.Value(i).BigInt(), true
	}
	return nil, false
}

// decimalValue writes digits as two's complement, the highest byte first.
func decimalValue(of arrow.Array, n *big.Int) (parquet.Value, error) {
	t, ok := of.DataType().(arrow.DecimalType)
	if !ok {
		return parquet.Value{}, damaged("%s is no decimal", of.DataType())
	}
	out := make([]byte, decimalBytes(t))
	bits := uint(8 * len(out)) // 128 or 256
	if n.BitLen() >= int(bits) {
		return parquet.Value{}, damaged("a decimal has more digits than %s can have", t)
	}
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), bits))
	}
	return parquet.FixedLenByteArrayValue(n.FillBytes(out)), nil
}

// momentOf returns a date, a time or a moment in the unit as which it is written.
func momentOf(of arrow.Array, i int) (parquet.Value, error) {
	const dayMillis = 24 * 60 * 60 * 1000
	switch a := of.(type) {
	case *array.Date32:
		return parquet.Int32Value(int32(a.Value(i))), nil
	case *array.Date64:
		days := int64(a.Value(i)) / dayMillis
		if int64(a.Value(i))%dayMillis != 0 || days != int64(int32(days)) { // that is asked
			return parquet.Value{}, fmt.Errorf("%d ms are no date that Parquet has", a.Value(i))
		}
		return parquet.Int32Value(int32(days)), nil // it was checked
	case *array.Time32:
		n := int64(a.Value(i))
		if t, ok := a.DataType().(*arrow.Time32Type); ok && t.Unit == arrow.Second {
			n *= 1000
		}
		if n != int64(int32(n)) { // that is asked
			return parquet.Value{}, fmt.Errorf("%d ms are no time of a day", n)
		}
		return parquet.Int32Value(int32(n)), nil // it was checked
	case *array.Time64:
		return parquet.Int64Value(int64(a.Value(i))), nil
	case *array.Timestamp:
		n := int64(a.Value(i))
		if t, ok := a.DataType().(*arrow.TimestampType); ok && t.Unit == arrow.Second {
			if n > math.MaxInt64/1000 || n < math.MinInt64/1000 {
				return parquet.Value{}, fmt.Errorf("%d s are beyond what Parquet has, which are milliseconds", n)
			}
			n *= 1000
		}
		return parquet.Int64Value(n), nil
	}
	return parquet.Value{}, damaged("%s is another type than the schema has", of.DataType())
}
