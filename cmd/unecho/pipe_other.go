//go:build !unix

package main

import (
	"context"
	"io"
)

// whenUnread does nothing where there is nothing to ask.
func whenUnread(context.Context, io.Writer, func()) {}
