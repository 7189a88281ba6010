package ops

import (
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/rs/zerolog"
)

// Adjustable returns a logger whose level PUT /log/level changes. Until then it logs what it did. The level is that of
// the whole process (zerolog.SetGlobalLevel): loggers that have a higher one of their own keep it.
func Adjustable(logger zerolog.Logger) zerolog.Logger {
	zerolog.SetGlobalLevel(logger.GetLevel())
	return logger.Level(zerolog.TraceLevel)
}

// levels are those of log.level.
func levels() []string { return []string{"debug", "info", "warn", "error"} }

const maxLevel = 64 // bytes of a request

func showLevel(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, zerolog.GlobalLevel().String()+"\n")
}

func setLevel(logger zerolog.Logger) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLevel))
		word := strings.TrimSpace(string(body))
		if err != nil || !slices.Contains(levels(), word) {
			answer(w, http.StatusBadRequest, "the body is the level: "+strings.Join(levels(), ", ")+"\n")
			return
		}
		to, _ := zerolog.ParseLevel(word)
		from := zerolog.GlobalLevel()
		zerolog.SetGlobalLevel(min(from, to)) // so that the change is logged
		logger.Info().Stringer("from", from).Stringer("to", to).Msg("log level changes")
		zerolog.SetGlobalLevel(to)
		answer(w, http.StatusOK, word+"\n")
	}
}
