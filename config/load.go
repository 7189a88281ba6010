package config

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index/setting"
)

// Loaded is a configuration without mistakes, and the origin of each of its values.
type Loaded struct {
	Config  Config
	Origins map[string]Origin // by key; an absent key has its default
}

// Load reads the file at path (none if path is empty), then environ ("NAME=value"), then sets ("key=value"); later
// values outrank earlier ones. The error is of type Mistakes and holds everything that is wrong.
func Load(path string, environ, sets []string) (Config, error) {
	loaded, err := Resolve(path, environ, sets)
	return loaded.Config, err
}

// Resolve does what Load does, and also returns where each value comes from.
func Resolve(path string, environ, sets []string) (Loaded, error) {
	return ResolveFrom(Default(), path, environ, sets)
}

// ResolveFrom does what Resolve does with other defaults, for verbs that know values which a plain configuration must
// name. If there are mistakes, the configuration holds the defaults, except that log holds what could be read, because
// it determines how the mistakes are shown.
func ResolveFrom(c Config, path string, environ, sets []string) (Loaded, error) {
	validate := func() []setting.Mistake {
		c.spread()
		return slices.Concat(c.Validate(), c.pin(), forFiles(c), c.wrongEntry())
	}
	idle := func() []setting.Mistake { return append(c.idle(), c.idleSources()...) }
	origins, mistakes := load(&c, validate, inputs{path: path, environ: environ, sets: sets, idle: idle})
	if len(mistakes) > 0 {
		told := Default()
		told.Log = c.Log
		return Loaded{Config: told}, mistakes
	}
	c.HTTP.TokenFile = origins["http.token"].Via
	r := &c.Registry
	r.PasswordFile, r.TokenFile = origins["schema_registry.password"].Via, origins["schema_registry.token"].Via
	for i := range c.Sources {
		_, given := origins[document.KeyOf(i)+".format"]
		c.Sources[i].Reading.ByDefault = !given
	}
	return Loaded{Config: c, Origins: origins}, nil
}

// ResolveSections does what ResolveFrom does for verbs that need only these sections: it does not report what other
// sections lack, secrets and variables that this process does not have among them. These verbs also have the settings for
// files.
func ResolveSections(c Config, sections []string, path string, environ, sets []string) (Config, error) {
	validate := func() []setting.Mistake {
		c.spread()
		wrong := slices.DeleteFunc(c.Validate(), func(m setting.Mistake) bool {
			return !isIn(sections, m.Key)
		})
		if slices.Contains(sections, "duplicates") {
			wrong = append(wrong, c.readIgnored()...)
		}
		return wrong
	}
	in := inputs{path: path, environ: environ, sets: sets, idle: c.idle, sections: sections}
	if _, mistakes := load(&c, validate, in); len(mistakes) > 0 {
		return Default(), mistakes
	}
	return c, nil
}

// isIn says whether a key is in one of these sections.
func isIn(sections []string, key string) bool {
	section, _, _ := strings.Cut(setting.Plain(key), ".")
	return slices.Contains(sections, section)
}

type inputs struct {
	path     string
	environ  []string
	sets     []string
	idle     func() []setting.Mistake // settings that decide nothing beside the others; nil is none
	sections []string                 // in which secrets and variables may not be missing; nil is all
}

// idle returns the settings that decide nothing beside the others.
func (c *Config) idle() []setting.Mistake {
	return slices.Concat(setting.Under("duplicates", c.Judge.Duplicates.Idle()), setting.Under("snapshots", c.Snapshot.Idle()))
}

// loader collects values and mistakes. It knows settings only by their tags.
type loader struct {
	leaves   map[string]setting.Field
	sections map[string]setting.Field // lists of sections too
	secrets  map[string]string        // companion key -> key of the secret
	usual    map[string]string        // key -> its default
	elements int                      // how many the lists of sections were given

	known []string                 // every plain key that may be written, in the order of the source
	shape map[string]setting.Field // what a plain key stands for, in any element

	origins  map[string]Origin      // of settings and of lists of sections
	places   map[string]Origin      // where each section and each element stands in the file
	pending  map[string]pendingFile // secrets to be read from files, by key of the secret
	excused  map[string]bool        // keys with a mistake of their own; what they lack because of it is not reported again
	meant    map[string]bool        // keys that a misspelt one probably meant; excused too, unless they are given as well
	mistakes Mistakes
	path     string
	needed   []string // inputs.sections
	broken   bool     // the file could not be read, so its values are unknown

	variables map[string]string       // of the environment, for ${NAME} in the file
	expanded  map[*yaml.Node]expanded // the nodes whose variables were replaced
	inside    map[*yaml.Node]bool     // the unknown sections whose keys were reported
}

