package config

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestVariablesInValues(t *testing.T) {
	environ := []string{
		"HOST=a:1", "NAME=old", "NAME={x: 1}", "PASSWORD=hunter2 # [", "EMPTY=", "AGE=5s", "ON=true", "NOTHING=null",
		"NESTED=${HOST}",
	}
	for name, c := range map[string]struct {
		text   string
		change func(*sample)
	}{
		"a text stays one":    {"server: {hosts: [a], name: '${NAME}'}", func(s *sample) { s.Server.Name = "{x: 1}" }},
		"within a text":       {"server: {hosts: [a], name: 'x-${HOST}-${AGE}'}", func(s *sample) { s.Server.Name = "x-a:1-5s" }},
		"items":               {"server: {hosts: ['${HOST}', 'b:${PORT:2}']}", func(s *sample) { s.Server.Hosts = []string{"a:1", "b:2"} }},
		"without quotes":      {"server:\n  hosts: [a]\n  name: ${HOST}\n", func(s *sample) { s.Server.Name = "a:1" }},
		"default":             {"server: {hosts: [a], name: '${OTHER:b:c d}'}", func(s *sample) { s.Server.Name = "b:c d" }},
		"below zero":          {"server: {hosts: [a], name: 'x${OTHER:--1}'}", func(s *sample) { s.Server.Name = "x-1" }},
		"empty default":       {"server:\n  hosts: [a]\n  name: ${OTHER:}\n", func(s *sample) { s.Server.Name = "" }},
		"default not needed":  {"server: {hosts: [a], name: '${HOST:b}'}", func(s *sample) { s.Server.Name = "a:1" }},
		"set to nothing":      {"server:\n  hosts: [a]\n  name: ${EMPTY:b}\n", func(s *sample) { s.Server.Name = "" }},
		"a word of YAML":      {"server:\n  hosts: [a]\n  name: ${NOTHING}\n", func(s *sample) { s.Server.Name = "null" }},
		"literal":             {"server: {hosts: [a], name: '$${HOST} $x $$ {'}", func(s *sample) { s.Server.Name = "${HOST} $x $$ {" }},
		"not twice":           {"server: {hosts: [a], name: '${NESTED}'}", func(s *sample) { s.Server.Name = "${HOST}" }},
		"no variable like it": {"server: {hosts: [a], name: $OTHER}", func(s *sample) { s.Server.Name = "$OTHER" }},
		"alias":               {"server: {hosts: [&h '${NESTED}'], name: *h}", func(s *sample) { s.Server.Name, s.Server.Hosts[0] = "${HOST}", "${HOST}" }},
		"other types":         {"server: {hosts: [a]}\ncache:\n  age: ${AGE}\n  on: ${ON}\n", func(s *sample) { s.Cache.Age, s.Cache.On = 5*time.Second, true }},
		"a merged section":    {"server: {hosts: [a]}\ncache: {<<: {age: '${AGE}'}}", func(s *sample) { s.Cache.Age = 5 * time.Second }},
		"a secret":            {"server: {hosts: [a], login: {password: '${PASSWORD}'}}", func(s *sample) { s.Server.Login.Password = "hunter2 # [" }},
	} {
		t.Run(name, func(t *testing.T) {
			want := defaultSample()
			want.Server.Hosts = []string{"a"}
			c.change(&want)
			got, _, mistakes := loadSample(c.text, environ, nil)
			if len(mistakes) > 0 || !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, mistakes, want)
			}
		})
	}
}

// What a variable holds is shown as any value is, and of a secret never. What is told of a variable is in
// testdata/mistakes/variables.txt.
func TestMistakesOfVariablesInValues(t *testing.T) {
	environ := []string{"SECRET=hunter2\xff", "AGE=soon", "HOSTS=a:1,b:2", "NAME=x"}
	for text, want := range map[string]string{
		"server: {hosts: [a]}\ncache: {age: '${AGE}'}":                           "f.yaml:2: cache.age: soon: is not a duration",
		"server: {hosts: [a], login: {password: '${SECRET}'}}":                   "f.yaml:1: server.login.password: is not valid UTF-8",
		"server: {hosts: '${HOSTS}'}":                                            `is a list; write it in brackets, each item in quotes: ["${HOSTS}"]`,
		"server: {hosts: [a], name: $NAME}":                                      "server.name: has a variable without braces; write ${NAME}",
		"server: {hosts: [a], name: $(NAME)}":                                    "has a variable without braces",
		"server: {hosts: [a], login: {user: u, password_file: '${NOT_SET}/pw'}}": "password_file: the variable NOT_SET is not set",
		"server: {hosts: [a], login: {password: 'a${hunter2}b'}}":                "f.yaml:1: server.login.password: has ${ and no variable that is set; write $${ for the characters ${",
		"server: {hosts: [a], login: {password: '${hunter2}'}}":                  "has ${ and no variable that is set",
		"server: {hosts: [a], login: {password: 'a${A:-hunter2}b'}}":             "has ${ and no variable that is set",
		"server: {hosts: [a], login: {password: 'a${hunter2'}}":                  "has ${ and no variable",
		"server: {hosts: [a], login: {password: '${NOT_SET}'}}":                  "server.login.password: the variable NOT_SET is not set",
		"server: {hosts: [a], name: '${NUMBER:-1}'}":                             "write ${NUMBER:DEFAULT}, without -, or with two for a number below 0: ${NUMBER:--1}",
		"server: {hosts: [${HOST}]}":                                             `as does "${NAME}" between brackets`,
	} {
		_, _, mistakes := loadSample(text, environ, nil)
		if len(mistakes) != 1 || !strings.Contains(mistakes.Error(), want) || strings.Contains(mistakes.Error(), "hunter2") {
			t.Errorf("%s: %v; want one mistake: %s", text, mistakes, want)
		}
	}
}

// What is printed as YAML means the same when it is read.
func TestPrintedVariablesAreLiteral(t *testing.T) {
	s := defaultSample()
	s.Server.Name, s.Server.Hosts = "${HOST} costs $5", []string{"${HOST}"}
	got, _, mistakes := loadSample(effective(&s, nil), []string{"HOST=x"}, nil)
	if len(mistakes) > 0 || !reflect.DeepEqual(got, s) {
		t.Errorf("%s\nis read as %+v, %v; want %+v", effective(&s, nil), got, mistakes, s)
	}
}
