package terminal

import (
	"io"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/config"
)

// NewLogger returns a logger that writes to w as p says.
func NewLogger(w io.Writer, p config.LogParams) (zerolog.Logger, error) {
	level, err := zerolog.ParseLevel(p.Level)
	if err != nil {
		return zerolog.Nop(), err
	}
	if !IsJSON(w, p) {
		w = zerolog.ConsoleWriter{Out: w, TimeFormat: "15:04:05.000", NoColor: !Coloured(w)}
	}
	return zerolog.New(w).Level(level).Hook(Clock{}), nil
}

// JSON is a value of log.format.
const JSON = "json"

// IsJSON says whether log lines written to w are JSON.
func IsJSON(w io.Writer, p config.LogParams) bool {
	return p.Format == JSON || p.Format == "auto" && !Is(w)
}

// Clock stamps each line to the millisecond, so that lines of several processes can be put in order.
type Clock struct{}

// Run implements zerolog.Hook.
func (Clock) Run(e *zerolog.Event, _ zerolog.Level, _ string) {
	e.Str(zerolog.TimestampFieldName, time.Now().Format("2006-01-02T15:04:05.000Z07:00"))
}
