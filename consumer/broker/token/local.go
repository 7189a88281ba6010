package token

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// pipePatience is how long a command's children may hold its output open after it has ended.
const pipePatience = time.Second

// command runs a program that prints a token. What it prints is shown nowhere: it may be half a secret.
func command(argv []string) func(context.Context) (Token, error) {
	const remedy = "run kafka.sasl.oauth.command by hand and see what it says"
	return func(ctx context.Context) (Token, error) {
		running, stop := context.WithCancel(ctx)
		defer stop()
		out := bounded{full: stop}
		cmd := exec.CommandContext(running, argv[0], argv[1:]...)
		cmd.Stdout, cmd.WaitDelay = &out, pipePatience
		err := cmd.Run()
		if ctx.Err() != nil {
			return Token{}, &Error{What: argv[0] + " did not print a token in time", Err: ctx.Err(), Remedy: remedy + ", or raise kafka.sasl.oauth.timeout"}
		}
		if err != nil {
			return Token{}, &Error{What: argv[0] + " prints no token", Err: err, Remedy: remedy}
		}
		t, err := parse(out.text, time.Now())
		if err != nil {
			return Token{}, &Error{What: "what " + argv[0] + " prints is not understood", Err: err, Remedy: remedy}
		}
		return t, nil
	}
}

// file reads a token that somebody else keeps fresh.
func file(path string) func(context.Context) (Token, error) {
	return func(context.Context) (Token, error) {
		const remedy = "let kafka.sasl.oauth.file name a file that this process may read and that holds a token"
		text, err := readBounded(path)
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

func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxToken+1))
	if err == nil && len(text) > maxToken {
		err = errTooLong
	}
	return text, err
}

var errTooLong = fmt.Errorf("it is longer than %d bytes", maxToken)

// bounded takes no more than a token, and calls full when more comes.
type bounded struct {
	text []byte
	full func()
}

func (b *bounded) Write(p []byte) (int, error) {
	if len(b.text)+len(p) > maxToken {
		b.full()
		return 0, errTooLong
	}
	b.text = append(b.text, p...)
	return len(p), nil
}
