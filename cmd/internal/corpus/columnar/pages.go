package columnar

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"
)

// shape is what the schema says of the pages of a column. The library makes as many values of a page as its runs and
// counts say, and reads them where they would be. So a page is checked before it gets there: nothing in it is more than
// its header says, or than it has bytes for.
type shape struct {
	kind             parquet.Kind
	length           int  // of a value of fixed length
	repeats, defined byte // the largest levels
}

func shapeOf(c *parquet.Column) shape {
	s := shape{kind: c.Type().Kind(), repeats: byte(c.MaxRepetitionLevel()), defined: byte(c.MaxDefinitionLevel())}
	if s.kind == parquet.FixedLenByteArray {
		s.length = c.Type().Length()
	}
	return s
}

// check returns an error if a page is not as its header says, and otherwise how many zeros are missing at its end. It
// corrects the number of nulls, by which the library counts values. entries are those of the dictionary.
func (s shape) check(header *format.PageHeader, page []byte, entries int) (missing int, err error) {
	switch header.Type {
	case format.DictionaryPage:
		h := &header.DictionaryPageHeader.V
		return 0, s.checkPlain(page, int(h.NumValues))
	case format.DataPage:
		h := &header.DataPageHeader.V
		present := int(h.NumValues)
		if _, page, err = levelsBefore(page, h.RepetitionLevelEncoding, present, s.repeats); err != nil {
			return 0, err
		}
		if present, page, err = levelsBefore(page, h.DefinitionLevelEncoding, present, s.defined); err != nil {
			return 0, err
		}
		return s.checkValues(page, h.Encoding, present, entries)
	case format.DataPageV2:
		return s.checkV2(&header.DataPageHeaderV2.V, page, entries)
	case format.IndexPage:
	}
	return 0, nil
}

// checkV2 checks a page whose levels have their lengths in the header, which are within the page.
func (s shape) checkV2(h *format.DataPageHeaderV2, page []byte, entries int) (missing int, err error) {
	present := int(h.NumValues)
	repeats, defined := int(h.RepetitionLevelsByteLength), int(h.DefinitionLevelsByteLength)
	if repeats < 0 || defined < 0 || repeats+defined > len(page) {
		return 0, damaged("the levels of a page would have %d and %d bytes, the page has %d", repeats, defined, len(page))
	}
	if s.repeats > 0 {
		if _, err := levelsOf(page[:repeats], present, s.repeats); err != nil {
			return 0, err
		}
	}
	if s.defined > 0 {
		if present, err = levelsOf(page[repeats:repeats+defined], present, s.defined); err != nil {
			return 0, err
		}
	}
	h.NumNulls = h.NumValues - int32(present)
	return s.checkValues(page[repeats+defined:], h.Encoding, present, entries)
}

// levelsBefore goes through levels that begin with their length, and returns how many are the largest.
func levelsBefore(page []byte, encoding format.Encoding, values int, most byte) (n int, rest []byte, err error) {
	if most == 0 {
		return values, page, nil
	}
	length := uint32(math.MaxUint32)
	if len(page) >= 4 {
		length = binary.LittleEndian.Uint32(page)
	}
	if encoding != format.RLE || uint64(length) > uint64(len(page)) || int(length) > len(page)-4 {
		return 0, nil, damaged("a page of %d bytes has levels of %d bytes (%s)", len(page), length, encoding)
	}
	n, err = levelsOf(page[4:4+length], values, most)
	return n, page[4+length:], err
}

func levelsOf(data []byte, values int, most byte) (n int, err error) {
	r := runs{data: data, width: bits.Len8(most)}
	return r.countMost(values, most)
}

func (s shape) checkValues(data []byte, encoding format.Encoding, values, entries int) (missing int, err error) {
	switch encoding {
	case format.PlainDictionary, format.RLEDictionary: //nolint:staticcheck // old writers wrote the first
		if len(data) == 0 && values == 0 {
			return 0, nil
		}
		if len(data) == 0 || data[0] > 32 || entries == 0 && values > 0 {
			return 0, damaged("a page has %d values of a dictionary of %d", values, entries)
		}
		r := runs{data: data[1:], width: int(data[0])}
		_, missing, err = r.count(values, entries)
		return missing, err
	case format.Plain:
		return 0, s.checkPlain(data, values)
	case format.RLE:
		return 0, checkBooleans(data, values)
	case format.DeltaBinaryPacked:
		_, err = deltaEnd(data, values)
	case format.DeltaLengthByteArray:
		_, _, err = deltaLengths(data, values)
	case format.DeltaByteArray:
		err = checkPrefixes(data, values)
	case format.ByteStreamSplit:
		err = s.checkPlain(data, values)
	case format.BitPacked:
	}
	return 0, err
}

