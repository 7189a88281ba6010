//go:build !unix

package terminal

import (
	"context"
	"io"
)

// WhenUnread does nothing where there is nothing to ask.
func WhenUnread(context.Context, io.Writer, func()) {}
