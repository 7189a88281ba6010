package cmdline

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index/setting"
)

// AddSettings gives a verb that works without Kafka a flag for each of these settings, or of those in these sections
// but not in sections of theirs. A
// flag has the name of its setting: --threshold is duplicates.threshold. If two would have the same name, or one that
// the verb already uses, the flag of the later section has the section in its name, too: --advanced-member. --config
// reads the other settings, and --set outranks both. Call it after the verb's own flags are added.
func AddSettings(cmd *cobra.Command, sections ...string) {
	addSettings(cmd, config.Default(), sections)
}

// AddFileSettings does what AddSettings does, for a verb that judges files and has the defaults for that.
func AddFileSettings(cmd *cobra.Command, sections ...string) {
	addSettings(cmd, config.ForFiles(), sections)
}

func addSettings(cmd *cobra.Command, usual config.Config, sections []string) {
	Add(cmd, Advanced, func(f Flags) {
		f.TextP("config", "c", "file", "", "take the settings of this service (default "+DefaultFile+", if it is there)")
	})
	AddSet(cmd)
	fields := setting.Shape(usual)
	for _, section := range sections {
		for _, f := range fields {
			key := setting.Plain(f.Key)
			if key == "duplicates.remember.directory" {
				continue // it is a member's, and no verb that judges files or plans has one
			}
			if key == section || key[:max(0, strings.LastIndexByte(key, '.'))] == section {
				AddSetting(cmd, f)
			}
		}
	}
}

// AddSetting gives a verb the flag of one setting, with the name that AddSettings would use.
func AddSetting(cmd *cobra.Command, f setting.Field) {
	name := strings.ReplaceAll(f.Name(), "_", "-")
	if cmd.Flags().Lookup(name) != nil {
		name = strings.NewReplacer(".", "-", "_", "-").Replace(setting.Plain(f.Key))
	}
	AddSettingCalled(cmd, f, name)
}

// AddSettingCalled gives a verb a flag of that name for a setting.
func AddSettingCalled(cmd *cobra.Command, f setting.Field, name string) {
	usage := f.Doc
	if len(f.Enum) > 0 {
		usage += " (" + strings.Join(f.Enum, "|") + ")"
	}
	if f.Text() != "" {
		usage += " (default " + f.Text() + ")"
	}
	Add(cmd, groupOf(f), func(s Flags) { s.Text(name, kindOfSetting(f), "", usage) })
	flag := cmd.Flag(name)
	annotate(flag, SettingAnnotation, setting.Plain(f.Key))
	if f.Kind() == setting.Bool {
		flag.NoOptDefVal = "true"
	}
	if len(f.Enum) > 0 {
		Offer(cmd, name, f.Enum...)
	}
}

// Settings returns the configuration of such a verb from base, the file named by --config, the environment, and the
// flags. Settings that only a service needs may be missing.
func Settings(cmd *cobra.Command, base config.Config) (config.Config, error) {
	return Sections(cmd, base, "duplicates", "normalize", "sources", "advanced")
}

// Sections does what Settings does, for a verb that needs only these sections.
func Sections(cmd *cobra.Command, base config.Config, sections ...string) (config.Config, error) {
	if len(base.Sources) == 0 { // as one reads documents, so are they read from files
		base.Sources = []document.Source{document.DefaultSource()}
	}
	base.AnyTopics = true
	sets := Texts(cmd, "set")
	if scope := cmd.Flag("scope"); scope != nil && strings.Contains(scope.Value.String(), "field:") {
		sets = append(sets, "sources.format=json") // the only format that has fields; files are distinguished by --format
	}
	sets = append(sets, Given(cmd)...)
	return config.ResolveSections(base, sections, ConfigFile(cmd), os.Environ(), append(sets, LogSets(cmd)...))
}

// ConfigFile returns the configuration file of such a verb; empty if there is none.
func ConfigFile(cmd *cobra.Command) string {
	if path := cmd.Flag("config").Value.String(); path != "" {
		return path
	}
	return ConfigPath(nil)
}

// Given returns the settings that were given by flags of their own, in the form of --set.
func Given(cmd *cobra.Command) (sets []string) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		for _, key := range flag.Annotations[SettingAnnotation] {
			sets = append(sets, key+"="+flag.Value.String())
		}
	})
	return sets
}

// Called puts the flags of a verb in the place of the settings that they stand for.
func Called(cmd *cobra.Command) *strings.Replacer {
	var pairs []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		for _, key := range flag.Annotations[SettingAnnotation] {
			pairs = append(pairs, "("+key+")", "(--"+flag.Name+")")
		}
	})
	return strings.NewReplacer(pairs...)
}

// AddSet adds --set, which outranks file and environment.
func AddSet(cmd *cobra.Command) {
	Add(cmd, Advanced, func(f Flags) { f.Texts("set", "key=value", "override a setting: key=value; repeatable") })
}

// ConfigPath returns the configuration file that args name, else the default one if it exists, else "".
func ConfigPath(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	if _, err := os.Stat(DefaultFile); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return DefaultFile
}

// DefaultFile is read if no file is named and it exists.
const DefaultFile = "unecho.yaml"

// groupOf returns the group in which help shows the flag of a setting.
func groupOf(f setting.Field) Group {
	section, name, _ := strings.Cut(setting.Plain(f.Key), ".")
	switch section {
	case "duplicates":
		if strings.HasPrefix(name, "remember.") {
			return Window
		}
		if slices.Contains([]string{
			"threshold", "shingle", "method", "verify", "slots", "bits", "distance", "recall",
			"weighted", "ignore",
		}, name) {
			return Similarity
		}
		return Advanced
	case "normalize":
		return NormalForm
	case "sources", "advanced":
		return Input
	}
	return Service
}

// kindOfSetting returns what help calls the value of a setting.
func kindOfSetting(f setting.Field) string {
	switch f.Kind() {
	case setting.Bool:
		return "bool"
	case setting.Int:
		return "int"
	case setting.Float:
		return "float"
	case setting.Duration:
		return "duration"
	case setting.Size:
		return "size"
	case setting.List, setting.Map, setting.String, setting.Unknown:
	}
	if len(f.Enum) > 0 {
		return "choice"
	}
	return cmp.Or(f.Called, "name")
}
