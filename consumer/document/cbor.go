package document

// cborEnd is the byte that ends what has no length.
const cborEnd = 0xff

// cborHead is the dialect of CBOR (RFC 8949). Tags say nothing here, so that what they tag is read as it is.
func cborHead(data []byte, pos int) (head, string) {
	major, info := data[pos]>>5, data[pos]&0x1f
	h := head{pos: pos + 1, n: uint64(info)}
	switch {
	case info >= 24 && info <= 27:
		h.n, h.pos = bigEndian(data, pos+1, 1<<(info-24))
	case info > 27 && info < 31:
		return head{}, "a reserved length"
	case info == 31:
		h.open, h.n = true, 0
	}
	return cborMajor(h, major, info, h.n)
}

func cborMajor(h head, major, info byte, n uint64) (head, string) {
	if h.open && (major == 0 || major == 1 || major == 6) {
		return head{}, "a number or a tag without end"
	}
	switch major {
	case 0:
		h.kind, h.integer = isUnsigned, n
	case 1:
		if h.kind, h.integer = isSigned, ^n; n >= 1<<63 {
			h.kind = isOther // less than any integer of 64 bits
		}
	case 2:
		h.kind = isBytes
	case 3:
		h.kind = isString
	case 4:
		h.kind = isArray
	case 5:
		h.kind = isObject
	case 6:
		h.tag = true
	case 7:
		return cborSimple(h, info, n)
	}
	if major < 2 {
		h.n = 0
	}
	return h, ""
}

// cborSimple is the head of a simple value, a float, or an end where nothing has begun.
func cborSimple(h head, info byte, n uint64) (head, string) {
	h.n = 0
	switch {
	case info == 20 || info == 21:
		h.kind, h.integer = isBool, uint64(info-20)
	case info == 22 || info == 23: // null and undefined
		h.kind = isNull
	case info == 24 && n < 32:
		return head{}, "a simple value of two bytes that has one of one"
	case info >= 25 && info <= 27:
		h.kind = floatKind(n, 1<<(info-24))
	case h.open:
		return head{}, "an end without a beginning"
	default:
		h.kind = isOther
	}
	return h, ""
}
