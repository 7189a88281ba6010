// Package compose holds the files of deploy/compose true.
package compose

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	prometheus "github.com/prometheus/prometheus/config"
	"sigs.k8s.io/yaml"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/deploy/dev/deploytest"
)

func dir(t *testing.T) string { return filepath.Join(deploytest.Root(t), "deploy/compose") }

func load(t *testing.T) *types.Project {
	t.Helper()
	o, err := cli.NewProjectOptions([]string{filepath.Join(dir(t), "compose.yaml")}, cli.WithResolvedPaths(true))
	if err != nil {
		t.Fatal(err)
	}
	p, err := o.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCompose: compose's own loader takes the file; images have versions, ports are those of this machine only, and
// each file that is mounted exists.
func TestCompose(t *testing.T) {
	t.Parallel()
	p := load(t)
	versioned := regexp.MustCompile(`^[a-z/]+:v?\d[\w.]*$`)
	members := 0
	for name, s := range p.Services {
		if !versioned.MatchString(s.Image) && s.Image != "unecho:dev" {
			t.Errorf("%s: the image %q has no version", name, s.Image)
		}
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s: port %s is open to others", name, port.Published)
			}
		}
		for _, v := range s.Volumes {
			if v.Type == types.VolumeTypeBind {
				exists(t, v.Source)
			}
		}
		if !strings.HasPrefix(name, "member-") {
			continue
		}
		members++
		if got := s.Environment["UNECHO_ADVANCED_MEMBER"]; got == nil || *got != name || !s.ReadOnly ||
			s.CapDrop[0] != "ALL" || s.StopGracePeriod == nil {
			t.Errorf("the service %s is %+v; want it read-only, without capabilities, with its name as the member and a time to stop",
				name, s)
		}
		if s.DependsOn["topic"].Condition != types.ServiceConditionCompletedSuccessfully ||
			s.DependsOn["postgres"].Condition != types.ServiceConditionHealthy {
			t.Errorf("%s waits for %+v", name, s.DependsOn)
		}
	}
	if members != 2 {
		t.Errorf("%d members", members)
	}
	for _, secret := range p.Secrets {
		exists(t, secret.File)
	}
}

func exists(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

// TestConfigurations: the programs take their files.
func TestConfigurations(t *testing.T) {
	t.Parallel()
	c, err := config.Load(filepath.Join(dir(t), "unecho.yaml"),
		[]string{"UNECHO_ADVANCED_MEMBER=member-0", "UNECHO_HTTP_TOKEN_FILE=" + filepath.Join(dir(t), "token")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := load(t)
	if kafka := p.Services["kafka"]; kafka.Environment["KAFKA_ADVERTISED_LISTENERS"] == nil ||
		*kafka.Environment["KAFKA_ADVERTISED_LISTENERS"] != "PLAINTEXT://"+c.Kafka.Brokers[0] {
		t.Errorf("members reach %v, Kafka is at %v", c.Kafka.Brokers, kafka.Environment)
	}
	if made := strings.Join(p.Services["topic"].Command, " "); !strings.Contains(made, "--topic "+c.Sources[0].Topics[0]) {
		t.Errorf("the source is %v, and what is made is %s", c.Sources[0].Topics, made)
	}
	text, err := os.ReadFile(filepath.Join(dir(t), "prometheus.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	scrape, err := prometheus.Load(string(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range scrape.ScrapeConfigs {
		if !strings.Contains(string(text), "member-0:9464, member-1:9464") || of.JobName != "unecho" {
			t.Errorf("%s is asked of others than the members", of.JobName)
		}
	}
	for _, name := range []string{"datasources/prometheus.yaml", "dashboards/unecho.yaml"} {
		var read map[string]any
		text, err := os.ReadFile(filepath.Join(dir(t), "grafana/provisioning", name))
		if err == nil {
			err = yaml.UnmarshalStrict(text, &read)
		}
		if err != nil || read["apiVersion"] != 1.0 {
			t.Errorf("%s is read as %v, error %v; want apiVersion 1", name, read, err)
		}
	}
}
