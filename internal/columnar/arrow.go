package columnar

import (
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// ArrowMagic is what an Arrow file begins with; a stream has no magic.
const ArrowMagic = "ARROW1\x00\x00"

// ArrowRows reads an Arrow file or stream, a batch of rows at a time.
type ArrowRows struct {
	in     *ipc.Reader
	memory *bounded
	fields []field
	batch  arrow.RecordBatch
	number int // of the batch
	at     int // the next row of it
	read   int64
}

// field is a wanted part of a schema: a column, or of a struct some of its fields.
type field struct {
	key   []byte
	index int
	text  bool
	uuid  bool
	below []field // nil for all of it
}

// OpenArrow opens an Arrow file or a stream, which are read alike: a file is a stream between a magic and an index.
func OpenArrow(in io.Reader, isFile bool, wanted Wanted) (*ArrowRows, error) {
	if isFile {
		if _, err := io.CopyN(io.Discard, in, int64(len(ArrowMagic))); err != nil {
			return nil, fmt.Errorf("read its beginning: %w", err)
		}
	}
	r := &ArrowRows{memory: &bounded{Allocator: memory.NewGoAllocator()}}
	return r, guard("read its schema", func() (err error) {
		r.in, err = ipc.NewReaderFromMessageReader(&messages{in: in}, ipc.WithAllocator(r.memory))
		if err == nil {
			r.fields = wantedFields(r.in.Schema().Fields(), nil, wanted.parsed())
		}
		return err
	})
}

// wantedFields returns what is wanted of the fields below a path.
func wantedFields(all []arrow.Field, path []string, wanted wanted) []field {
	some := []field{}
	for i, f := range all {
		below := append(slices.Clip(path), f.Name)
		part := field{key: append(appendText(nil, []byte(f.Name)), ':'), index: i, text: within(below, wanted.texts)}
		part.uuid = isUUID(f)
		of, isStruct := f.Type.(*arrow.StructType)
		switch {
		case wanted.all && !isStruct || within(below, wanted.columns):
			some = append(some, part)
		case isStruct:
			if part.below = wantedFields(of.Fields(), below, wanted); wanted.all || len(part.below) > 0 {
				some = append(some, part)
			}
		case inList(f.Type, below, wanted):
			some = append(some, part)
		}
	}
	return some
}

// inList says whether something is wanted of the structs that a list has. They are read as a whole.
func inList(of arrow.DataType, path []string, wanted wanted) bool {
	list, ok := of.(arrow.ListLikeType)
	if !ok {
		return false
	}
	element, ok := list.Elem().(*arrow.StructType)
	return ok && len(wantedFields(element.Fields(), path, wanted)) > 0
}

// isUUID says whether a field has UUIDs, by the name of their type.
func isUUID(f arrow.Field) bool {
	return f.HasMetadata() && slices.Contains(f.Metadata.Values(), "arrow.uuid")
}

// Append implements Rows.
func (r *ArrowRows) Append(dst []byte) (row []byte, err error) {
	if err := r.step(); err != nil {
		return dst, err
	}
	return r.row(dst, r.fields)
}

// step goes on to the next row.
func (r *ArrowRows) step() error {
	for r.batch == nil || int64(r.at) >= r.batch.NumRows() {
		if err := r.next(); err != nil {
			return err
		}
	}
	r.at++
	r.read++
	return nil
}

// Whole returns the rows that were read last, with all columns.
func (r *ArrowRows) Whole(wanted Wanted) Rows {
	return &wholeArrow{r, wantedFields(r.in.Schema().Fields(), nil, wanted.parsed())}
}

// wholeArrow has other columns of the rows that an ArrowRows has read.
type wholeArrow struct {
	*ArrowRows
	fields []field
}

// Append implements Rows.
func (w *wholeArrow) Append(dst []byte) ([]byte, error) { return w.row(dst, w.fields) }

// Close implements Rows.
func (*wholeArrow) Close() error { return nil }

// next reads the next batch.
func (r *ArrowRows) next() error {
	more := false
	r.memory.taken = 0
	err := guard(fmt.Sprintf("batch %d", r.number+1), func() error {
		if more = r.in.Next(); !more {
			return r.in.Err()
		}
		r.batch, r.at = r.in.RecordBatch(), 0
		r.number++
		return nil
	})
	if err == nil && !more {
		return io.EOF
	}
	return err
}

// row appends the row before the next one.
func (r *ArrowRows) row(dst []byte, fields []field) (row []byte, err error) {
	err = guard(fmt.Sprintf("batch %d", r.number), func() error {
		w := arrowWriter{most: len(dst) + MaxRow}
		row = w.object(dst, fields, func(i int) arrow.Array { return r.batch.Column(i) }, r.at-1)
		return w.err
	})
	if err != nil {
		return dst, err
	}
	return row, nil
}

// Names implements Rows.
func (r *ArrowRows) Names() (all []string) {
	for _, f := range r.in.Schema().Fields() {
		all = append(all, f.Name)
	}
	return all
}

// Has implements Rows.
func (r *ArrowRows) Has(column string) bool {
	return len(wantedFields(r.in.Schema().Fields(), nil, Wanted{Columns: []string{column}}.parsed())) > 0
}

// Share implements Rows. How many rows there are is not known.
func (r *ArrowRows) Share() (read, all int64) { return r.read, 0 }

// Waiting returns how many rows of the batch that was read last are to come.
func (r *ArrowRows) Waiting() int64 {
	if r.batch == nil {
		return 0
	}
	return r.batch.NumRows() - int64(r.at)
}

// Close implements Rows.
func (r *ArrowRows) Close() error {
	return guard("close it", func() error {
		r.in.Release()
		return nil
	})
}

// bounded makes memory for a batch, and panics, into a guard, where a file asks for more than a batch may take.
type bounded struct {
	memory.Allocator
	taken int
}

func (b *bounded) take(size int) {
	if b.taken += size; size < 0 || b.taken > maxBatch {
		panic(fmt.Sprintf("a batch would unpack to more than %d bytes, the limit: write it in smaller batches", maxBatch))
	}
}

// Allocate implements memory.Allocator.
func (b *bounded) Allocate(size int) []byte {
	b.take(size)
	return b.Allocator.Allocate(size)
}

// Reallocate implements memory.Allocator.
func (b *bounded) Reallocate(size int, old []byte) []byte {
	b.take(max(0, size-len(old)))
	return b.Allocator.Reallocate(size, old)
}

// object appends a JSON object of fields.
func (w *arrowWriter) object(dst []byte, fields []field, column func(int) arrow.Array, row int) []byte {
	dst = append(dst, '{')
	for i, f := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, f.key...)
		of := column(f.index)
		if part, isStruct := of.(*array.Struct); isStruct && f.below != nil && !of.IsNull(row) {
			dst = w.object(dst, f.below, part.Field, row)
			continue
		}
		if bytes, ok := of.(*array.FixedSizeBinary); ok && f.uuid && !of.IsNull(row) {
			dst = appendUUID(dst, bytes.Value(row))
			continue
		}
		dst = w.value(dst, of, row, f.text)
	}
	return append(dst, '}')
}