// load applies in to params, a pointer to a struct that holds the defaults, and validates the result.
func load(params any, validate func() []setting.Mistake, in inputs) (map[string]Origin, Mistakes) {
	l := newLoader(params, in.path)
	l.variables, l.needed = variablesOf(in.environ), in.sections
	if in.path != "" {
		l.file()
	}
	return l.resolve(validate, in)
}

// resolve applies the layers that outrank the file, and validates the result.
func (l *loader) resolve(validate func() []setting.Mistake, in inputs) (map[string]Origin, Mistakes) {
	l.environment(in.environ)
	l.flags(in.sets)
	l.readSecrets()
	l.oneStore()
	if !l.broken {
		l.judge(validate())
		if in.idle != nil {
			l.idle(in.idle())
		}
	}
	return l.origins, l.mistakes.sorted()
}

func newLoader(params any, path string) *loader {
	l := &loader{
		leaves: map[string]setting.Field{}, sections: map[string]setting.Field{}, secrets: map[string]string{},
		origins: map[string]Origin{}, places: map[string]Origin{}, pending: map[string]pendingFile{},
		excused: map[string]bool{}, meant: map[string]bool{}, usual: map[string]string{},
		expanded: map[*yaml.Node]expanded{}, inside: map[*yaml.Node]bool{}, shape: map[string]setting.Field{}, path: path,
	}
	setting.WalkShape(params, func(f setting.Field) {
		if f.Element() {
			return
		}
		key := setting.Plain(f.Key)
		l.known, l.shape[key] = append(l.known, key), f
		if f.Secret {
			l.secrets[companion(key)] = key
			l.known = append(l.known, companion(key))
		}
	})
	setting.Walk(params, l.learn)
	return l
}

// learn notes a section or a setting that is there.
func (l *loader) learn(f setting.Field) {
	switch {
	case f.Element():
	case f.Section():
		l.sections[f.Key] = f
	default:
		l.leaves[f.Key], l.usual[f.Key] = f, f.Text()
	}
}

// companion returns the key under which a secret's file is given.
func companion(key string) string { return key + "_file" }

// assign sets the setting of key by calling set. It is called for every value, in the order of the layers.
func (l *loader) assign(key string, at Origin, set func(setting.Field) *setting.Mistake) {
	if p, both := l.pending[key]; both && p.at.Layer == at.Layer {
		delete(l.pending, key)
		l.refuse(at, setting.Mistake{Key: key, Problem: "is given beside " + companion(key), Remedy: "remove one of the two"})
		return
	}
	f := l.leaves[key]
	if m := set(f); m != nil {
		l.refuse(at, *m)
		return
	}
	delete(l.pending, key)
	l.origins[key] = at
}

// spares says whether a secret or variable of key may be missing: nobody needs its section.
func (l *loader) spares(key string) bool { return l.needed != nil && !isIn(l.needed, key) }

// plainText assigns a value given as text to a plain key: in the environment, or by a flag.
func (l *loader) plainText(plain, text string, at Origin) {
	if key, ok := l.only(plain, at); ok {
		l.text(key, text, at)
	}
}

// text assigns a value given as text.
func (l *loader) text(key, text string, at Origin) {
	if secret, ok := l.secrets[key]; ok {
		l.fromFile(secret, text, at)
		return
	}
	l.assign(key, at, func(f setting.Field) *setting.Mistake { return f.Set(text) })
}

// refuse reports a mistake after which its key has no value. What is missing because of that is not reported.
func (l *loader) refuse(at Origin, m setting.Mistake) {
	l.excused[m.Key] = true
	l.report(at, m)
}

// report reports a mistake with no other effect.
func (l *loader) report(at Origin, m setting.Mistake) {
	l.mistakes = append(l.mistakes, Mistake{Mistake: m, At: at})
}

// unknown reports a key that does not exist below prefix. Its value is not shown: it may be a secret under a misspelt
// name.
func (l *loader) unknown(prefix, name string, at Origin) {
	key := setting.Join(prefix, name)
	m := setting.Wrong(setting.Join(prefix, wordOnly(name)), "", "unknown key", "`unecho config init --full` prints all keys")
	if problem, remedy, ok := declined(key); ok {
		m.Problem, m.Remedy = problem, remedy
		if strings.HasPrefix(key, "snapshots.") {
			l.mean("snapshots.directory.path") // it is not missing as well
		}
	} else if meant, ok := l.nearest(prefix, name, at); ok {
		m.Remedy = "did you mean " + meant + "?"
	}
	l.refuse(at, m)
}

