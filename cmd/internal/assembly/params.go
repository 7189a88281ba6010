package assembly

import (
	"io"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer"
)

// Params say what is built.
type Params struct {
	Config    config.Config
	InProcess bool   // the broker is the embedded one, in this process
	Version   string // of the program
	Logger    zerolog.Logger
	Tell      io.Writer             // told where the page is; may be nil
	More      func(*consumer.Setup) // makes the service more than its configuration; may be nil
}
