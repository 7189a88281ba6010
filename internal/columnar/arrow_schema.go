package columnar

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// ArrowSchemaOf returns the schema that rows of an Arrow file or stream have as Parquet, or an error if a type has none.
// What Arrow says of types beyond Parquet's goes with the file, where other programs look for it: they read the types
// that there were.
func ArrowSchemaOf(in io.Reader, isFile bool) (*Schema, error) {
	rows, err := OpenArrow(in, isFile, Wanted{All: true})
	if err != nil {
		return nil, err
	}
	s := &Schema{}
	return s, guard("read its schema", func() error {
		defer rows.in.Release()
		of := rows.in.Schema()
		all := elementsOf{{Name: "schema"}}
		if err := all.group(0, of.Fields()); err != nil {
			return err
		}
		said, err := saidOf(of)
		if err != nil {
			return err
		}
		var protocol thrift.CompactProtocol
		footer, err := thrift.Marshal(&protocol, &format.FileMetaData{Version: 1, Schema: thrift.Slice[format.SchemaElement](all), KeyValueMetadata: said})
		if err != nil {
			return err
		}
		if s.file, err = openFooter(footer); err != nil {
			return err
		}
		return s.kept()
	})
}

// saidOf returns what a schema says of itself: its own notes, and itself as pyarrow stores it.
func saidOf(of *arrow.Schema) ([]format.KeyValue, error) {
	var all []format.KeyValue
	notes := of.Metadata()
	for i, key := range notes.Keys() {
		all = append(all, format.KeyValue{Key: key, Value: notes.Values()[i]})
	}
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(of))
	if err := w.Close(); err != nil {
		return nil, err
	}
	const end = "\xff\xff\xff\xff\x00\x00\x00\x00" // of the stream
	message := bytes.TrimSuffix(out.Bytes(), []byte(end))
	return append(all, format.KeyValue{Key: "ARROW:schema", Value: base64.StdEncoding.EncodeToString(message)}), nil
}

// elementsOf is a schema of Parquet: each group before its children.
type elementsOf []format.SchemaElement

// group adds the children of an element.
func (e *elementsOf) group(parent int, children []arrow.Field) error {
	if len(children) == 0 {
		return fmt.Errorf("column %s has no columns below it, which Parquet cannot have", (*e)[parent].Name)
	}
	(*e)[parent].NumChildren = thrift.New(int32(len(children))) // the schema was checked
	for _, f := range children {
		if err := e.field(f); err != nil {
			return err
		}
	}
	return nil
}

func (e *elementsOf) field(f arrow.Field) error {
	at := len(*e)
	is := format.SchemaElement{Name: f.Name, RepetitionType: thrift.New(format.Required)}
	if f.Nullable || f.Type.ID() == arrow.NULL {
		is.RepetitionType = thrift.New(format.Optional)
	}
	*e = append(*e, is)
	switch t := storedAs(f.Type).(type) {
	case *arrow.StructType:
		return e.group(at, t.Fields())
	case *arrow.MapType:
		key, item := t.KeyField(), t.ItemField()
		key.Name, key.Nullable, item.Name = "key", false, "value"
		return e.repeated(at, format.LogicalType{Value: &format.MapType{}}, "key_value", key, item)
	case arrow.ListLikeType:
		element := t.ElemField()
		element.Name = "element"
		return e.repeated(at, format.LogicalType{Value: &format.ListType{}}, "list", element)
	default:
		if err := leafOf(&(*e)[at], t); err != nil {
			return fmt.Errorf("column %s: %w", f.Name, err)
		}
		if e := &(*e)[at]; isUUID(f) && e.TypeLength.V == uuidBytes {
			e.LogicalType = format.LogicalType{Value: &format.UUIDType{}}
		}
	}
	return nil
}

const (
	uuidBytes  = 16
	mostDigits = 76 // of Arrow's widest decimal
)

// repeated makes an element a list or a map.
func (e *elementsOf) repeated(at int, as format.LogicalType, name string, children ...arrow.Field) error {
	(*e)[at].LogicalType, (*e)[at].NumChildren = as, thrift.New(int32(1))
	*e = append(*e, format.SchemaElement{Name: name, RepetitionType: thrift.New(format.Repeated)})
	return e.group(at+1, children)
}

// storedAs returns the type of the values of a type.
func storedAs(t arrow.DataType) arrow.DataType {
	for {
		switch of := t.(type) {
		case *arrow.DictionaryType:
			t = of.ValueType
		case arrow.ExtensionType:
			t = of.StorageType()
		default:
			return t
		}
	}
}

