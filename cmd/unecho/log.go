package main

import (
	"io"
	"os"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/unecho/unecho/config"
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

// newLogger writes to w as p says.
func newLogger(w io.Writer, p config.LogParams) (zerolog.Logger, error) {
	level, err := zerolog.ParseLevel(p.Level)
	if err != nil {
		return zerolog.Nop(), err
	}
	if !isJSON(w, p) {
		w = zerolog.ConsoleWriter{Out: w, TimeFormat: "15:04:05.000", NoColor: !terminal(w)}
	}
	return zerolog.New(w).Level(level).Hook(clock{}), nil
}

// jsonFormat is a choice of log.format.
const jsonFormat = "json"

// isJSON says whether what is written to w is a log of JSON.
func isJSON(w io.Writer, p config.LogParams) bool {
	return p.Format == jsonFormat || p.Format == "auto" && !terminal(w)
}

// clock stamps each line to the millisecond, so that lines of several processes can be put in order.
type clock struct{}

// Run implements zerolog.Hook.
func (clock) Run(e *zerolog.Event, _ zerolog.Level, _ string) {
	e.Str(zerolog.TimestampFieldName, time.Now().Format("2006-01-02T15:04:05.000Z07:00"))
}

func terminal(w io.Writer) bool {
	if _, ok := w.(*screen); ok {
		return true
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
