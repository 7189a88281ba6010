package groups

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxName bounds a line of a list, in bytes: no id is longer.
const maxName = 1 << 20

// readNames reads one name a line. It passes over empty lines.
func readNames(from io.Reader) (names []string, err error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxName)
	for n := 1; lines.Scan(); n++ {
		if line := bytes.TrimSuffix(lines.Bytes(), []byte("\r")); len(line) > 0 {
			names = append(names, string(line))
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d is longer than a mebibyte: write one id or TOPIC/PARTITION/OFFSET a line",
			len(names)+1)
	}
	return names, lines.Err()
}

func checkNames(names []string) error {
	switch {
	case len(names) == 0:
		return errors.New("name the documents: an id, TOPIC/PARTITION/OFFSET, or --file LIST")
	case slices.Contains(names, ""):
		return errors.New("a name is empty: write an id, or TOPIC/PARTITION/OFFSET")
	}
	return nil
}
