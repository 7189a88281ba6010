package backfill

import (
	"context"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/sink"
)

// Outputs returns where a job in force writes, in the form of the settings. dry says that it writes nowhere.
func (s *State) Outputs() (out sink.Params, dry bool) {
	var unique, duplicate, rejected, verdicts, clusters []string
	topics := s.Topics()
	for _, source := range topics {
		u, d, r, written := routing.Outputs(s.Routing.Routes.Text, source)
		if !written {
			return sink.Params{}, true
		}
		unique, duplicate, rejected = append(unique, u), append(duplicate, d), append(rejected, r)
		if v := routing.Verdicts(s.Routing.Routes.Text, source); v != "" {
			verdicts = append(verdicts, v)
		}
		if c := routing.Clusters(s.Routing.Routes.Text, source); c != "" {
			clusters = append(clusters, c)
		}
	}
	return sink.Outputs(template(topics, unique), template(topics, duplicate), template(topics, rejected),
		template(topics, verdicts), template(topics, clusters)), false
}

// template returns the setting by which each source has its output: the name itself if all share one.
func template(sources, outputs []string) string {
	const placeholder = "{source}"
	if len(outputs) == 0 {
		return ""
	}
	candidates := []string{outputs[0]}
	for i := 0; i+len(sources[0]) <= len(outputs[0]); i++ {
		if strings.HasPrefix(outputs[0][i:], sources[0]) {
			candidates = append(candidates, outputs[0][:i]+placeholder+outputs[0][i+len(sources[0]):])
		}
	}
	for _, c := range candidates {
		fits := true
		for i, source := range sources {
			fits = fits && strings.ReplaceAll(c, placeholder, source) == outputs[i]
		}
		if fits {
			return c
		}
	}
	return outputs[0]
}

// Progress returns how far the job is, by what its group has committed. The job has a plan.
func (s *State) Progress() protocol.Progress { return cluster.ProgressBy(s.Offsets, s.Plan) }

// AwaitCommitted waits until all that stands in topics now can be read by who reads committed records only. See
// broker.AwaitCommitted. The options reach the cluster.
func AwaitCommitted(ctx context.Context, options []kgo.Opt, topics ...string) error {
	client, err := kgo.NewClient(options...)
	if err != nil {
		return fmt.Errorf("open client: %w", err)
	}
	defer client.Close()
	_, err = broker.AwaitCommitted(ctx, kadm.NewClient(client), topics...)
	return err
}
