package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/deploy/dev/testbed"
)

const token = "a token for the load generator"

// group is two members, each with a configuration of its own.
type group struct {
	unecho  string
	members []*member
}

type member struct {
	address string
	config  string
	cmd     *exec.Cmd
}

func newGroup(ctx context.Context, unecho, brokers, dir string) (*group, error) {
	name := fmt.Sprintf("bench-gateway-%x", time.Now().UnixNano())
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(brokers, ",")...))
	if err != nil {
		return nil, err
	}
	defer client.Close()
	const partitions = 8
	if _, err := kadm.NewClient(client).CreateTopic(ctx, partitions, -1, nil, name); err != nil {
		return nil, fmt.Errorf("create topic: %w", err)
	}
	g := &group{unecho: unecho}
	for i := range 2 {
		address, err := testbed.FreeAddress(ctx)
		if err != nil {
			return nil, err
		}
		m := &member{address: address, config: filepath.Join(dir, fmt.Sprintf("member-%d.yaml", i))}
		text := fmt.Sprintf("kafka: {brokers: [%s]}\nsources: [{topics: [%s], format: json}]\ngroup: %s\n"+
			"duplicates: {remember: {keys: 1h}}\nsnapshots: {directory: {path: %s}}\nlog: {level: warn}\n"+
			"http: {listen: '%s', token: %s, ingest: {enabled: true, rate: 100000}}\n",
			brokers, name, name, filepath.Join(dir, "snapshots"), m.address, token)
		if err := os.WriteFile(m.config, []byte(text), 0o600); err != nil {
			return nil, err
		}
		m.cmd = exec.CommandContext(ctx, unecho, "run", "--config", m.config)
		m.cmd.Stderr = os.Stderr
		if err := m.cmd.Start(); err != nil {
			return nil, err
		}
		g.members = append(g.members, m)
	}
	for _, m := range g.members {
		if err := m.ready(ctx); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// ready waits until the member is.
func (m *member) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+m.address+"/ready", http.NoBody)
		if err != nil {
			return err
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			code := resp.StatusCode
			if err := resp.Body.Close(); err == nil && code == http.StatusOK {
				return nil
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("member %s does not become ready", m.address)
}

// end ends what still runs.
func (g *group) end() {
	for _, m := range g.members {
		_ = m.cmd.Process.Kill() // it may have ended
		_ = m.cmd.Wait()
	}
}
