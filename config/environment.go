package config

import (
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/unecho/unecho/index/setting"
)

const (
	envPrefix  = "UNECHO_"
	testPrefix = "UNECHO_TEST_" // reserved for the tests of the project, never read by the program
)

// envName returns the variable of a key: duplicates.threshold is UNECHO_DUPLICATES_THRESHOLD.
func envName(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// kubernetesLink matches the variables that Kubernetes puts into the environment of every pod beside a Service named
// unecho, or unecho-something: UNECHO_SERVICE_HOST, UNECHO_PORT_9464_TCP_ADDR and so on. They are not meant as
// settings.
var kubernetesLink = regexp.MustCompile(
	`_SERVICE_HOST$|_SERVICE_PORT(_[A-Z0-9_]+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$`)

// linkURL matches the beginning of the value of UNECHO_PORT in that set of variables.
var linkURL = regexp.MustCompile(`^(tcp|udp|sctp)://`)

// environment reads the variables that begin with UNECHO_. Of two with the same name the last wins, as in a shell.
func (l *loader) environment(environ []string) {
	keys := map[string]string{}
	names := make([]string, 0, len(l.known))
	for _, key := range l.known {
		if !l.shape[key].Section() {
			keys[envName(key)] = key
			names = append(names, envName(key))
		}
	}
	given := map[string]string{}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		switch {
		case !strings.HasPrefix(name, envPrefix) || strings.HasPrefix(name, testPrefix):
		case keys[name] != "":
			given[name] = value
		case kubernetesLink.MatchString(name) || strings.HasSuffix(name, "_PORT") && linkURL.MatchString(value):
		default:
			l.unknownVariable(name, names, keys)
		}
	}
	for _, name := range names {
		if value, ok := given[name]; ok {
			l.plainText(keys[name], value, Origin{Layer: FromEnvironment, Name: name})
		}
	}
}

func (l *loader) unknownVariable(name string, names []string, keys map[string]string) {
	m := setting.Mistake{Problem: "unknown variable", Remedy: "remove it: variables that begin with " + envPrefix +
		" are settings"}
	meant, near := setting.Nearest(name, names)
	key := keys[meant]
	if !near || setting.Distance(name, meant) > 2 {
		key, near = theirs(strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, envPrefix), "_", ".")), 1)
	}
	if near && !l.shape[key].Section() {
		m.Remedy = "did you mean " + envName(key) + "?"
		l.mean(key)
	}
	l.mistakes = append(l.mistakes, Mistake{Mistake: m, At: Origin{Layer: FromEnvironment, Name: name}})
}

var (
	// reference matches ${NAME} and ${NAME:DEFAULT}, and with one more $ the literal ${.
	reference = regexp.MustCompile(`\$\$\{|\$\{([^}]*)\}?`)
	variable  = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)(:(.*))?$`)
	bare      = regexp.MustCompile(`^\$\(?([A-Z_][A-Z0-9_]*)\)?$`)
	whole     = regexp.MustCompile(`^\$\{[A-Z_][A-Z0-9_]*(:[^}]*)?\}$`) // and surely no part of a secret
)

// expanded is a scalar of the file whose variables were replaced.
type expanded struct {
	written string // what the file has
	ok      bool   // each variable has a value
}

// expand replaces the variables in the values below n, which stands under key. The file has been parsed, so that a
// value never becomes a list or a section. A key whose value names an unset variable is reported and left out. It
// returns whether n can be read.
func (l *loader) expand(key string, n *yaml.Node) bool {
	n = resolve(n)
	if e, done := l.expanded[n]; done { // an alias; perhaps of a mapping around it
		return e.ok
	}
	l.expanded[n] = expanded{written: n.Value, ok: true}
	ok := true
	switch n.Kind {
	case yaml.ScalarNode:
		ok = l.expandScalar(key, n)
	case yaml.SequenceNode:
		before := len(l.mistakes)
		for i, item := range n.Content {
			at := key
			if resolve(item).Kind == yaml.MappingNode {
				at += "[" + strconv.Itoa(i) + "]"
			}
			ok = l.expand(at, item) && ok
		}
		l.excused[key] = l.excused[key] || len(l.mistakes) > before
	case yaml.MappingNode:
		l.expandMapping(key, n)
	case yaml.DocumentNode, yaml.AliasNode:
	}
	l.expanded[n] = expanded{written: l.expanded[n].written, ok: ok}
	return ok
}

func (l *loader) expandMapping(key string, n *yaml.Node) {
	var kept []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		below := key
		if k := resolve(n.Content[i]); k.ShortTag() != "!!merge" {
			below = setting.Join(key, wordOnly(k.Value))
		}
		if l.expand(below, n.Content[i+1]) {
			kept = append(kept, n.Content[i], n.Content[i+1])
		}
	}
	n.Content = kept
}

func (l *loader) expandScalar(key string, n *yaml.Node) bool {
	refuse := func(problem, remedy string) {
		l.refuse(l.at(n), setting.Mistake{Key: key, Problem: problem, Remedy: remedy})
		l.excused[key], l.excused[l.secrets[key]] = true, true
	}
	if m := bare.FindStringSubmatch(n.Value); m != nil {
		if _, set := l.variables[m[1]]; set {
			refuse("has a variable without braces", "write ${"+m[1]+"}")
			return false
		}
	}
	ok := true
	value := reference.ReplaceAllStringFunc(n.Value, func(text string) string {
		if text == "$${" {
			return "${"
		}
		value, problem, remedy := l.valueOf(text)
		if problem != "" && l.leaves[key].Secret && !whole.MatchString(n.Value) {
			problem, remedy = "has ${ and no variable that is set", "write $${ for the characters ${, or set the variable"
		}
		if problem != "" {
			ok = false
			if !l.spares(key) {
				refuse(problem, remedy)
			}
		}
		return value
	})
	if value != n.Value {
		n.Value, n.Tag = value, "!!str"
	}
	return ok
}

// valueOf returns the value of ${NAME} or ${NAME:DEFAULT}. A default is not shown: it may be a secret.
func (l *loader) valueOf(text string) (value, problem, remedy string) {
	m := variable.FindStringSubmatch(strings.TrimSuffix(text[len("${"):], "}"))
	if m == nil || !strings.HasSuffix(text, "}") {
		return "", "has ${ and no variable", "write ${NAME} or ${NAME:DEFAULT}, or $${ for the characters ${"
	}
	value, set := l.variables[m[1]]
	if strings.HasPrefix(m[3], "--") { // a shell's default that is a number below 0
		m[3] = m[3][1:]
	} else if m[3] != "" && strings.ContainsRune("-?+=", rune(m[3][0])) {
		remedy = "write ${" + m[1] + ":DEFAULT}, without " + m[3][:1]
		if m[3][0] == '-' {
			remedy += ", or with two for a number below 0: ${" + m[1] + ":--1}"
		}
		return "", "has the default of the variable " + m[1] + " as a shell writes it", remedy
	}
	switch {
	case set:
		return value, "", ""
	case m[2] != "":
		return m[3], "", ""
	}
	return "", "the variable " + m[1] + " is not set", "set it, or write a default: ${" + m[1] + ":DEFAULT}"
}

// variablesOf returns the variables in environ ("NAME=value"). Of two with the same name the last wins, as in a shell.
func variablesOf(environ []string) map[string]string {
	values := make(map[string]string, len(environ))
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		values[name] = value
	}
	return values
}
