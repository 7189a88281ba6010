package consumer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/stop"
)

// lastSteps is how long the last steps of a process may take, when its time to drain is over. Each of them has a bound, so
// that what takes longer is a call that does not return.
const lastSteps = 15 * time.Second

// ErrHangs says that a call does not return, so that its goroutine works on. What that uses must not be closed: the process is
// to end.
var ErrHangs = errors.New("shutting down hangs")

// inTime returns what run returns, or an ErrHangs that names the file, if run goes on for so long after hard is done.
func (s *Service) inTime(hard context.Context, run func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- run() }()
	late, cut := retry.Outlast(hard, cmp.Or(s.setup.lastSteps, lastSteps))
	defer cut()
	select {
	case err := <-ended:
		return err
	case <-late.Done():
	}
	return &stop.Error{
		What:   "this process ends without its last steps",
		Err:    fmt.Errorf("%w: %s", ErrHangs, cmp.Or(s.replicas.Silent(time.Now()), "a disk or a server does not answer, or a step takes long")),
		Remedy: "look at that disk or server",
	}
}
