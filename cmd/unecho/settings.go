package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index/setting"
)

// presets are recipes that have been published, by name.
func presets() map[string][]string {
	return map[string][]string{
		// Titles of articles and offers: short, and written in many ways.
		"titles": {
			"text.max_bytes=500", "text.digits=words", "text.punctuation=drop", "text.space=drop", "similarity.shingle=char:4",
			"similarity.slots=128", "similarity.threshold=0.8",
		},
	}
}

// settingAnnotation is where a flag says which setting it stands for.
const settingAnnotation = "setting"

// addSettingFlags gives a verb that works without Kafka a flag for each of these settings, or of those in these sections,
// called like the setting: --threshold is similarity.threshold. Where two would be called alike, or like a flag of the verb, the flag of the later
// section is called after the section, too: --text-max-bytes. --config reads the rest, and --set outranks both. Call it after
// the verb's own flags.
func addSettingFlags(cmd *cobra.Command, sections ...string) {
	cmd.Flags().StringP("config", "c", "", "take the settings of this service (default "+defaultFile+", if it is there)")
	addSetFlag(cmd)
	cmd.Flags().String("preset", "", "begin with a published recipe: "+strings.Join(slices.Sorted(maps.Keys(presets())), ", "))
	offer(cmd, "preset", slices.Sorted(maps.Keys(presets()))...)
	fields := setting.Fields(config.Default())
	for _, section := range sections {
		for _, f := range fields {
			if f.Key == section || strings.HasPrefix(f.Key, section+".") {
				addSettingFlag(cmd, f)
			}
		}
	}
}

func addSettingFlag(cmd *cobra.Command, f setting.Field) {
	name := strings.ReplaceAll(f.Name(), "_", "-")
	if cmd.Flags().Lookup(name) != nil {
		name = strings.NewReplacer(".", "-", "_", "-").Replace(f.Key)
	}
	addSettingFlagCalled(cmd, f, name)
}

func addSettingFlagCalled(cmd *cobra.Command, f setting.Field, name string) {
	usage := f.Doc
	if len(f.Enum) > 0 {
		usage += " (" + strings.Join(f.Enum, "|") + ")"
	}
	if f.Text() != "" {
		usage += " (default " + f.Text() + ")"
	}
	cmd.Flags().String(name, "", usage)
	flag := cmd.Flag(name)
	flag.Annotations = map[string][]string{settingAnnotation: {f.Key}}
	if f.Kind() == setting.Bool {
		flag.NoOptDefVal = "true"
	}
	if len(f.Enum) > 0 {
		offer(cmd, name, f.Enum...)
	}
}

// settingsOf is the configuration of such a verb: base, the file named by --config, the environment, the flags. What only a
// service must be told may be missing.
func settingsOf(cmd *cobra.Command, base config.Config) (config.Config, error) {
	return sectionsOf(cmd, base, "similarity", "window", "document", "text", "index")
}

// sectionsOf is settingsOf for a verb that needs these sections.
func sectionsOf(cmd *cobra.Command, base config.Config, sections ...string) (config.Config, error) {
	sets, err := cmd.Flags().GetStringArray("set")
	if err != nil {
		return config.Config{}, err
	}
	if name := cmd.Flag("preset").Value.String(); name != "" {
		preset, known := presets()[name]
		if !known {
			return config.Config{}, exit.Usage(fmt.Errorf("--preset %s: there is %s", name, strings.Join(slices.Sorted(maps.Keys(presets())), ", ")))
		}
		sets = append(slices.Clone(preset), sets...)
	}
	if scope := cmd.Flag("scope"); scope != nil && strings.HasPrefix(scope.Value.String(), "field:") {
		sets = append(sets, "document.format=json") // the only one that has fields; files are told apart by --format
	}
	sets = append(sets, flagSets(cmd)...)
	return config.ResolveSections(base, sections, configOf(cmd), os.Environ(), append(sets, logSets(cmd)...))
}

// configOf is the configuration file of such a verb; empty if there is none.
func configOf(cmd *cobra.Command) string {
	if path := cmd.Flag("config").Value.String(); path != "" {
		return path
	}
	return configPath(nil)
}

// flagSets are the settings that were given by flags of their own, as --set would give them.
func flagSets(cmd *cobra.Command) (sets []string) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		for _, key := range flag.Annotations[settingAnnotation] {
			sets = append(sets, key+"="+flag.Value.String())
		}
	})
	return sets
}

// offer has a shell complete a flag by these words.
func offer(cmd *cobra.Command, flag string, words ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic("unecho: no flag " + flag + " to complete") // a bug of ours
	}
}