// leafOf gives an element the type of values.
func leafOf(e *format.SchemaElement, t arrow.DataType) error {
	kind, meaning := format.ByteArray, format.LogicalTypeValue(nil)
	switch t := t.(type) {
	case *arrow.NullType:
		kind, meaning = format.Int32, &format.NullType{}
	case *arrow.BooleanType:
		kind = format.Boolean
	case *arrow.Float32Type:
		kind = format.Float
	case *arrow.Float64Type:
		kind = format.Double
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		meaning = &format.StringType{}
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType:
	case *arrow.FixedSizeBinaryType:
		return fixed(e, t.ByteWidth, nil)
	case arrow.DecimalType:
		if t.GetScale() < 0 || t.GetScale() > t.GetPrecision() || t.GetPrecision() < 1 || t.GetPrecision() > mostDigits {
			return fmt.Errorf("%s has digits that Parquet's decimals cannot have", t)
		}
		e.Precision, e.Scale = thrift.New(t.GetPrecision()), thrift.New(t.GetScale())
		return fixed(e, decimalBytes(t), &format.DecimalType{Precision: t.GetPrecision(), Scale: t.GetScale()})
	default:
		var ok bool
		if kind, meaning, ok = integerOf(t); !ok {
			kind, meaning, ok = timeOf(t)
		}
		if !ok {
			return fmt.Errorf("%s is no type that is written as Parquet", t)
		}
	}
	e.Type, e.LogicalType = thrift.New(kind), format.LogicalType{Value: meaning}
	return nil
}

func fixed(e *format.SchemaElement, bytes int, meaning format.LogicalTypeValue) error {
	if bytes < 1 || bytes > math.MaxInt32 {
		return fmt.Errorf("values of %d bytes are none of Parquet's", bytes)
	}
	e.Type, e.TypeLength = thrift.New(format.FixedLenByteArray), thrift.New(int32(bytes))
	e.LogicalType = format.LogicalType{Value: meaning}
	return nil
}

// decimalBytes is how wide decimals are written: as few bytes as all digits need.
func decimalBytes(t arrow.DecimalType) int {
	most := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.GetPrecision())), nil)
	return most.Sub(most, big.NewInt(1)).BitLen()/8 + 1 // one bit is the sign
}

func integerOf(t arrow.DataType) (format.Type, format.LogicalTypeValue, bool) {
	of := func(kind format.Type, bits int8, signed bool) (format.Type, format.LogicalTypeValue, bool) {
		return kind, &format.IntType{BitWidth: bits, IsSigned: signed}, true
	}
	switch t.(type) {
	case *arrow.Int8Type:
		return of(format.Int32, 8, true)
	case *arrow.Int16Type:
		return of(format.Int32, 16, true)
	case *arrow.Int32Type:
		return of(format.Int32, 32, true)
	case *arrow.Int64Type, *arrow.DurationType: // which has no meaning in Parquet, but in what goes with the file
		return of(format.Int64, 64, true)
	case *arrow.Uint8Type:
		return of(format.Int32, 8, false)
	case *arrow.Uint16Type:
		return of(format.Int32, 16, false)
	case *arrow.Uint32Type:
		return of(format.Int32, 32, false)
	case *arrow.Uint64Type:
		return of(format.Int64, 64, false)
	}
	return 0, nil, false
}

func timeOf(t arrow.DataType) (format.Type, format.LogicalTypeValue, bool) {
	switch t := t.(type) {
	case *arrow.Date32Type, *arrow.Date64Type:
		return format.Int32, &format.DateType{}, true
	case *arrow.Time32Type:
		return format.Int32, &format.TimeType{Unit: unitAs(t.Unit)}, true
	case *arrow.Time64Type:
		return format.Int64, &format.TimeType{Unit: unitAs(t.Unit)}, true
	case *arrow.TimestampType:
		return format.Int64, &format.TimestampType{IsAdjustedToUTC: t.TimeZone != "", Unit: unitAs(t.Unit)}, true
	}
	return 0, nil, false
}

// unitAs returns the unit as which one is written: Parquet has no seconds.
func unitAs(u arrow.TimeUnit) format.TimeUnit {
	switch u {
	case arrow.Nanosecond:
		return format.TimeUnit{Value: &format.NanoSeconds{}}
	case arrow.Microsecond:
		return format.TimeUnit{Value: &format.MicroSeconds{}}
	case arrow.Second, arrow.Millisecond:
	}
	return format.TimeUnit{Value: &format.MilliSeconds{}}
}
