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
	late     chan error       // has room for the first ErrHangs
}

// inTime returns what run returns, or the ErrHangs of what is watched meanwhile. After that run waits still for the call that
// does not return, so that it closes nothing that is in use.
func (h hang) inTime(run func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- run() }()
	select {
	case err := <-ended:
		return err
	case err := <-h.late:
		return err
	}
}

// watch has inTime return an ErrHangs, unless over is called before end has been done for too long.
func (h hang) watch(end context.Context) (over func()) {
	late, cut := retry.Outlast(end, cmp.Or(h.within, lastSteps))
	stop := context.AfterFunc(late, func() {
		select {
		case h.late <- h.hangs(context.Cause(end)):
		default:
		}
	})
	return func() {
		stop()
		cut()
	}
}

// hangs is the ErrHangs that names the file, and says why the process was to end.
func (h hang) hangs(cause error) error {
	err := fmt.Errorf("%w: %s", ErrHangs, cmp.Or(h.replicas.Silent(time.Now()), "a disk or a server does not answer, or a step takes long"))
	if !errors.Is(cause, context.Canceled) {
		err = fmt.Errorf("%w; it shuts down because of this: %v", err, cause) //nolint:errorlint // nobody is to act on it
	}
	return &stop.Error{What: "this process ends without its last steps", Err: err, Remedy: "look at that disk or server"}
}
