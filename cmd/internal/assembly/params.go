package assembly

import (
	"io"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/cmd/internal/ops"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer"
)

// Params say what is built.
type Params struct {
	Config   config.Config
	Version  string // of the program
	Logger   zerolog.Logger
	Profiles bool // are served
	Accepted consumer.Accepted
	More     func(*consumer.Setup) // makes the service more than its configuration; may be nil
}

// Logger returns the logger of a service, whose level can be changed where there is something to ask.
func Logger(w io.Writer, c config.Config) (zerolog.Logger, error) {
	logger, err := terminal.NewLogger(w, c.Log)
	if err == nil && c.HTTP.Listen != "" {
		logger = ops.Adjustable(logger)
	}
	return logger, err
}
