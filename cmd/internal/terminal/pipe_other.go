//go:build !unix

package terminal

import (
	"context"
	"io"
)

// WhenUnread does nothing on systems that cannot tell.
func WhenUnread(context.Context, io.Writer, func()) {}
