package setting

import "regexp"

// Whole compiles a regular expression that is to fit whole texts.
func Whole(pattern string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(pattern); err != nil { // in parentheses, "a)|(b" would be one
		return nil, err
	}
	return regexp.Compile(`^(?:` + pattern + `)$`)
}
