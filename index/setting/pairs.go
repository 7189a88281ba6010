package setting

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of a map. Those of topics and of OAuth have a dozen short texts.
const (
	maxPairs     = 256
	maxPairBytes = 64 << 10
)

// Pairs returns a copy of a map's texts; never nil.
func (f Field) Pairs() map[string]string {
	pairs := make(map[string]string, f.value.Len())
	maps.Copy(pairs, f.texts())
	return pairs
}

// SetPairs sets a map. It returns what is wrong with it, or nil.
func (f Field) SetPairs(pairs map[string]string) *Mistake {
	size := 0
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		size += len(name) + len(pairs[name])
		switch {
		case name == "":
			return f.wrong("", "has a text without a name", "write a name before each text")
		case !utf8.ValidString(name + pairs[name]):
			return f.wrong(name, "is not valid UTF-8", "write it in UTF-8")
		}
	}
	if len(pairs) > maxPairs || size > maxPairBytes {
		return f.wrong("", "is too large", "write at most 256 names, with 64KiB of text")
	}
	list := maps.Clone(pairs)
	if len(pairs) == 0 {
		list = nil
	}
	*f.value.Addr().Interface().(*map[string]string) = list
	return nil
}

func (f Field) texts() map[string]string {
	texts, _ := f.value.Interface().(map[string]string)
	return texts
}

// pairs parses what joined writes.
func (f Field) pairs(text string) (map[string]string, *Mistake) {
	pairs := map[string]string{}
	for _, item := range split(text) {
		name, value, found := strings.Cut(item, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !found || name == "" {
			return nil, f.wrong(item, "has no name and text", "write name=text, and a comma between two")
		}
		if _, twice := pairs[name]; twice {
			return nil, f.wrong(item, "has a name that is there already", "remove one of the two")
		}
		pairs[name] = value
	}
	return pairs, nil
}

// joined writes a map as name=text, sorted, with a comma between two.
func (f Field) joined() string {
	texts := f.texts()
	items := slices.Sorted(maps.Keys(texts))
	for i, name := range items {
		items[i] = name + "=" + texts[name]
	}
	return strings.Join(items, ",")
}
