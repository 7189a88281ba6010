package token

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// file reads a token from a file that somebody else keeps fresh.
func file(path string) func(context.Context) (Token, error) {
	const remedy = "let kafka.sasl.oauth.file name a file that this process may read and that holds a token"
	r := reader{read: func() ([]byte, error) { return readBounded(path) }}
	return func(ctx context.Context) (Token, error) {
		text, err := r.within(ctx)
		if ctx.Err() != nil {
			return Token{}, &Error{
				What: path + " was not read in time", Err: ctx.Err(),
				Remedy: "check the file system that holds it",
			}
		}
		if err != nil {
			return Token{}, &Error{What: "cannot read the token", Err: err, Remedy: remedy}
		}
		t, err := parse(text, time.Now())
		if err != nil {
			return Token{}, &Error{What: path + " is not understood", Err: err, Remedy: remedy}
		}
		return t, nil
	}
}

// reader reads a file and gives up waiting after a while. Nothing ends the reading of a file whose server is away: that
// reading goes on, and no second one is begun beside it.
type reader struct {
	read    func() ([]byte, error)
	pending chan outcome // the result of a reading that has not ended in time
}

type outcome struct {
	text []byte
	err  error
}

func (r *reader) within(ctx context.Context) ([]byte, error) {
	select {
	case <-r.pending:
		r.pending = nil // it was read at an earlier time
	default:
	}
	if r.pending == nil {
		done := make(chan outcome, 1)
		go func() {
			text, err := r.read()
			done <- outcome{text, err}
		}()
		r.pending = done
	}
	select {
	case o := <-r.pending:
		r.pending = nil
		return o.text, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func readBounded(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // does not wait for a pipe's writer
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, errNoFile)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxToken+1))
	if err == nil && len(text) > maxToken {
		err = errTooLong
	}
	return text, err
}

var (
	errTooLong = fmt.Errorf("it is longer than %d bytes", maxToken)
	errNoFile  = errors.New("it is no regular file")
)
