package config

import (
	"fmt"
	"maps"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/unecho/unecho/index/setting"
)

// maxElements bounds the elements of all lists of sections, which aliases could multiply.
const maxElements = 4096

// sectionList reads a list of sections. It replaces what the list has by default.
func (l *loader) sectionList(f setting.Field, p pair) {
	n, at := resolve(p.value), l.at(p.key)
	refuse := func(problem, remedy string) {
		l.refuse(at, setting.Mistake{Key: f.Key, Problem: problem, Remedy: remedy})
	}
	switch {
	case null(n): // everything in the list is commented out
	case n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle != 0:
		refuse("is a list of sections, not a section", "write it in brackets: [{"+l.begins(f, n)+"}]")
	case n.Kind == yaml.MappingNode:
		refuse("is a list of sections, not a section", "write a dash before its first key: - "+l.begins(f, n))
	case n.Kind != yaml.SequenceNode:
		refuse("is a list of sections, not a value", "write keys below it, indented, with a dash before the first: - "+l.begins(f, n))
	case l.elements+len(n.Content) > maxElements:
		refuse("has too many elements", fmt.Sprintf("write %d at most", maxElements))
	default:
		l.resize(f, len(n.Content), at)
		for i, item := range n.Content {
			l.element(fmt.Sprintf("%s[%d]", f.Key, i), f, item)
		}
	}
}

func (l *loader) element(key string, list setting.Field, item *yaml.Node) {
	at := l.at(item)
	l.places[key] = at
	switch n := resolve(item); {
	case n.Kind == yaml.MappingNode:
		l.mapping(key, n)
	case null(n):
		l.refuse(at, setting.Mistake{Key: key, Problem: "is empty", Remedy: "write its keys behind the dash, or remove it"})
	default:
		l.refuse(at, setting.Wrong(key, "", "is a section, not a value",
			"write its keys behind the dash: - "+l.begins(list, n)))
	}
}

// begins shows how an element of a list begins: with the first key of a mapping that stands in its place, else with
// the first that an element can have.
func (l *loader) begins(list setting.Field, n *yaml.Node) string {
	if n.Kind == yaml.MappingNode && len(n.Content) > 0 {
		return wordOnly(namesOf(n)[0]) + ": ..."
	}
	first, plain := "", setting.Plain(list.Key)+"."
	for _, key := range l.known {
		if name, below := strings.CutPrefix(key, plain); below && first == "" {
			first = name
		}
	}
	return first + ": ..."
}

// resize gives a list of sections n elements with their defaults, in place of those that it had.
func (l *loader) resize(f setting.Field, n int, at Origin) {
	if f.Len() > 0 {
		l.forget(f.Key + "[")
	}
	f.Resize(n)
	l.elements += n
	l.origins[f.Key] = at
	f.Walk(l.learn)
}

// forget removes what is known of the elements of a list.
func (l *loader) forget(inside string) {
	for _, keys := range []map[string]bool{l.excused, l.meant} {
		maps.DeleteFunc(keys, func(key string, _ bool) bool { return strings.HasPrefix(key, inside) })
	}
	for _, fields := range []map[string]setting.Field{l.leaves, l.sections} {
		maps.DeleteFunc(fields, func(key string, _ setting.Field) bool { return strings.HasPrefix(key, inside) })
	}
	for _, origins := range []map[string]Origin{l.origins, l.places} {
		maps.DeleteFunc(origins, func(key string, _ Origin) bool { return strings.HasPrefix(key, inside) })
	}
}

// only returns the key that a plain key has in the only element of each list around it. A list without elements gets
// one.
func (l *loader) only(plain string, at Origin) (string, bool) {
	parts := strings.Split(l.shape[plain].Key, "[]")
	if len(parts) == 1 {
		return plain, true
	}
	key := parts[0]
	for _, rest := range parts[1:] {
		list := l.sections[key]
		switch n := list.Len(); n {
		case 0:
			l.resize(list, 1, at)
		case 1:
		default:
			l.report(at, setting.Wrong(plain, "", fmt.Sprintf("does not say which of %d %s it means", n, key),
				"write it into the file, at one of them"))
			return "", false
		}
		key += "[0]" + rest
	}
	return key, true
}

// kind returns the kind of a setting; of the file of a secret it is a string.
func (l *loader) kind(key string) setting.Kind {
	if f, ok := l.leaves[key]; ok {
		return f.Kind()
	}
	return setting.String
}

// list reads a list of texts.
func (l *loader) list(key string, n *yaml.Node, at Origin) {
	items := make([]string, len(n.Content))
	for i, item := range n.Content {
		item = resolve(item)
		if item.Kind != yaml.ScalarNode || null(item) {
			l.refuse(l.at(item), setting.Wrong(key, "", "holds something that is not a word",
				"write a list of words: [a, b]"))
			return
		}
		items[i] = item.Value
	}
	l.assign(key, at, func(f setting.Field) *setting.Mistake { return f.SetItems(items) })
}

// texts reads a map of texts.
func (l *loader) texts(key string, n *yaml.Node, at Origin) {
	texts := map[string]string{}
	for _, p := range l.pairs(key, n) {
		value := resolve(p.value)
		if value.Kind != yaml.ScalarNode || null(value) {
			l.refuse(l.at(p.key), setting.Wrong(key, "", oneLine(wordOnly(p.name))+" has no text",
				"write one word or number behind each name: {a: b}"))
			return
		}
		texts[p.name] = value.Value
	}
	l.assign(key, at, func(f setting.Field) *setting.Mistake { return f.SetPairs(texts) })
}

// namesOf returns the keys of a mapping.
func namesOf(n *yaml.Node) (names []string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		names = append(names, oneLine(resolve(n.Content[i]).Value))
	}
	return names
}
