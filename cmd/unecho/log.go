package main

import (
	"github.com/spf13/cobra"
)

// The flags of the log are settings under shorter names.
const (
	logLevelFlag  = "log-level"
	logFormatFlag = "log-format"
)

func addLogFlags(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.String(logLevelFlag, "", "least level that is logged: debug, info, warn or error (setting log.level)")
	flags.String(logFormatFlag, "", "console, json, or auto: console on a terminal (setting log.format)")
}

// logSets are the log flags given, as --set would give them.
func logSets(cmd *cobra.Command) []string {
	var sets []string
	for flag, key := range map[string]string{logFormatFlag: "log.format", logLevelFlag: "log.level"} {
		if f := cmd.Flag(flag); f != nil && f.Changed {
			sets = append(sets, key+"="+f.Value.String())
		}
	}
	return sets
}
