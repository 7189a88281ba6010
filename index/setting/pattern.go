package setting

import (
	"regexp"
	"strings"
)

// Whole compiles a regular expression that is to fit whole texts.
func Whole(pattern string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(pattern); err != nil { // in parentheses, "a)|(b" would be one
		return nil, err
	}
	return regexp.Compile(`^(?:` + pattern + `)$`)
}

// NameRune says whether a name may hold a character, as Kafka has it for topics.
func NameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-'
}

// IsName says whether a text has no other characters than names may have.
func IsName(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !NameRune(r) })
}
