package columnar

import (
	"bytes"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// boundBytes is how much of a value is kept as a bound, as the library does in the index of pages.
const boundBytes = 16

// extremes are short bounds of the values of a column in a group: no value is less than least or greater than most. Nil
// is no bound yet.
type extremes struct{ least, most []byte }

// extremesOf returns bounds for each column of texts or bytes, by the number of the column, and the options that keep the
// library from bounds of its own. Those are whole values, which it holds to the end of the file and writes there. A
// column that is ordered in another way than by its bytes, such as decimals, is left to the library.
func extremesOf(schema *parquet.Schema) (all map[int]*extremes, options []parquet.WriterOption) {
	all = map[int]*extremes{}
	for _, path := range schema.Columns() {
		leaf, ok := schema.Lookup(path...)
		if !ok || leaf.Node.Type().Kind() != parquet.ByteArray || !byBytes(leaf.Node.Type().LogicalType()) {
			continue
		}
		all[leaf.ColumnIndex] = &extremes{}
		options = append(options, parquet.SkipPageBounds(path...))
	}
	return all, options
}

// byBytes says whether values of this type are ordered by their bytes.
func byBytes(t *format.LogicalType) bool {
	if t == nil || t.Value == nil {
		return true
	}
	switch t.Value.(type) {
	case *format.StringType, *format.EnumType, *format.JsonType, *format.BsonType:
		return true
	}
	return false
}

// add widens the bounds to a value.
func (b *extremes) add(value []byte) {
	if b.least == nil || bytes.Compare(value, b.least) < 0 {
		b.least = append([]byte{}, value[:short(value)]...)
	}
	if b.most == nil || bytes.Compare(value, b.most) > 0 {
		b.most = above(value)
	}
}

// set makes the bounds those of each page of the group that has values, and begins anew. They are the same for all pages:
// the library has said that the pages are in order, and so they are.
func (b *extremes) set(index format.ColumnIndex) {
	for i, null := range index.NullPages {
		if !null {
			index.MinValues[i], index.MaxValues[i] = b.least, b.most
		}
	}
	*b = extremes{}
}

// short returns where a bound of the value ends. A text is not cut in the middle of a character.
func short(value []byte) int {
	if len(value) <= boundBytes {
		return len(value)
	}
	for n := boundBytes; n > boundBytes-utf8.UTFMax; n-- {
		if utf8.RuneStart(value[n]) {
			return n
		}
	}
	return boundBytes
}

// above returns a bound that is not less than the value. It is as short as can be: there is none below the bytes 0xff but
// the value itself.
func above(value []byte) []byte {
	if len(value) <= boundBytes {
		return append([]byte{}, value...)
	}
	if head := value[:short(value)]; utf8.Valid(head) {
		for len(head) > 0 {
			r, size := utf8.DecodeLastRune(head)
			head = head[:len(head)-size]
			if r++; r == 0xd800 { // what follows is no character
				r = 0xe000
			}
			if r <= utf8.MaxRune {
				return utf8.AppendRune(bytes.Clone(head), r)
			}
		}
	}
	for n := boundBytes - 1; n >= 0; n-- {
		if value[n] != 0xff {
			return after(value[:n+1])
		}
	}
	for n := boundBytes; n < len(value); n++ {
		if value[n] != 0xff {
			return after(value[:n+1])
		}
	}
	return bytes.Clone(value)
}

// after returns a copy whose last byte is one more.
func after(value []byte) []byte {
	value = bytes.Clone(value)
	value[len(value)-1]++
	return value
}
