package columnar

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
)

const (
	maxBatch    = 1 << 30  // bytes of a batch of rows, packed and unpacked
	maxMetadata = 64 << 20 // bytes of a schema, or of what a batch says of itself
	mostFields  = 1 << 16  // of a schema, those of structs too
)

// messages reads the messages of an Arrow stream. It replaces the library's reader, which trusts the lengths in a
// message, and makes memory for them.
//
//	ff ff ff ff │ length │ metadata: a flatbuffer │ body
type messages struct {
	in     io.Reader
	fields int // of the schema
}

// Message implements ipc.MessageReader.
func (m *messages) Message() (*ipc.Message, error) {
	length, err := m.length()
	if err != nil {
		return nil, err
	}
	if length <= 0 || length > maxMetadata {
		return nil, damaged("a message would have metadata of %d bytes", length)
	}
	meta, err := m.read(int64(length))
	if err != nil {
		return nil, err
	}
	size, err := m.check(meta)
	if err != nil {
		return nil, err
	}
	body, err := m.read(size)
	if err != nil {
		return nil, err
	}
	return ipc.NewMessage(memory.NewBufferBytes(meta), memory.NewBufferBytes(body)), nil
}

// length reads that of the metadata. io.EOF is the end of the stream, which need not be marked.
func (m *messages) length() (int32, error) {
	var word [4]byte
	if _, err := io.ReadFull(m.in, word[:]); err != nil {
		return 0, err
	}
	n := int32(binary.LittleEndian.Uint32(word[:])) // it is signed
	if n == -1 {                                    // streams of old have no such mark
		if _, err := io.ReadFull(m.in, word[:]); err != nil {
			return 0, damaged("it ends within a message: it was cut off, or is still being written")
		}
		n = int32(binary.LittleEndian.Uint32(word[:])) // it is signed
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// read reads so many bytes, and makes no more memory than there are.
func (m *messages) read(size int64) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(min(size, 1<<20)))
	n, err := io.Copy(&b, io.LimitReader(m.in, size))
	if err == nil && n < size {
		err = damaged("it ends within a message: it was cut off, or is still being written")
	}
	return b.Bytes(), err
}

// Fields of the tables in metadata, by their places in a vtable (Message.fbs and Schema.fbs of Arrow).
const (
	messageKind, messageHeader, messageBody, notes    = 6, 8, 10, 12
	schemaFields, schemaNotes                         = 6, 8
	fieldChildren, fieldNotes                         = 14, 16
	batchNodes, batchBuffers, batchVariadic, dictBody = 6, 8, 12, 6
)

// Kinds of messages.
const kindSchema, kindDictionary, kindBatch = 1, 2, 3

// check checks the lengths in a message's metadata, and returns that of its body. What is outside of the metadata
// panics, into a guard.
func (m *messages) check(meta []byte) (body int64, err error) {
	if len(meta) < flatbuffers.SizeUOffsetT {
		return 0, damaged("a message has metadata of %d bytes", len(meta))
	}
	root := flatbuffers.Table{Bytes: meta, Pos: flatbuffers.GetUOffsetT(meta)}
	body = root.GetInt64Slot(messageBody, 0)
	if body < 0 || body > maxBatch {
		return 0, fmt.Errorf("a message has %d bytes, the limit is %d: write it in smaller batches", body, maxBatch)
	}
	if _, _, err := vector(&root, notes, flatbuffers.SizeUOffsetT); err != nil {
		return 0, err
	}
	header, ok := below(&root, messageHeader)
	if !ok {
		return 0, damaged("a message has no header")
	}
	switch root.GetByteSlot(messageKind, 0) {
	case kindSchema:
		m.fields = 0
		return body, m.checkFields(&header, schemaFields, schemaNotes, 0)
	case kindDictionary:
		if header, ok = below(&header, dictBody); !ok {
			return 0, damaged("a dictionary has no values")
		}
		return body, checkBatch(&header)
	case kindBatch:
		return body, errors.Join(checkRows(&header, body), checkBatch(&header))
	}
	return 0, errors.New("a message is neither schema nor rows")
}

// checkFields checks those of a schema, or of a field.
func (m *messages) checkFields(of *flatbuffers.Table, fields, about flatbuffers.VOffsetT, depth int) error {
	if _, _, err := vector(of, about, flatbuffers.SizeUOffsetT); err != nil {
		return err
	}
	at, n, err := vector(of, fields, flatbuffers.SizeUOffsetT)
	if err != nil {
		return err
	}
	if m.fields += n; m.fields > mostFields || depth > mostDepth {
		return fmt.Errorf("its schema has more than %d fields, or they are nested too deep", mostFields)
	}
	for i := range n {
		child := flatbuffers.Table{Bytes: of.Bytes, Pos: of.Indirect(at + flatbuffers.UOffsetT(i*flatbuffers.SizeUOffsetT))} // it is in the metadata
		if err := m.checkFields(&child, fieldChildren, fieldNotes, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// rowsFree is how many rows a batch may have whatever it takes: columns of one value take next to nothing.
const rowsFree = 1 << 20

// checkRows checks how many rows a batch claims. Columns without values take no bytes, so there could be any number.
func checkRows(batch *flatbuffers.Table, body int64) error {
	const batchLength = 4
	if rows := batch.GetInt64Slot(batchLength, 0); rows < 0 || rows > rowsFree+8*body {
		return damaged("a batch would have %d rows in %d bytes", rows, body)
	}
	return nil
}

// checkBatch checks what a batch says of its columns.
func checkBatch(batch *flatbuffers.Table) error {
	const nodeBytes, bufferBytes = 16, 16
	if _, _, err := vector(batch, batchNodes, nodeBytes); err != nil {
		return err
	}
	_, buffers, err := vector(batch, batchBuffers, bufferBytes)
	if err != nil {
		return err
	}
	at, n, err := vector(batch, batchVariadic, flatbuffers.SizeInt64)
	if err != nil {
		return err
	}
	for i := range n {
		count := batch.GetInt64(at + flatbuffers.UOffsetT(i*flatbuffers.SizeInt64)) // it is in the metadata
		if count < 0 || count > int64(buffers) {
			return damaged("a column would have %d buffers of %d", count, buffers)
		}
	}
	return nil
}

// below returns the table in a field of another.
func below(of *flatbuffers.Table, field flatbuffers.VOffsetT) (flatbuffers.Table, bool) {
	at := of.Offset(field)
	if at == 0 {
		return flatbuffers.Table{}, false
	}
	return flatbuffers.Table{Bytes: of.Bytes, Pos: of.Indirect(of.Pos + flatbuffers.UOffsetT(at))}, true
}

// vector returns where the elements in a field are, and how many; there is none where the field is not there.
func vector(of *flatbuffers.Table, field flatbuffers.VOffsetT, size int) (at flatbuffers.UOffsetT, n int, err error) {
	offset := of.Offset(field)
	if offset == 0 {
		return 0, 0, nil
	}
	at, n = of.Vector(flatbuffers.UOffsetT(offset)), of.VectorLen(flatbuffers.UOffsetT(offset))
	if n < 0 || n > (len(of.Bytes)-int(at))/size {
		return 0, 0, damaged("its metadata has a list of %d, and %d bytes for it", n, len(of.Bytes)-int(at))
	}
	return at, n, nil
}

// Retain implements ipc.MessageReader.
func (*messages) Retain() {}

// Release implements ipc.MessageReader.
func (*messages) Release() {}
