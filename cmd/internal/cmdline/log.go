package cmdline

import (
	"github.com/spf13/cobra"
)

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
