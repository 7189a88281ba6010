package backfills

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/cmd/internal/assembly"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/protocol"
)

// voice tells how the work goes: people on a terminal, others in the log.
type voice struct {
	Out, Err io.Writer
	JSON     bool // the summary is JSON

	kind, name string // what is at work: a backfill, or a group whose window is filled
	logger     zerolog.Logger
	logsJSON   bool
}

func newVoice(s *shell, asJSON bool, kind, name string, log config.LogParams) *voice {
	return &voice{
		Out: s.cmd.OutOrStdout(), Err: s.cmd.ErrOrStderr(), JSON: asJSON, kind: kind, name: name, logsJSON: terminal.IsJSON(s.cmd.ErrOrStderr(), log),
	}
}

// report tells a person, or the log if that is for collectors, what happens.
func (v *voice) report(what string) {
	if v.logsJSON {
		v.logger.Info().Str(v.kind, v.name).Msg(what)
		return
	}
	fmt.Fprintf(v.Err, "unecho: %s: %s\n", v.name, what)
}

// stage is how far the work is.
type stage struct {
	protocol.Progress
	line  string               // for a terminal
	facts func(*zerolog.Event) // for the log
}

// showEvery is how often the line on a terminal is drawn anew.
const showEvery = 500 * time.Millisecond

// show shows the progress until ctx is done: on a terminal in place, elsewhere as a line of the log now and then. Look
// returns how far the work is, of which pace has taken note; its total is 0 as long as that is not known.
func (v *voice) show(ctx context.Context, message string, look func(pace *Pace, now time.Time) stage) {
	line := terminal.NewStages(v.Err)
	defer line.End()
	var pace Pace
	tick := time.NewTicker(showEvery)
	defer tick.Stop()
	logged := time.Now()
	for {
		select {
		case now := <-tick.C:
			s := look(&pace, now)
			if s.Total == 0 {
				continue
			}
			line.Line(s.line)
			if now.Sub(logged) >= assembly.StandingEvery {
				logged = now
				v.log(message, &pace, &s)
			}
		case <-ctx.Done():
			return
		}
	}
}

func (v *voice) log(message string, pace *Pace, s *stage) {
	e := v.logger.Info().Str(v.kind, v.name).Int64("done", s.Done).Int64("total", s.Total).
		Float64("documents_per_s", float64(int(pace.Rate())))
	s.facts(e)
	if left, ok := pace.Left(s.Progress); ok {
		e.Dur("left_ms", left)
	}
	e.Msg(message)
}

func (v *voice) conclude(s terminal.Found) error { return terminal.Write(v.Out, v.JSON, s) }
