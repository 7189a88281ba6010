package config

import (
	"regexp"
	"strings"

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
