//go:build unix

// Package rivals runs what people would use instead of unecho: a Kafka Streams application that removes exact copies.
//
// The application is written in Java, in the files beside this one. Maven fetches the jars, as it does those of Kafka.
// The application runs in a process of its own, which takes its orders from standard input and reports on standard
// output: Measured.java says how.
package rivals

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/unecho/unecho/deploy/dev/testbed"
)

// Setup says what an application runs with.
type Setup struct {
	Cache       string   // directory for jars, classes and logs
	Sources     string   // directory of the Java files and the POM
	Setting     string   // a constant of Setting.java: DEFAULT or TUNED
	Servers     string   // addresses of brokers, joined by commas
	Compression string   // of what is written, in the setting TUNED
	Java        []string // more arguments for Java itself
}

// Work is one run: a new group reads the whole source.
type Work struct {
	Group, Source, Unique, Duplicate string
	Directory                        string // for the state; the application empties it
}

// Watch is told how a run goes, from one goroutine.
type Watch struct {
	Began     func()                      // the first documents have arrived
	Committed func(unique, duplicate int) // so many so far, after each transaction
}

// App is an application's process. One run follows another, and the process stays.
type App struct {
	command *exec.Cmd
	orders  io.WriteCloser
	lines   chan string // closed when the process has closed its output
	logFile string
}

// Open compiles the application and starts its process, which ends when its input ends.
func Open(ctx context.Context, s Setup) (*App, error) {
	java, javac, err := testbed.JDK(ctx)
	if err != nil {
		return nil, err
	}
	cache := filepath.Join(s.Cache, "rivals")
	jars, err := testbed.Jars(ctx, cache, "jars", filepath.Join(s.Sources, "pom.xml"))
	if err != nil {
		return nil, err
	}
	classes := filepath.Join(cache, "classes")
	if err := compile(ctx, javac, s.Sources, jars, classes); err != nil {
		return nil, err
	}
	args := append(slices.Clone(s.Java),
		"-cp", classes+string(filepath.ListSeparator)+filepath.Join(jars, "*"),
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dorg.slf4j.simpleLogger.showDateTime=true",
		"-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS", "rivals.Measured", s.Setting, s.Servers, s.Compression)
	a := &App{
		command: exec.CommandContext(ctx, java, args...), lines: make(chan string),
		logFile: filepath.Join(cache, strings.ToLower(s.Setting)+".log"),
	}
	if err := a.start(); err != nil {
		return nil, fmt.Errorf("start the application: %w", err)
	}
	if err := a.await(ctx, "ready", Watch{}); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

func compile(ctx context.Context, javac, sources, jars, into string) error {
	files, err := filepath.Glob(filepath.Join(sources, "*.java"))
	if err != nil {
		return err
	}
	args := append([]string{"--release", "17", "-d", into, "-cp", filepath.Join(jars, "*")}, files...)
	if out, err := exec.CommandContext(ctx, javac, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("compile the application: %w\n%s", err, out)
	}
	return nil
}

func (a *App) start() error {
	log, err := os.Create(a.logFile)
	if err != nil {
		return err
	}
	defer log.Close() // the child holds its own descriptor
	a.command.Stderr, a.command.WaitDelay = log, closeBound
	if a.orders, err = a.command.StdinPipe(); err != nil {
		return err
	}
	out, err := a.command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := a.command.Start(); err != nil {
		return err
	}
	go func() { // ends with the process, which Close waits for
		defer close(a.lines)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			a.lines <- lines.Text()
		}
	}()
	return nil
}

// PID returns the process id.
func (a *App) PID() int { return a.command.Process.Pid }

// Run begins a run and returns when it has ended, which it does after Stop.
func (a *App) Run(ctx context.Context, w Work, to Watch) error {
	_, err := fmt.Fprintln(a.orders, "run", w.Group, w.Source, w.Unique, w.Duplicate, w.Directory)
	if err != nil {
		return fmt.Errorf("begin a run: %w", err)
	}
	return a.await(ctx, "ended", to)
}

// Stop ends the present run in good order. It may be called while Run runs.
func (a *App) Stop() error {
	if _, err := fmt.Fprintln(a.orders, "stop"); err != nil {
		return fmt.Errorf("end a run: %w", err)
	}
	return nil
}

// await reports what the application says, until it says last.
func (a *App) await(ctx context.Context, last string, to Watch) error {
	for {
		select {
		case line, ok := <-a.lines:
			if !ok {
				return fmt.Errorf("the application ended; its log is %s", a.logFile)
			}
			if line == last {
				return nil
			}
			if err := to.hear(line); err != nil {
				return fmt.Errorf("%w; its log is %s", err, a.logFile)
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// hear takes one line of the application.
func (w Watch) hear(line string) error {
	var unique, duplicate int
	switch kind, rest, _ := strings.Cut(line, " "); kind {
	case "began":
		w.Began()
	case "committed":
		if _, err := fmt.Sscanf(rest, "%d %d", &unique, &duplicate); err != nil {
			return fmt.Errorf("the application said %q: %w", line, err)
		}
		w.Committed(unique, duplicate)
	default:
		return fmt.Errorf("the application said %q", line)
	}
	return nil
}

// closeBound is how long the process may take to end.
const closeBound = 10 * time.Second

// Close ends the process and waits for it.
func (a *App) Close() error {
	_ = a.orders.Close() // the process ends because of it, or is killed
	overdue := time.AfterFunc(closeBound, func() { _ = a.command.Process.Kill() })
	defer overdue.Stop()
	for range a.lines { // what it still says has no listener
	}
	if err := a.command.Wait(); err != nil {
		return fmt.Errorf("the application ended: %w; its log is %s", err, a.logFile)
	}
	return nil
}
