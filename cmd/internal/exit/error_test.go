package exit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/index/setting"
)

// Of errors that wrap each other the outermost decides, but for a reader that has gone.
func TestCodeOf(t *testing.T) {
	plain := errors.New("broken")
	for name, test := range map[string]struct {
		err  error
		want int
	}{
		"done":                      {nil, Done},
		"failed":                    {plain, Failed},
		"usage":                     {Usage(plain), BadUsage},
		"usage, wrapped and joined": {errors.Join(nil, fmt.Errorf("open: %w", Usage(plain))), BadUsage},
		"mistakes":                  {config.Mistakes{{}}, BadUsage},
		"mistakes in a JSON log":    {&Error{Logged: true, Err: config.Mistakes{{}}}, BadUsage},
		"usage in a JSON log":       {&Error{Logged: true, Err: Usage(plain)}, BadUsage},
		"failed, in a JSON log":     {&Error{Logged: true, Err: plain}, Failed},
		"undone":                    {Undone(plain), NothingKnown},
		"no file":                   {NotThere(&fs.PathError{Err: fs.ErrNotExist}), BadUsage},
		"a file that is locked":     {NotThere(&fs.PathError{Err: fs.ErrPermission}), Failed},
		"interrupted":               {&Error{Code: Interrupted, Err: Usage(plain)}, Interrupted},
		"nobody reads":              {Usage(&fs.PathError{Path: os.Stdout.Name(), Err: syscall.EPIPE}), BrokenPipe},
	} {
		if got := CodeOf(test.err); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
	if Undone(nil) != nil {
		t.Error("what was done is undone")
	}
}

// Only what a signal ended is interrupted.
func TestMarkInterrupted(t *testing.T) {
	for cause, want := range map[error]int{errSignal: Interrupted, errors.New("another end"): Failed} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		err := errors.New("stopped")
		if MarkInterrupted(ctx, &err); CodeOf(err) != want {
			t.Errorf("%v: exit code %d, want %d", cause, CodeOf(err), want)
		}
	}
}

// A person reads a line; a log of JSON has one record of it; who reads no more is told nothing.
func TestReport(t *testing.T) {
	t.Setenv("UNECHO_LOG_FORMAT", "")
	for name, test := range map[string]struct {
		err          error
		format, want string
	}{
		"for people": {errors.New("broken"), "", "unecho: broken\n"},
		"of a file's name": {
			&fs.PathError{Op: "open", Path: "\x1b[2J\r", Err: fs.ErrNotExist}, "",
			"unecho: open \\x1b[2J : file does not exist\n",
		},
		"asked for by flag": {errors.New("broken"), "json", `{"level":"fatal","cause":"broken","exit_code":1,`},
		"of a service": {
			&Error{Logged: true, Err: errors.New("broken")}, "",
			`{"level":"fatal","cause":"broken","exit_code":1,`,
		},
		"nobody": {&fs.PathError{Path: os.Stdout.Name(), Err: syscall.EPIPE}, "", ""},
	} {
		var out strings.Builder
		if Report(&out, test.err, test.format); !strings.HasPrefix(out.String(), test.want) ||
			(test.want == "") != (out.Len() == 0) {
			t.Errorf("%s: %q, want %q", name, out.String(), test.want)
		}
	}
}

// Each error for people says in a log of JSON what happened and what to do, wherever the rest of the text wraps it.
func TestCauseAndRemedy(t *testing.T) {
	wrap := func(err error) error { return fmt.Errorf("begin: %w", err) }
	for name, test := range map[string]struct {
		err           error
		cause, remedy string
	}{
		"plain": {wrap(errors.New("broken\n  in two")), "begin: broken; in two", ""},
		"fault": {
			wrap(&broker.Fault{What: "cannot listen", Err: errors.New("taken"), Remedy: "choose"}),
			"begin: cannot listen: taken", "choose",
		},
		"stop": {
			wrap(&consumer.StopError{What: "it is gone", Remedy: "look\n  again", Err: errors.New("why")}),
			"begin: it is gone: why", "look; again",
		},
		"topic": {
			wrap(&broker.TopicError{Topic: "news", Mistakes: []broker.Mistake{
				{What: "a is 1", Why: "it hurts", Remedy: "set a"},
				{What: "b", Why: "too", Remedy: "set b"},
			}}),
			"topic news is not what it must be: a is 1: it hurts; b: too", "set a; set b",
		},
		"mistakes": {
			config.Mistakes{{Mistake: setting.Mistake{Key: "a", Problem: "is bad"}}},
			"1 mistake in the configuration: a: is bad", "see `unecho config check --help`",
		},
	} {
		if cause, remedy := causeAndRemedy(test.err); cause != test.cause || remedy != test.remedy {
			t.Errorf("%s: %q, %q; want %q, %q", name, cause, remedy, test.cause, test.remedy)
		}
	}
}
