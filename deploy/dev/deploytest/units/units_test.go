// Package units holds the unit of systemd and the example for KEDA true.
package units

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/unecho/unecho/deploy/dev/deploytest"
)

// mostExposed is the bound of systemd's own measure of what a service may do, in tenths: 0 is nothing, 100 everything.
const mostExposed = "15"

// TestUnit: systemd understands each line of the unit, and holds it for well fenced in.
func TestUnit(t *testing.T) {
	t.Parallel()
	analyze := deploytest.SystemdAnalyze(t)
	text, err := os.ReadFile(filepath.Join(deploytest.Root(t), "deploy/systemd/unecho.service"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "unecho")                                       // systemd looks for the program
	if err := os.WriteFile(program, []byte("#!/bin/true\n"), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	run := func(unit string, args ...string) (string, error) {
		t.Helper()
		file := filepath.Join(dir, "unecho.service")
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(unit, "/usr/bin/unecho", program)), 0o600); err != nil {
			t.Fatal(err)
		}
		said, err := exec.CommandContext(t.Context(), analyze, append(args, file)...).CombinedOutput()
		return string(said), err
	}
	secure := []string{"security", "--offline=true", "--no-pager", "--threshold=" + mostExposed}
	if said, err := run(string(text), "verify", "--man=no"); err != nil || strings.Contains(said, "unecho.service") {
		t.Errorf("verify: %v\n%s", err, said)
	}
	if said, err := run(string(text), secure...); err != nil {
		t.Errorf("security: %v\n%s", err, said)
	}
	// The measures can fail.
	if said, _ := run(string(text)+"\n[Service]\nProtectHoem=yes\n", "verify", "--man=no"); !strings.Contains(said, "ProtectHoem") {
		t.Errorf("a word that systemd does not know is not noticed:\n%s", said)
	}
	if _, err := run(strings.ReplaceAll(string(text), "SystemCallFilter=", "#"), secure...); err == nil {
		t.Error("a unit without a filter of system calls is held for well fenced in")
	}
}

// scaledObject is what the example uses of keda.sh/v1alpha1, by https://keda.sh/docs/latest/reference/scaledobject-spec. KEDA's own types
// bring several hundred modules.
type scaledObject struct {
	v1.TypeMeta   `json:",inline"`
	v1.ObjectMeta `json:"metadata"`
	Spec          struct {
		ScaleTargetRef struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
			Name       string `json:"name"`
		} `json:"scaleTargetRef"`
		MinReplicaCount int `json:"minReplicaCount"`
		MaxReplicaCount int `json:"maxReplicaCount"`
		PollingInterval int `json:"pollingInterval"`
		CooldownPeriod  int `json:"cooldownPeriod"`
		Advanced        struct {
			HorizontalPodAutoscalerConfig struct {
				Behavior autoscaling.HorizontalPodAutoscalerBehavior `json:"behavior"`
			} `json:"horizontalPodAutoscalerConfig"`
		} `json:"advanced"`
		Triggers []struct {
			Type     string            `json:"type"`
			Metadata map[string]string `json:"metadata"`
		} `json:"triggers"`
	} `json:"spec"`
}

// TestKEDA: the example has no field that KEDA does not know, and scales what the chart makes, by the lag of its group.
func TestKEDA(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(deploytest.Root(t), "deploy/keda/scaledobject.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var o scaledObject
	if err := yaml.UnmarshalStrict(text, &o); err != nil {
		t.Fatal(err)
	}
	manifests, err := os.ReadFile(filepath.Join(deploytest.Root(t), "deploy/manifests/unecho.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var set appsv1.StatefulSet
	for part := range strings.SplitSeq(string(manifests), "\n---\n") {
		if strings.Contains(part, "kind: StatefulSet") {
			if err := yaml.Unmarshal([]byte(part), &set); err != nil {
				t.Fatal(err)
			}
		}
	}
	if to := o.Spec.ScaleTargetRef; to.Kind != set.Kind || to.APIVersion != set.APIVersion || to.Name != set.Name {
		t.Errorf("it scales %+v, the chart makes %s %s %s", to, set.APIVersion, set.Kind, set.Name)
	}
	known := map[string]bool{ // by https://keda.sh/docs/latest/scalers/apache-kafka
		"bootstrapServers": true, "consumerGroup": true, "topic": true, "lagThreshold": true, "offsetResetPolicy": true, "allowIdleConsumers": true,
		"excludePersistentLag": true,
	}
	for _, trigger := range o.Spec.Triggers {
		for key := range trigger.Metadata {
			if !known[key] {
				t.Errorf("the scaler knows no %s", key)
			}
		}
		if trigger.Type != "kafka" || trigger.Metadata["consumerGroup"] != "unecho" || trigger.Metadata["lagThreshold"] == "" {
			t.Errorf("it scales by %+v", trigger)
		}
	}
	if len(o.Spec.Triggers) != 1 || o.Spec.MinReplicaCount < 1 || o.Spec.MaxReplicaCount <= o.Spec.MinReplicaCount {
		t.Errorf("%+v", o.Spec)
	}
}
