package document

// msgpackHead is the dialect of MessagePack (github.com/msgpack/msgpack/blob/master/spec.md). What old writers call raw is a
// string.
func msgpackHead(data []byte, pos int) (head, string) {
	c := data[pos]
	switch next := pos + 1; {
	case c < 0x80:
		return head{kind: isUnsigned, integer: uint64(c), pos: next}, ""
	case c < 0x90:
		return head{kind: isObject, n: uint64(c & 0x0f), pos: next}, ""
	case c < 0xa0:
		return head{kind: isArray, n: uint64(c & 0x0f), pos: next}, ""
	case c < 0xc0:
		return head{kind: isString, n: uint64(c & 0x1f), pos: next}, ""
	case c >= 0xe0:
		return head{kind: isSigned, integer: uint64(int64(int8(c))), pos: next}, ""
	}
	return msgpackLong(data, pos)
}

// msgpackLong reads the heads of 0xc0 to 0xdf, whose byte says nothing but what follows.
func msgpackLong(data []byte, pos int) (head, string) {
	switch c := data[pos]; c {
	case 0xc0:
		return head{kind: isNull, pos: pos + 1}, ""
	case 0xc2, 0xc3:
		return head{kind: isBool, integer: uint64(c - 0xc2), pos: pos + 1}, ""
	case 0xc4, 0xc5, 0xc6:
		return sized(isBytes, data, pos, int(c-0xc4)), ""
	case 0xc7, 0xc8, 0xc9:
		return extension(sized(isOther, data, pos, int(c-0xc7))), ""
	case 0xca, 0xcb:
		size := 4 << (c - 0xca)
		n, end := bigEndian(data, pos+1, size)
		return head{kind: floatKind(n, size), pos: end}, ""
	case 0xcc, 0xcd, 0xce, 0xcf:
		n, end := bigEndian(data, pos+1, 1<<(c-0xcc))
		return head{kind: isUnsigned, integer: n, pos: end}, ""
	case 0xd0, 0xd1, 0xd2, 0xd3:
		size := 1 << (c - 0xd0)
		n, end := bigEndian(data, pos+1, size)
		return head{kind: isSigned, integer: signExtended(n, size), pos: end}, ""
	case 0xd4, 0xd5, 0xd6, 0xd7, 0xd8:
		return extension(head{kind: isOther, n: 1 << (c - 0xd4), pos: pos + 1}), ""
	case 0xd9, 0xda, 0xdb:
		return sized(isString, data, pos, int(c-0xd9)), ""
	case 0xdc, 0xdd:
		return sized(isArray, data, pos, 1+int(c-0xdc)), ""
	case 0xde, 0xdf:
		return sized(isObject, data, pos, 1+int(c-0xde)), ""
	}
	return head{}, "a byte that begins nothing"
}

// extension counts the byte of an extension's type as content.
func extension(h head) head {
	h.n++
	return h
}
