package cmdline

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Group is a heading under which help shows flags.
type Group string

// Groups, in the order in which help shows them.
const (
	Input      Group = "Input"
	Text       Group = "Text"
	Similarity Group = "Similarity"
	Window     Group = "Window"
	Output     Group = "Output"
	Service    Group = "Service"
	Advanced   Group = "Advanced"
)

func groups() []Group {
	return []Group{Input, Text, Similarity, Window, Output, Service, Advanced}
}

// Annotations of a flag.
const (
	groupAnnotation   = "group"
	kindAnnotation    = "kind"    // kind of its value, as help names it
	SettingAnnotation = "setting" // setting that it stands for
)

// Flags adds flags of one group.
type Flags struct{ *pflag.FlagSet }

// Text adds a flag with a text of a kind that help names: file, topic, size.
func (s Flags) Text(name, kind, value, usage string) { s.TextP(name, "", kind, value, usage) }

// TextP is Text with a one-letter form.
func (s Flags) TextP(name, letter, kind, value, usage string) {
	s.StringP(name, letter, value, usage)
	s.Named(name, kind)
}

// Texts adds a flag that may be repeated.
func (s Flags) Texts(name, kind, usage string) {
	s.StringArray(name, nil, usage)
	s.Named(name, kind)
}

// Named sets what help calls the value of a flag.
func (s Flags) Named(name, kind string) { annotate(s.Lookup(name), kindAnnotation, kind) }

// Add gives a verb flags of a group.
func Add(cmd *cobra.Command, group Group, define func(f Flags)) {
	set := Flags{pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError)}
	define(set)
	set.VisitAll(func(flag *pflag.Flag) {
		annotate(flag, groupAnnotation, string(group))
		cmd.Flags().AddFlag(flag)
	})
}

func annotate(flag *pflag.Flag, key, value string) {
	if flag.Annotations == nil {
		flag.Annotations = map[string][]string{}
	}
	flag.Annotations[key] = []string{value}
}

// Bool adds a flag without a value.
func Bool(cmd *cobra.Command, name string) bool {
	set, err := cmd.Flags().GetBool(name)
	return err == nil && set
}

// Offer makes a shell complete a flag with these words.
func Offer(cmd *cobra.Command, flag string, words ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic("unecho: no flag " + flag + " to complete") // a bug of ours
	}
}
