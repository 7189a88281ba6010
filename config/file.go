package config

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/sink"
)

// maxFile bounds the bytes of the configuration file. A file with every key and its documentation has some twenty
// kilobytes.
const maxFile = 1 << 20

// file reads the YAML file into the settings.
func (l *loader) file() {
	text, err := readFile(l.path, maxFile)
	if err != nil {
		remedy := "name a readable configuration file"
		if errors.Is(err, errAbsent) {
			remedy = "write one with: unecho config init -o " + l.path
		}
		l.unreadable(0, err.Error(), remedy)
		return
	}
	l.decode(text)
}

func (l *loader) decode(text []byte) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, second yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return // empty, or only comments: every value keeps its default
	case err != nil:
		l.syntax(text, err)
		return
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		l.unreadable(second.Line, "a second YAML document begins here", "keep all settings in one document, without ---")
		return
	case !errors.Is(err, io.EOF):
		l.syntax(text, err)
		return
	}
	root := resolve(document.Content[0])
	l.expand("", root)
	switch {
	case null(root):
	case root.Kind != yaml.MappingNode:
		l.unreadable(root.Line, "the file holds no settings", "write sections with keys, as `unecho config init` prints")
	default:
		l.mapping("", root)
	}
}

// unreadable reports that the whole file cannot be read.
func (l *loader) unreadable(line int, problem, remedy string) {
	l.broken = true
	l.refuse(Origin{Layer: FromFile, Name: l.path, Line: line}, setting.Mistake{Problem: problem, Remedy: remedy})
}

var (
	syntaxError = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)
	anchorError = regexp.MustCompile(`unknown anchor '(.*)' referenced`)
)

// syntax reports what the YAML parser says of text. An anchor that it does not know may be an unquoted secret.
func (l *loader) syntax(text []byte, err error) {
	line, problem := 0, strings.ReplaceAll(err.Error(), "\n", " ")
	if m := syntaxError.FindStringSubmatch(problem); m != nil {
		line, _ = strconv.Atoi(m[1]) // empty where the parser names no line
		problem = m[2]
	}
	remedy := "mend the YAML near this line; a text that begins with { or [ stands in quotes, as does \"${NAME}\" between brackets"
	switch {
	case strings.Contains(problem, "cannot start any token"):
		remedy = "indent by spaces, not by tabs, and put texts that begin with @ or ` in quotes"
	case strings.Contains(problem, "mapping values are not allowed"):
		remedy = "indent the keys of a section alike, and put texts with a colon and a space in quotes"
	}
	if m := anchorError.FindStringSubmatch(problem); m != nil {
		before, _, _ := bytes.Cut(text, []byte("*"+m[1]))
		line = 1 + bytes.Count(before, []byte("\n")) // the parser does not say
		problem = "a value that begins with * refers to no anchor"
		remedy = "put the value in quotes"
	}
	l.unreadable(line, "this is not valid YAML: "+problem, remedy)
}

func (l *loader) at(n *yaml.Node) Origin { return Origin{Layer: FromFile, Name: l.path, Line: n.Line} }

// mapping reads the keys of one section.
func (l *loader) mapping(prefix string, n *yaml.Node) {
	for _, p := range l.pairs(prefix, n) {
		key := setting.Join(prefix, p.name)
		_, leaf := l.leaves[key]
		_, secretFile := l.secrets[key]
		section, opens := l.sections[key]
		switch {
		case strings.Contains(p.name, ".") && (leaf || secretFile || opens):
			l.refuse(l.at(p.key), setting.Wrong(key, "", "is written with a dot",
				"in YAML, write the key below its section, indented"))
		case opens && section.Repeated():
			l.sectionList(section, p)
		case opens:
			l.section(key, p)
		case leaf || secretFile:
			l.value(key, p)
		case !p.again:
			l.unknownPair(prefix, p)
		}
	}
}

// unknownPair reports a key that does not exist. Of a section that is no misspelt one, each key may be a word of
// another tool.
func (l *loader) unknownPair(prefix string, p pair) {
	key, n := setting.Join(prefix, p.name), resolve(p.value)
	if name, _, joined := strings.Cut(key, ":"); joined && null(n) && slices.Contains(l.known, name) {
		l.refuse(l.at(p.key), setting.Wrong(name, "", "has no space behind its colon", "write one before the value"))
		return
	}
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 || l.misspelt(key) || l.inside[n] {
		l.unknown(prefix, p.name, l.at(p.key))
		return
	}
	l.inside[n] = true
	for _, below := range l.pairs(key, n) {
		l.unknownPair(key, below)
	}
}

func (l *loader) section(key string, p pair) {
	l.places[key] = l.at(p.key)
	n := resolve(p.value)
	switch {
	case null(n): // everything in the section is commented out
	case n.Kind == yaml.MappingNode:
		l.mapping(key, n)
	default:
		m := setting.Mistake{Key: key, Problem: "is a section, not a value", Remedy: l.asSection(key, n)}
		if _, switched := l.leaves[setting.Join(key, "enabled")]; switched && n.Kind == yaml.ScalarNode {
			m.Remedy = "write " + p.name + ": {enabled: true}, or its other keys below it, indented"
		}
		if n.Kind == yaml.SequenceNode {
			m.Problem, m.Remedy = "is a section, not a list", "write its keys below it, indented, without dashes"
		}
		l.refuse(l.at(p.key), m)
	}
}