// nearest returns the key that an unknown one below prefix probably meant, as it is written there.
func (l *loader) nearest(prefix, name string, at Origin) (string, bool) {
	meant, ok := l.probably(setting.Join(setting.Plain(prefix), name))
	if !ok {
		return "", false
	}
	if section, last := setting.CutLast(meant); section == setting.Plain(prefix) {
		meant = setting.Join(prefix, last)
	}
	l.mean(meant)
	if f, inList := l.shape[meant]; inList && at.Layer == FromFile {
		meant = f.Key
	}
	return meant, true
}

// declined says of a key that people look for why there is no such setting, and what to do instead.
func declined(key string) (problem, remedy string, ok bool) {
	switch {
	case strings.HasSuffix(key, ".prefer"):
		return "there is no such setting: the first of the documents that are alike is forwarded before a newer one comes, " +
				"and cannot be taken back",
			"leave it out; how to have the newest of them: decision 62, deploy/docs/decisions/" +
				"0062-the-first-is-forwarded-not-the-last.md", true
	}
	return "", "", false
}

// mean notes the key that a misspelt one probably meant. A plain key may mean any element: then it is the list.
func (l *loader) mean(key string) {
	if f, plain := l.shape[key]; plain {
		key, _, _ = strings.Cut(f.Key, "[")
	}
	l.meant[key] = true
	if secret, ok := l.secrets[key]; ok {
		l.meant[secret] = true
	}
}

// wordOnly cuts off the end of a key what cannot be part of one, because it may be a secret, as in "password:secret".
func wordOnly(key string) string {
	end := strings.IndexFunc(key, func(r rune) bool { return !setting.NameRune(r) })
	if end < 0 {
		return key
	}
	return key[:end] + "..."
}

// judge adds what the rooms find wrong, with the origin of each value.
func (l *loader) judge(found []setting.Mistake) {
	for _, m := range found {
		m.Key = strings.TrimSuffix(m.Key, ".")
		if l.isExcused(m.Key) {
			continue
		}
		if l.leaves[m.Key].Secret {
			m.Value = ""
		}
		l.mistakes = append(l.mistakes, Mistake{Mistake: m, At: l.originOf(m.Key)})
	}
}

// isExcused says whether key, or a section around it, already has a mistake of its own.
func (l *loader) isExcused(key string) bool {
	for ; key != ""; key = setting.Parent(key) {
		if l.excused[key] || l.meant[key] && !l.given(key) {
			return true
		}
	}
	return false
}

// given says whether a setting or a list of sections was given in any layer, or a section in the file.
func (l *loader) given(key string) bool {
	_, set := l.origins[key]
	_, opened := l.places[key]
	return set || opened
}

// originOf returns where key was set, or the setting that it is an item of (sources[0].text[1]), else where what is
// around it stands, else the file.
func (l *loader) originOf(key string) Origin {
	for ; key != ""; key = setting.Parent(key) {
		if at, ok := l.origins[key]; ok {
			return at
		}
		if at, ok := l.places[key]; ok {
			return at
		}
	}
	if l.path != "" {
		return Origin{Layer: FromFile, Name: l.path}
	}
	return Origin{}
}

// commandLine is the origin of flags: of --set, and of the flags of a single setting, such as --log-level.
const commandLine = "command line"

// flags applies the values of --set. Of two for the same key the last wins, as with any flag.
func (l *loader) flags(sets []string) {
	at := Origin{Layer: FromFlag, Name: commandLine}
	given := map[string]string{}
	var order []string
	for _, set := range sets {
		key, value, found := strings.Cut(set, "=")
		switch {
		case !found:
			l.report(at, setting.Mistake{Key: wordOnly(key), Problem: "has no value", Remedy: "write --set key=value"})
			if !l.shape[key].Section() {
				l.mean(key)
			}
			continue
		case l.shape[key].Section():
			l.report(at, setting.Mistake{Key: key, Problem: "is a section", Remedy: "set one of its keys, as --set " + key +
				".KEY=value"})
			continue
		case !slices.Contains(l.known, key):
			l.unknown("", key, at)
			continue
		}
		if _, again := given[key]; !again {
			order = append(order, key)
		}
		given[key] = value
	}
	for _, key := range order {
		l.plainText(key, given[key], at)
	}
}
