package consumer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/consumer/stop"
)

// lastSteps is how long the last steps of a process may take, when its time to drain is over. Each of them has a bound, so
// that what takes longer is a call that does not return.
const lastSteps = 15 * time.Second

// ErrHangs says that a call does not return, so that its goroutine works on. What that uses must not be closed: the process is
// to end.
var ErrHangs = errors.New("shutting down hangs")

// hang bounds how long a process waits for what is to end. within is lastSteps if it is 0.
type hang struct {
	within   time.Duration
	replicas *member.Counters // tell which file does not answer
}

// inTime returns what run returns. If run goes on for too long after end is done, it returns an ErrHangs that names the file,
// and says why run was to end.
func (h hang) inTime(end context.Context, run func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- run() }()
	late, cut := retry.Outlast(end, cmp.Or(h.within, lastSteps))
	defer cut()
	select {
	case err := <-ended:
		return err
	case <-late.Done():
	}
	err := fmt.Errorf("%w: %s", ErrHangs, cmp.Or(h.replicas.Silent(time.Now()), "a disk or a server does not answer, or a step takes long"))
	if cause := context.Cause(end); !errors.Is(cause, context.Canceled) {
		err = fmt.Errorf("%w; it shuts down because of this: %v", err, cause) //nolint:errorlint // nobody is to act on it
	}
	return &stop.Error{What: "this process ends without its last steps", Err: err, Remedy: "look at that disk or server"}
}
