package chart

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// scaledObject is as much of KEDA's type of that name (v2.21.0) as the example uses. KEDA's own package of types
// brings its webhooks and controller along.
type scaledObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ScaleTargetRef struct {
			Name       string `json:"name"`
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
		} `json:"scaleTargetRef"`
		PollingInterval int32 `json:"pollingInterval"`
		MinReplicaCount int32 `json:"minReplicaCount"`
		MaxReplicaCount int32 `json:"maxReplicaCount"`
		Advanced        struct {
			HorizontalPodAutoscalerConfig struct {
				Behavior autoscalingv2.HorizontalPodAutoscalerBehavior `json:"behavior"`
			} `json:"horizontalPodAutoscalerConfig"`
		} `json:"advanced"`
		Fallback struct {
			FailureThreshold int32  `json:"failureThreshold"`
			Replicas         int32  `json:"replicas"`
			Behavior         string `json:"behavior"`
		} `json:"fallback"`
		Triggers []struct {
			Type     string            `json:"type"`
			Metadata map[string]string `json:"metadata"`
		} `json:"triggers"`
	} `json:"spec"`
}

// The example for KEDA scales what the chart installs as the release news, by the lag of its group.
func TestKEDAScalesTheRelease(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "deploy/keda/scaledobject.yaml"))
	check(t, err)
	var o scaledObject
	check(t, yaml.UnmarshalStrict(text, &o))
	out, err := render(t, few)
	check(t, err)
	set, file := decode(t, out)
	target := o.Spec.ScaleTargetRef
	if o.APIVersion != "keda.sh/v1alpha1" || o.Kind != "ScaledObject" || target.Name != set.Name ||
		target.Kind != set.Kind || target.APIVersion != set.APIVersion {
		t.Errorf("%s %s scales %v, and the chart has %s %s", o.APIVersion, o.Kind, target, set.Kind, set.Name)
	}
	if o.Spec.MinReplicaCount < 1 || o.Spec.MaxReplicaCount < *set.Spec.Replicas {
		t.Errorf("from %d to %d members, where the chart has %d", o.Spec.MinReplicaCount, o.Spec.MaxReplicaCount,
			*set.Spec.Replicas)
	}
	var c struct {
		Kafka   struct{ Brokers []string }
		Sources []struct{ Topics []string }
		Group   string
	}
	check(t, yaml.Unmarshal([]byte(file), &c))
	for _, trigger := range o.Spec.Triggers {
		m := trigger.Metadata
		if trigger.Type != "apache-kafka" || m["consumerGroup"] != c.Group || m["topic"] != c.Sources[0].Topics[0] ||
			m["bootstrapServers"] != c.Kafka.Brokers[0] {
			t.Errorf("it looks at %s %v, and the chart has %+v", trigger.Type, m, c)
		}
		if n, err := strconv.Atoi(m["lagThreshold"]); err != nil || n < 1 {
			t.Errorf("the lag %q is no number of documents", m["lagThreshold"])
		}
		for name := range m {
			if !slices.Contains([]string{"bootstrapServers", "consumerGroup", "topic", "lagThreshold", "offsetResetPolicy"}, name) {
				t.Errorf("KEDA's scaler is not known to take %s", name)
			}
		}
	}
	if len(o.Spec.Triggers) != 1 {
		t.Errorf("%d triggers", len(o.Spec.Triggers))
	}
}