// asSection says how a section is written in whose place a value stands: often the topic of an output.
func (l *loader) asSection(key string, n *yaml.Node) string {
	_, topic := l.leaves[key+".topic"]
	_, drop := l.leaves[key+".drop"]
	_, name := setting.CutLast(key)
	switch {
	case !topic || n.Kind != yaml.ScalarNode:
		return "write its keys below it, indented"
	case sink.Nowhere(n.Value) && drop:
		return "write " + name + ": {drop: true}"
	case sink.Nowhere(n.Value):
		return "write " + name + ": {topic: NAME}"
	}
	return "write " + name + ": {topic: " + yamlString(oneLine(n.Value)) + "}"
}

func (l *loader) value(key string, p pair) {
	n, at, kind := resolve(p.value), l.at(p.key), l.kind(key)
	refuse := func(problem, remedy string) {
		l.refuse(at, setting.Mistake{Key: key, Problem: problem, Remedy: remedy})
		l.excused[l.secrets[key]] = true
	}
	switch {
	case null(n) && p.value.Anchor != "":
		refuse("has no value", "put values that begin with & in quotes")
	case null(n):
		refuse("has no value", "write one, or remove the line to have the default")
	case kind == setting.List && n.Kind == yaml.SequenceNode:
		l.list(key, n, at)
	case kind == setting.List && n.Kind == yaml.ScalarNode && n.Value != l.expanded[n].written:
		refuse("is a list", "write it in brackets, each item in quotes: [\""+oneLine(l.expanded[n].written)+"\"]")
	case kind == setting.List && n.Kind == yaml.ScalarNode:
		refuse("is a list", "write it in brackets: ["+oneLine(n.Value)+"]")
	case kind == setting.List:
		refuse("is a list, not a map", "write it in brackets: ["+strings.Join(namesOf(n), ", ")+"]")
	case kind == setting.Map && n.Kind == yaml.MappingNode:
		l.texts(key, n, at)
	case kind == setting.Map:
		refuse("is a map of texts", "write it in braces: {a: b}, or indented below it")
	case n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle != 0:
		refuse("is one value, not a section", "put a value that begins with { in quotes")
	case n.Kind != yaml.ScalarNode:
		refuse("is one value, not a list or a section", "write the value behind the colon")
	default:
		l.text(key, n.Value, at)
	}
}

// resolve returns the node that an alias refers to. An alias never refers to an alias.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func null(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// pair is one key of a mapping with its value.
type pair struct {
	name       string
	key, value *yaml.Node
	again      bool // the key stood before it in the same mapping, which is reported
}

// pairs lists the keys of a mapping in their order, and then the keys it merges with <<, which its own keys outrank.
func (l *loader) pairs(prefix string, n *yaml.Node) []pair {
	var pairs []pair
	taken := map[string]bool{}
	visited := map[*yaml.Node]bool{}
	var collect func(n *yaml.Node)
	collect = func(n *yaml.Node) {
		if visited[n] { // a mapping that merges itself, or is merged twice
			return
		}
		visited[n] = true
		own, merged := l.ownPairs(prefix, n)
		for _, p := range own {
			if !taken[p.name] {
				pairs = append(pairs, p)
			}
		}
		for _, p := range own {
			taken[p.name] = true
		}
		for _, m := range merged {
			collect(m)
		}
	}
	collect(n)
	return pairs
}

// ownPairs splits a mapping into its own keys and the mappings that it merges, and reports repeated keys. These are
// listed too, so that what is wrong below them is reported at once.
func (l *loader) ownPairs(prefix string, n *yaml.Node) (own []pair, merged []*yaml.Node) {
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := resolve(n.Content[i]), n.Content[i+1]
		switch {
		case k.Kind == yaml.ScalarNode && k.ShortTag() == "!!merge":
			merged = append(merged, l.merge(k, v)...)
		case k.Kind != yaml.ScalarNode:
			l.report(l.at(n.Content[i]), setting.Wrong(prefix, "", "has a key that is not a word",
				"write one word as the key"))
		case lines[k.Value] > 0:
			l.report(l.at(n.Content[i]), setting.Wrong(setting.Join(prefix, wordOnly(k.Value)), "",
				"is given twice, first in line "+strconv.Itoa(lines[k.Value]), "remove one of them"))
			own = append(own, pair{name: k.Value, key: n.Content[i], value: v, again: true})
		default:
			lines[k.Value] = n.Content[i].Line
			own = append(own, pair{name: k.Value, key: n.Content[i], value: v})
		}
	}
	return own, merged
}

// merge lists the mappings that << names.
func (l *loader) merge(key, value *yaml.Node) []*yaml.Node {
	v := resolve(value)
	nodes := []*yaml.Node{v}
	if v.Kind == yaml.SequenceNode {
		nodes = v.Content
	}
	mappings := make([]*yaml.Node, 0, len(nodes))
	for _, n := range nodes {
		if n = resolve(n); n.Kind != yaml.MappingNode {
			l.report(l.at(key), setting.Wrong("<<", "", "merges something that is no section",
				"name the anchor of a section"))
			continue
		}
		mappings = append(mappings, n)
	}
	return mappings
}
