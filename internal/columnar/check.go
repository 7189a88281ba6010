package columnar

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

const (
	maxFooter = 256 << 20
	mostDepth = 64 // of structs in metadata
)

// readFooter returns a file's metadata, in which no size is larger than the metadata: the library trusts them.
func readFooter(in io.ReaderAt, size int64) ([]byte, error) {
	var tail [8]byte
	if size < int64(len(tail))+4 {
		return nil, damaged("it has only %d bytes", size)
	}
	if _, err := in.ReadAt(tail[:], size-int64(len(tail))); err != nil {
		return nil, fmt.Errorf("read its end: %w", err)
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	switch magic := string(tail[4:]); {
	case magic == "PARE":
		return nil, errors.New("it is encrypted: write it without")
	case magic != "PAR1":
		return nil, damaged("it does not end as a Parquet file: it was cut off, or is still being written")
	case length > size-int64(len(tail))-4:
		return nil, damaged("its metadata would have %d bytes, the file has %d", length, size)
	case length > maxFooter:
		return nil, fmt.Errorf("its metadata has %d bytes, the limit is %d", length, maxFooter)
	}
	footer := make([]byte, length)
	if _, err := in.ReadAt(footer, size-int64(len(tail))-length); err != nil {
		return nil, fmt.Errorf("read its metadata: %w", err)
	}
	rest := footer
	return footer, checkStruct(&rest, 0)
}

// checkStruct goes through a struct in the compact protocol of Thrift, and returns an error if anything would be larger
// than what is left of the data.
func checkStruct(data *[]byte, depth int) error {
	if depth > mostDepth {
		return damaged("its metadata is nested too deep")
	}
	for {
		head, err := next(data)
		if err != nil || head == 0 {
			return err
		}
		if head>>4 == 0 { // the field's number follows
			if _, err := varint(data); err != nil {
				return err
			}
		}
		kind := thrift.Type(head & 15)
		if kind == thrift.TRUE || kind == thrift.FALSE { // the value itself
			continue
		}
		if err := checkValue(data, kind, depth); err != nil {
			return err
		}
	}
}

func checkValue(data *[]byte, kind thrift.Type, depth int) error {
	switch kind {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		_, err := next(data)
		return err
	case thrift.I16, thrift.I32, thrift.I64:
		_, err := varint(data)
		return err
	case thrift.DOUBLE:
		return skip(data, 8)
	case thrift.BINARY:
		n, err := varint(data)
		if err != nil {
			return err
		}
		return skip(data, n)
	case thrift.LIST, thrift.SET:
		return checkList(data, depth)
	case thrift.STRUCT:
		return checkStruct(data, depth+1)
	case thrift.STOP, thrift.MAP, thrift.UUID: // Parquet has none
	}
	return damaged("its metadata has a value of type %d", kind)
}

func checkList(data *[]byte, depth int) error {
	head, err := next(data)
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = varint(data); err != nil {
			return err
		}
	}
	if n > uint64(len(*data)) {
		return damaged("its metadata has a list of %d, and %d bytes for it", n, len(*data))
	}
	for range n {
		if err := checkValue(data, thrift.Type(head&15), depth+1); err != nil {
			return err
		}
	}
	return nil
}

func next(data *[]byte) (byte, error) {
	if len(*data) == 0 {
		return 0, damaged("its metadata ends early")
	}
	b := (*data)[0]
	*data = (*data)[1:]
	return b, nil
}

func varint(data *[]byte) (uint64, error) {
	v, n := binary.Uvarint(*data)
	if n <= 0 {
		return 0, damaged("its metadata ends early")
	}
	*data = (*data)[n:]
	return v, nil
}

func skip(data *[]byte, n uint64) error {
	if n > uint64(len(*data)) {
		return damaged("its metadata has a value of %d bytes, and %d are left", n, len(*data))
	}
	*data = (*data)[n:]
	return nil
}
