//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/unecho/unecho/deploy/dev/testbed"
)

// servers are the processes that were started here, and the variables that name the servers.
type servers struct {
	place     testbed.Files
	registry  bool   // is started, too
	s3        string // the program of a store that speaks S3, which is started, too; may be empty
	running   []*testbed.Server
	variables []string
}

// launched is a server that a variable names.
type launched struct {
	variable string
	launch   func(context.Context, testbed.Files) (*testbed.Server, string, error)
}

// start brings up each server that no variable names yet. All boot at the same time.
func (s *servers) start(ctx context.Context) error {
	all := []launched{{kafkaVariable, s.kafka}, {postgresVariable, postgres}}
	if s.registry {
		all = append(all, launched{registryVariable, testbed.NewRegistry})
	}
	if s.s3 != "" {
		all = append(all, launched{s3Variable, func(ctx context.Context, at testbed.Files) (*testbed.Server, string, error) {
			program, err := filepath.Abs(s.s3)
			if err != nil {
				return nil, "", err
			}
			s.variables = append(s.variables, s3Variable+"_PROGRAM="+program)
			return testbed.NewS3(ctx, at, program)
		}})
	}
	for _, one := range all {
		if value := os.Getenv(one.variable); value != "" {
			fmt.Fprintf(os.Stderr, "%s names a running server: %s\n", one.variable, value)
			s.variables = append(s.variables, one.variable+"="+value)
			continue
		}
		server, address, err := one.launch(ctx, s.place)
		if err == nil {
			err = s.adopt(ctx, server)
		}
		if err != nil {
			return err
		}
		s.variables = append(s.variables, one.variable+"="+address, fmt.Sprintf("%s_PID=%d", one.variable, server.PID()))
	}
	began := time.Now()
	for _, server := range s.running {
		if err := server.Await(ctx); err != nil {
			s.keepLogs()
			return err
		}
		fmt.Fprintf(os.Stderr, "%s answers after %.1f s\n", server.Name, time.Since(began).Seconds())
	}
	return nil
}

func (s *servers) kafka(ctx context.Context, at testbed.Files) (*testbed.Server, string, error) {
	k, err := testbed.NewKafka(ctx, at, 1, nil)
	if err != nil {
		return nil, "", err
	}
	s.variables = append(s.variables, kafkaVariable+"_CLASSPATH="+k.Classpath)
	return k.Brokers[0], k.Address, nil
}

func postgres(ctx context.Context, at testbed.Files) (*testbed.Server, string, error) {
	p, err := testbed.NewPostgres(ctx, at)
	if err != nil {
		return nil, "", err
	}
	return p.Server, p.URL, nil
}

// adopt starts a server, which stop will end.
func (s *servers) adopt(ctx context.Context, server *testbed.Server) error {
	if err := server.Start(ctx); err != nil {
		return err
	}
	s.running = append(s.running, server)
	return nil
}

// wait returns when ctx ends, or with an error when a server ends before.
func (s *servers) wait(ctx context.Context) error {
	ended := make(chan *testbed.Server, len(s.running))
	for _, server := range s.running {
		go func() { // this goroutine ends at the latest when stop has ended the server
			<-server.Done()
			ended <- server
		}()
	}
	select {
	case <-ctx.Done():
		return nil
	case server := <-ended:
		return fmt.Errorf("%s ended by itself: %w\n%s", server.Name, server.Err(), server.LastLines())
	}
}

// stop ends all servers at the same time, and waits for them.
func (s *servers) stop() { testbed.StopAll(s.running...) }

// keepLogs copies the logs to a directory that outlives the temporary one.
func (s *servers) keepLogs() {
	kept := filepath.Join(s.place.Cache, "logs")
	err := os.MkdirAll(kept, 0o755)
	for _, server := range s.running {
		text, readErr := os.ReadFile(server.Log)
		err = errors.Join(err, readErr, os.WriteFile(filepath.Join(kept, server.Name+".log"), text, 0o644))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "keep logs:", err)
		return
	}
	if len(s.running) > 0 {
		fmt.Fprintln(os.Stderr, "the servers' logs are kept in", kept)
	}
}
