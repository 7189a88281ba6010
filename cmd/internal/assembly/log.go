package assembly

import (
	"io"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/cmd/internal/ops"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
)

// Logger returns the logger of a service, whose level can be changed where there is something to ask.
func Logger(w io.Writer, c config.Config) (zerolog.Logger, error) {
	logger, err := terminal.NewLogger(w, c.Log)
	if err == nil && c.Ops.Listen != "" {
		logger = ops.Adjustable(logger)
	}
	return logger, err
}
