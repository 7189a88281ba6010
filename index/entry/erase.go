package entry

// Erase overwrites the content hash, the id and the evidence of an entry encoded alone, without band keys. The lengths
// stay. The id becomes as many zero bytes: see Erased. src must decode.
func Erase(src []byte) {
	e, _, err := Decode(src, 0, nil)
	if err != nil {
		return
	}
	clear(e.Evidence)
	clear(e.ID)
	e.Content = 0
	Append(src[:0], &e, nil) // the same bytes but for the content hash: each slice is copied onto itself
}

// Erased says whether the entry was erased.
func (e *Entry) Erased() bool {
	return e.Kind != None && e.Content == 0 && zero(e.Evidence) && zero(e.ID)
}

func zero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