// checkPlain checks values that stand one after another.
func (s shape) checkPlain(data []byte, values int) error {
	need := 0
	switch s.kind {
	case parquet.Boolean:
		need = (values + 7) / 8
	case parquet.Int32, parquet.Float:
		need = 4 * values
	case parquet.Int64, parquet.Double:
		need = 8 * values
	case parquet.Int96:
		need = 12 * values
	case parquet.FixedLenByteArray:
		need = s.length * values
	case parquet.ByteArray:
		return checkByteArrays(data, values)
	}
	if need > len(data) {
		return damaged("a page of %d bytes would have %d values of %s", len(data), values, s.kind)
	}
	return nil
}

// checkByteArrays checks values with their lengths before them.
func checkByteArrays(data []byte, values int) error {
	n := 0
	for rest := data; len(rest) > 0; n++ {
		if len(rest) < 4 || uint64(binary.LittleEndian.Uint32(rest)) > uint64(len(rest)-4) {
			return damaged("a page of %d bytes has a value that ends behind it", len(data))
		}
		rest = rest[4+binary.LittleEndian.Uint32(rest):]
	}
	if n != values { // the library says so on standard error
		return damaged("a page has %d values, and says %d", n, values)
	}
	return nil
}

// checkBooleans checks runs that begin with their length.
func checkBooleans(data []byte, values int) error {
	if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
		return damaged("a page of %d bytes has runs that end behind it", len(data))
	}
	r := runs{data: data[4 : 4+binary.LittleEndian.Uint32(data)], width: 1}
	n, missing, err := r.count(values, 2)
	if err == nil && (n < values || missing > 0) {
		err = damaged("a page has %d values, and runs of %d", values, n)
	}
	return err
}

// deltaEnd returns what is behind values in blocks of differences (Encodings.md, DELTA_BINARY_PACKED).
func deltaEnd(data []byte, values int) (rest []byte, err error) {
	var head [4]uint64 // values of a block, its parts, values, the first of them
	rest = data
	for i := range head {
		if head[i], err = number(&rest); err != nil {
			return nil, err
		}
	}
	block, parts, all := head[0], head[1], head[2]
	if parts == 0 || block > 1<<16 || block/parts == 0 || all != uint64(values) {
		return nil, damaged("a page has %d values, and differences of %d in %d parts of blocks of %d", values, all, parts, block)
	}
	for left := int(all) - 1; left > 0; {
		if _, err := number(&rest); err != nil {
			return nil, err
		}
		widths := rest[:min(int(parts), len(rest))]
		rest = rest[len(widths):]
		for _, width := range widths {
			if left <= 0 {
				break
			}
			if width > 64 {
				return nil, damaged("a page has differences of %d bits", width)
			}
			rest = rest[min(len(rest), int(block/parts)*int(width)/8):]
			left -= int(block / parts)
		}
	}
	return rest, nil
}

// number reads a number of a block of differences.
func number(data *[]byte) (uint64, error) {
	n, size := binary.Uvarint(*data)
	if size <= 0 {
		return 0, damaged("a page ends before its values do")
	}
	*data = (*data)[size:]
	return n, nil
}

// deltaLengths returns the sum of lengths, none of which is negative, and what is behind them.
func deltaLengths(data []byte, values int) (sum int, rest []byte, err error) {
	if rest, err = deltaEnd(data, values); err != nil {
		return 0, nil, err
	}
	lengths, err := new(delta.BinaryPackedEncoding).DecodeInt32(nil, data[:len(data)-len(rest)])
	if err != nil {
		return 0, nil, damaged("a page has no lengths of its values: %v", err)
	}
	for _, n := range lengths {
		if n < 0 {
			return 0, nil, damaged("a page has a value of %d bytes", n)
		}
		sum += int(n)
	}
	return sum, rest, nil
}

// checkPrefixes bounds the bytes of values of which only the end is written that differs from the value before.
func checkPrefixes(data []byte, values int) error {
	prefixes, rest, err := deltaLengths(data, values)
	if err != nil {
		return err
	}
	suffixes, rest, err := deltaLengths(rest, values)
	if err != nil {
		return err
	}
	if suffixes > len(rest) || prefixes+suffixes > MaxPage {
		return damaged("a page has %d bytes of values, and %d of them are written; the limit is %d bytes", prefixes+suffixes, len(rest), MaxPage)
	}
	return nil
}
