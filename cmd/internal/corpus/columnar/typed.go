package columnar

import (
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// typed is a schema whose columns of the type Null are those of integers, of which there are none: so pyarrow writes them. The
// library would write no type for their values, and other programs open no such file.
type typed struct{ parquet.Node }

// Fields implements parquet.Node.
func (n typed) Fields() []parquet.Field { return typedFields(n.Node) }

type typedField struct{ parquet.Field }

// Fields implements parquet.Node.
func (f typedField) Fields() []parquet.Field { return typedFields(f.Field) }

// Type implements parquet.Node.
func (f typedField) Type() parquet.Type {
	t := f.Field.Type()
	if f.Leaf() && isNull(t) {
		return nullIntegers{parquet.Int32Type, t.LogicalType()}
	}
	return t
}

// isNull says whether values of a type are null only.
func isNull(t parquet.Type) bool {
	of := t.LogicalType()
	if of == nil {
		return false
	}
	_, null := of.Value.(*format.NullType)
	return null
}

func typedFields(n parquet.Node) []parquet.Field {
	fields := make([]parquet.Field, 0, len(n.Fields()))
	for _, f := range n.Fields() {
		fields = append(fields, typedField{f})
	}
	return fields
}

// nullIntegers are integers that are called Null.
type nullIntegers struct {
	parquet.Type
	logical *format.LogicalType
}

// LogicalType implements parquet.Type.
func (t nullIntegers) LogicalType() *format.LogicalType { return t.logical }
