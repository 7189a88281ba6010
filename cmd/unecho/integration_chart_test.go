package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/unecho/unecho/cmd/internal/inspect"
)

// object is as much of what the chart renders as a pod's process is told.
type object struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		Replicas int
		Template struct {
			Spec struct {
				Containers []struct {
					Args []string
					Env  []struct{ Name string }
				}
			}
		}
	}
}

// rendered are the StatefulSet and the ConfigMap of the chart for three pods and a bucket that is not of AWS.
func rendered(t *testing.T) (set, file object) {
	t.Helper()
	text, err := os.ReadFile("../../deploy/dev/deploytest/chart/testdata/bucket.yaml")
	check(t, err)
	for dec := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var o object
		err := dec.Decode(&o)
		if errors.Is(err, io.EOF) {
			return set, file
		}
		check(t, err)
		switch o.Kind {
		case "StatefulSet":
			set = o
		case "ConfigMap":
			file = o
		}
	}
}

// Pods with a bucket filter. All are killed at once, and each starts again on an empty disk from a snapshot. The journal
// is kept to what came since the second newest snapshot.
func TestPodsWithABucket(t *testing.T) {
	t.Parallel()
	store, s := serverOfS3(t), newScene(t, 6)
	check(t, os.Mkdir(filepath.Join(store.Path, s.name), 0o755))
	set, file := rendered(t)
	s.settles(file.Data["unecho.yaml"], "- kafka:9092\n", "- "+strings.Trim(s.brokers, "[]")+"\n", "group: news\n", "group: "+s.name+"\n",
		"- news\n", "- "+s.source+"\n", "bucket: unecho-snapshots\n", "bucket: "+s.name+"\n", "http://minio:9000\n", "http://"+store.Host+"\n",
		"listen: :9464\n", "listen: ''\n")
	container := set.Spec.Template.Spec.Containers[0]
	password, _ := store.User.Password()
	values := map[string]string{"AWS_ACCESS_KEY_ID": store.User.Username(), "AWS_SECRET_ACCESS_KEY": password}
	in := func(pod int, args ...string) *process {
		values["UNECHO_ADVANCED_MEMBER"] = set.Metadata.Name + "-" + strconv.Itoa(pod)
		environ := []string{"UNECHO_SNAPSHOTS_EVERY=1s"}
		for _, v := range container.Env {
			environ = append(environ, v.Name+"="+values[v.Name])
		}
		args = slices.Concat(environ, []string{"unecho"}, args)
		args[slices.Index(args, "/etc/unecho/unecho.yaml")] = s.file
		return startProgram(t, t.TempDir(), "env", args...)
	}
	run := func(i int) *process {
		p := in(i, container.Args...)
		s.all = append(s.all, p)
		return p
	}
	var pods []*process
	for i := range set.Spec.Replicas {
		pods = append(pods, run(i))
	}
	s.produce(3000, 1)
	s.settled()
	s.forgotten()
	for _, p := range pods {
		p.kill()
	}
	s.produce(1000, 2)
	began := time.Now()
	for i := range pods {
		pods[i] = run(i)
	}
	for _, p := range pods {
		p.says(`"message":"ready"`)
		if !p.restored() {
			t.Errorf("a pod is ready without a snapshot:\n%s", p.log)
		}
	}
	t.Logf("%d pods are ready %v after they were started on empty disks", len(pods), time.Since(began).Round(time.Millisecond))
	s.settled()
	s.forgotten()
	s.settled() // what that has sent
	var report inspect.AuditLine
	check(t, json.Unmarshal([]byte(in(0, "audit", "--config", "/etc/unecho/unecho.yaml", "--json").endsWell()), &report))
	if !report.OK || report.Records != s.total() || report.Absent != 0 {
		t.Errorf("%d documents were sent; the audit says %s", s.total(), report.String())
	}
	stopAll(t, patience, pods...)
}

// serverOfS3 is the address of one, with user, password, and the directory of its buckets.
func serverOfS3(t *testing.T) *url.URL {
	t.Helper()
	address := os.Getenv("UNECHO_TEST_S3")
	if address == "" {
		t.Skip("needs a server of S3: make test brings one")
	}
	store, err := url.Parse(address)
	check(t, err)
	return store
}

// settles writes the configuration that pods get, with this test's names: pairs of what stands there and what takes its
// place.
func (s *scene) settles(text string, names ...string) {
	s.t.Helper()
	for i := 0; i < len(names); i += 2 {
		if strings.Count(text, names[i]) != 1 {
			s.t.Fatalf("%q does not stand once in\n%s", names[i], text)
		}
	}
	check(s.t, os.WriteFile(s.file, []byte(strings.NewReplacer(names...).Replace(text)), 0o600))
}

// forgotten waits until the journal keeps nothing of what it holds now. A few documents come, because no snapshot is
// taken where nothing has come since the last one.
func (s *scene) forgotten() {
	s.t.Helper()
	_, held := s.journal(s.bounded())
	seed := uint64(1000)
	s.until("the journal is trimmed", func(ctx context.Context) bool {
		seed++
		s.produce(1, seed)
		start, _ := s.journal(ctx)
		return start >= held
	})
}
