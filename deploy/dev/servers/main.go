//go:build unix

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/unecho/unecho/deploy/dev/testbed"
)

const (
	kafkaVariable    = "UNECHO_TEST_KAFKA"
	postgresVariable = "UNECHO_TEST_POSTGRES"
	registryVariable = "UNECHO_TEST_REGISTRY"
	s3Variable       = "UNECHO_TEST_S3"

	// commandGrace is how long an interrupted command may take to end before it is killed.
	commandGrace = 20 * time.Second
)

func main() {
	// On Linux the servers are killed when the thread that started them dies. This thread lives as long as the process.
	runtime.LockOSThread()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	os.Exit(exitCode(err))
}

// exitCode returns the command's own code. For any other error it writes the error and returns 1.
func exitCode(err error) int {
	if err == nil {
		return 0
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return exit.ExitCode()
	}
	fmt.Fprintln(os.Stderr, "servers:", err)
	return 1
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("servers", flag.ContinueOnError)
	cache := flags.String("cache", ".cache", "directory for Kafka's jars and the logs of a failed run")
	pom := flags.String("pom", "deploy/dev/pom.xml", "the Maven file that names Kafka's version")
	registry := flags.Bool("registry", false, "start a registry of schemas, too")
	s3 := flags.String("s3", "", "start a store that speaks S3, too: the program versitygw")
	brief := flags.Bool("brief", false, "for tests: brokers start with less work, and are slower after minutes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "unecho-servers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) // a leftover in the temporary directory harms nobody
	set := &servers{place: testbed.Files{Dir: dir, Cache: *cache, POM: *pom, Brief: *brief}, registry: *registry, s3: *s3}
	defer set.stop()
	if err := set.start(ctx); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return serve(ctx, set, stdout)
	}
	err = command(ctx, set, flags.Args())
	if err != nil {
		set.keepLogs()
	}
	return err
}

// serve prints the variables to export and waits to be interrupted.
func serve(ctx context.Context, set *servers, stdout io.Writer) error {
	for _, v := range set.variables {
		if _, err := fmt.Fprintln(stdout, "export", v); err != nil {
			return err
		}
	}
	fmt.Fprintln(os.Stderr, "running until Ctrl-C")
	return set.wait(ctx)
}

// command runs args with the servers' variables. It hands an interrupt on to the command.
func command(ctx context.Context, set *servers, args []string) error {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), set.variables...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = testbed.EndWithParent(&syscall.SysProcAttr{}, syscall.SIGTERM)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = commandGrace
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("run %s: %w", args[0], err)
	}
	return nil
}
