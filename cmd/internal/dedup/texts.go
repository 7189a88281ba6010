package dedup

import (
	"fmt"

	"github.com/unecho/unecho/index/text"
)

// textFile keeps the beginnings of texts in a temporary file, to be read back by the numbers of their documents.
type textFile struct {
	temporary
	first int64   // number of the first document
	ends  []int64 // where each text ends in the file
}

// mostText is how much of a text is kept.
const mostText = 16 << 10

func newTextFile(first int64) (*textFile, error) {
	f, err := newTemporary()
	if err != nil {
		return nil, fmt.Errorf("keep texts for the page: %w", err)
	}
	return &textFile{temporary: f, first: first}, nil
}

// add keeps the text of the next document.
func (t *textFile) add(whole []byte) error {
	n, err := t.out.Write(text.Cut(whole, mostText))
	if err != nil {
		return fmt.Errorf("keep texts for the page: %w", err)
	}
	end := int64(n)
	if len(t.ends) > 0 {
		end += t.ends[len(t.ends)-1]
	}
	t.ends = append(t.ends, end)
	return nil
}

// text reads the text of a document; known is false for one of an index file, which holds no texts.
func (t *textFile) text(number int64) (text string, known bool, err error) {
	i := number - t.first
	if i < 0 || i >= int64(len(t.ends)) {
		return "", false, nil
	}
	if err := t.out.Flush(); err != nil {
		return "", false, fmt.Errorf("keep texts for the page: %w", err)
	}
	from := int64(0)
	if i > 0 {
		from = t.ends[i-1]
	}
	b := make([]byte, t.ends[i]-from)
	if _, err := t.file.ReadAt(b, from); err != nil && len(b) > 0 {
		return "", false, fmt.Errorf("read texts back: %w", err)
	}
	return string(b), true, nil
}
