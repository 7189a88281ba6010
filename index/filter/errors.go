package filter

import (
	"errors"
	"fmt"
	"strings"

	"github.com/unecho/unecho/index/setting"
)

// Errors that callers branch on. What wraps them says what to do.
var (
	// ErrSettings is of settings that are wrong, or not those of a snapshot.
	ErrSettings = errors.New("settings that cannot be used")
	// ErrTooLong is of a text that cannot be compared.
	ErrTooLong = errors.New("the text has more than 64 MiB, as it is or normalised: judge a part of it, or leave it out")
	// ErrSnapshot is of bytes that are no snapshot of a filter, or not as they were written.
	ErrSnapshot = errors.New("no whole snapshot of a filter: take an earlier one, or begin with New")
	// ErrVersion is of a sound snapshot that this version cannot go on with.
	ErrVersion = errors.New("this version cannot go on with it: begin with New, or use the version that wrote it")
)

// refuse is ErrSettings with each mistake; nil if there is none.
func refuse(mistakes []setting.Mistake) error {
	lines := make([]string, len(mistakes))
	for i, m := range mistakes {
		lines[i] = m.String()
	}
	return unusable(lines)
}

// unusable is ErrSettings with these lines; nil if there is none.
func unusable(lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	return fmt.Errorf("%w:\n    %s", ErrSettings, strings.Join(lines, "\n    "))
}
