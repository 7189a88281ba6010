//go:build unix

package terminal

import (
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// pipeWatch is the interval, in ms, at which the pipe is checked.
const pipeWatch = 200

// WhenUnread calls gone once if out is a pipe that nobody reads any more. A write would notice, but the next one may be
// long in coming. It returns when ctx is done.
func WhenUnread(ctx context.Context, out io.Writer, gone func()) {
	f, ok := out.(*os.File)
	if !ok {
		return
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return
	}
	fds := []unix.PollFd{{Fd: int32(f.Fd())}} // a descriptor
	for ctx.Err() == nil {
		if _, err := unix.Poll(fds, pipeWatch); err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		if fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0 {
			gone()
			return
		}
	}
}
