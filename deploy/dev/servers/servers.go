//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// startBound is how long a server may take to answer; Kafka needs some 4 s on an idle machine.
const startBound = 90 * time.Second

// servers are the processes that run started and the variables that name the servers.
type servers struct {
	dir, cache, pom string
	running         []*process
	variables       []string
}

// booting is a server on its way: what to wait for, and the variable that names it then.
type booting struct {
	*process
	ready    func(context.Context) error
	variable string
}

// start brings up each server that no variable names yet. Both boot at the same time.
func (s *servers) start(ctx context.Context) error {
	var boots []booting
	for _, one := range []struct {
		variable string
		launch   func(context.Context, *servers) (booting, error)
	}{{kafkaVariable, launchKafka}, {postgresVariable, launchPostgres}} {
		if value := os.Getenv(one.variable); value != "" {
			fmt.Fprintf(os.Stderr, "%s names a running server: %s\n", one.variable, value)
			s.variables = append(s.variables, one.variable+"="+value)
			continue
		}
		b, err := one.launch(ctx, s)
		if err != nil {
			return err
		}
		boots = append(boots, b)
	}
	for _, b := range boots {
		if err := b.await(ctx, b.ready); err != nil {
			s.keepLogs()
			return err
		}
		name, _, _ := strings.Cut(b.variable, "=")
		s.variables = append(s.variables, b.variable, fmt.Sprintf("%s_PID=%d", name, b.pid))
	}
	return nil
}

// adopt takes what launch returned: stop will end it.
func (s *servers) adopt(p *process, err error) (*process, error) {
	if err == nil {
		s.running = append(s.running, p)
	}
	return p, err
}

// wait returns when ctx ends, or with an error when a server ends before.
func (s *servers) wait(ctx context.Context) error {
	ended := make(chan *process, len(s.running))
	for _, p := range s.running {
		go func() { // ends at the latest when stop has ended p
			<-p.done
			ended <- p
		}()
	}
	select {
	case <-ctx.Done():
		return nil
	case p := <-ended:
		return fmt.Errorf("%s ended by itself: %w\n%s", p.name, p.failure(), p.lastLines())
	}
}

// stop ends the servers, all at once, and waits for them.
func (s *servers) stop() {
	for _, p := range s.running {
		p.cancel()
	}
	for _, p := range s.running {
		<-p.done
	}
}

// keepLogs copies the logs to where they outlive the temporary directory.
func (s *servers) keepLogs() {
	kept := filepath.Join(s.cache, "logs")
	err := os.MkdirAll(kept, 0o755)
	for _, p := range s.running {
		text, readErr := os.ReadFile(p.log)
		err = errors.Join(err, readErr, os.WriteFile(filepath.Join(kept, p.name+".log"), text, 0o644))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "keep logs:", err)
		return
	}
	if len(s.running) > 0 {
		fmt.Fprintln(os.Stderr, "the servers' logs are kept in", kept)
	}
}
