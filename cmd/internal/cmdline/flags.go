package cmdline

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index/setting"
)

// Group is a heading under which help shows flags.
type Group string

// Groups, in the order in which help shows them.
const (
	Input      Group = "Input"
	NormalForm Group = "Text"
	Similarity Group = "Similarity"
	Window     Group = "Window"
	Output     Group = "Output"
	Service    Group = "Service"
	Advanced   Group = "Advanced"
)

func groups() []Group {
	return []Group{Input, NormalForm, Similarity, Window, Output, Service, Advanced}
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

// Text returns the value of a flag that the verb has. So do the functions behind it.
func Text(cmd *cobra.Command, name string) string { return cmd.Flag(name).Value.String() }

// Texts are the values of a flag that may be repeated.
func Texts(cmd *cobra.Command, name string) []string { return known(cmd.Flags().GetStringArray(name)) }

// Int is a number.
func Int(cmd *cobra.Command, name string) int { return known(cmd.Flags().GetInt(name)) }

// Int64 is a number.
func Int64(cmd *cobra.Command, name string) int64 { return known(cmd.Flags().GetInt64(name)) }

// Uint64 is a number.
func Uint64(cmd *cobra.Command, name string) uint64 { return known(cmd.Flags().GetUint64(name)) }

// Float is a number.
func Float(cmd *cobra.Command, name string) float64 { return known(cmd.Flags().GetFloat64(name)) }

// Duration is a length of time.
func Duration(cmd *cobra.Command, name string) time.Duration {
	return known(cmd.Flags().GetDuration(name))
}

// Size is a number of bytes, written as in a setting.
func Size(cmd *cobra.Command, name string) (size setting.Bytes, err error) {
	if err = size.UnmarshalText([]byte(Text(cmd, name))); err != nil {
		err = exit.Usage(fmt.Errorf("--%s: %w", name, err))
	}
	return size, err
}

// Bool says whether a flag is set; a verb that has none of that name has not set it.
func Bool(cmd *cobra.Command, name string) bool {
	set, err := cmd.Flags().GetBool(name)
	return err == nil && set
}

// known is the value of a flag that was defined by this type.
func known[T any](value T, err error) T {
	if err != nil {
		panic("unecho: " + err.Error()) // a bug of ours
	}
	return value
}

// AddJSON adds --json: the output is so, in place of lines for people.
func AddJSON(cmd *cobra.Command, usage string) {
	Add(cmd, Output, func(f Flags) { f.Bool("json", false, usage) })
}

// Print writes what a verb has found: as a line of JSON if that is asked for, else as lines for people.
func Print(cmd *cobra.Command, found terminal.Found) error {
	return terminal.Write(cmd.OutOrStdout(), Bool(cmd, "json"), found)
}

// Summarise is Print for a verb whose results go to standard output: a summary for people goes to standard error.
func Summarise(cmd *cobra.Command, found terminal.Found) error {
	if Bool(cmd, "json") {
		return Print(cmd, found)
	}
	return terminal.Write(cmd.ErrOrStderr(), false, found)
}

// Offer makes a shell complete a flag with these words.
func Offer(cmd *cobra.Command, flag string, words ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic("unecho: no flag " + flag + " to complete") // a bug of ours
	}
}

// The flags of the log are settings under shorter names.
const (
	LogLevelFlag  = "log-level"
	LogFormatFlag = "log-format"
)

// AddLogFlags gives all commands the flags of the log.
func AddLogFlags(root *cobra.Command) {
	flags := Flags{root.PersistentFlags()}
	flags.Text(LogLevelFlag, "choice", "", "least level that is logged: debug, info, warn or error (setting log.level)")
	flags.Text(LogFormatFlag, "choice", "", "console, json, or auto: console on a terminal (setting log.format)")
}

// LogSets returns the log flags that were given, in the form of --set.
func LogSets(cmd *cobra.Command) []string {
	var sets []string
	for flag, key := range map[string]string{LogFormatFlag: "log.format", LogLevelFlag: "log.level"} {
		if f := cmd.Flag(flag); f != nil && f.Changed {
			sets = append(sets, key+"="+f.Value.String())
		}
	}
	return sets
}
