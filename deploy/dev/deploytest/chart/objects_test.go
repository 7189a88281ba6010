package chart

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/unecho/unecho/config"
)

// serviceMonitor is as much of Prometheus Operator's type as the chart uses.
type serviceMonitor struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Selector  metav1.LabelSelector `json:"selector"`
		Endpoints []struct {
			Port     string `json:"port"`
			Interval string `json:"interval"`
			Scheme   string `json:"scheme"`
			// As that of Prometheus' operator: what is in it is the user's.
			TLSConfig map[string]any `json:"tlsConfig"`
		} `json:"endpoints"`
	} `json:"spec"`
}

// prometheusRule is that of Prometheus Operator. TestAlertsUnit has promtool read the rules.
type prometheusRule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              map[string]any `json:"spec"`
}

// decode reads each document strictly as what it says it is, and returns the StatefulSet and the configuration.
func decode(t *testing.T, out string) (set appsv1.StatefulSet, file string) {
	t.Helper()
	for doc := range strings.SplitSeq(out, "---\n") {
		if strings.TrimSpace(doc) == "" {
			continue
		}
		var kind metav1.TypeMeta
		check(t, yaml.Unmarshal([]byte(doc), &kind))
		var m corev1.ConfigMap
		into := map[string]any{
			"v1/ConfigMap": &m, "apps/v1/StatefulSet": &set, "v1/Service": &corev1.Service{},
			"v1/ServiceAccount":                       &corev1.ServiceAccount{},
			"policy/v1/PodDisruptionBudget":           &policyv1.PodDisruptionBudget{},
			"networking.k8s.io/v1/NetworkPolicy":      &networkingv1.NetworkPolicy{},
			"monitoring.coreos.com/v1/ServiceMonitor": &serviceMonitor{},
			"monitoring.coreos.com/v1/PrometheusRule": &prometheusRule{},
		}[kind.APIVersion+"/"+kind.Kind]
		if into == nil {
			t.Errorf("nobody knows %s", kind)
			continue
		}
		if err := yaml.UnmarshalStrict([]byte(doc), into); err != nil {
			t.Errorf("decoding the chart's %s ends with %v", kind.Kind, err)
		}
		if text, is := m.Data["unecho.yaml"]; is {
			file = text
		}
	}
	return set, file
}

// A fifth value gives pods without a volume a store, to which the journal is trimmed.
func TestFiveValuesInstallWithABucket(t *testing.T) {
	t.Parallel()
	bucket := strings.Replace(few, "outputs: {unique: {topic: fresh}}", "snapshots: {s3: {bucket: unecho-snapshots}}", 1)
	for _, c := range []struct {
		replicas string
		want     *int32
		says     string
	}{
		{"1", new(int32(1)), "in 1 pod. Snapshots are kept in a bucket, and the journal is trimmed"},
		{"3", new(int32(3)), "in 3 pods. Snapshots"},
		{"null", nil, "in as many pods as its autoscaler wants. Snapshots"},
	} {
		values := bucket + "replicas: " + c.replicas + "\n"
		out, err := render(t, values)
		check(t, err)
		set, file := decode(t, out)
		if got := set.Spec.Replicas; !reflect.DeepEqual(got, c.want) || len(set.Spec.VolumeClaimTemplates) > 0 {
			t.Errorf("replicas: %s renders %v, with the volumes %v; want none", c.replicas, got, set.Spec.VolumeClaimTemplates)
		}
		if notes := notes(t, values); !strings.Contains(notes, c.says) || !strings.Contains(notes, "credentials of the bucket: env") {
			t.Errorf("replicas: %s: the notes do not say %q and that credentials are missing:\n%s", c.replicas, c.says, notes)
		}
		if kept := loaded(t, file, nil).Snapshot; kept.S3.Bucket != "unecho-snapshots" || kept.Directory.Path != "" {
			t.Errorf("snapshots are kept in %+v", kept)
		}
	}
}

// Pods with a bucket that is not of AWS: TestPodsWithABucket of cmd/unecho runs them.
func TestPodsWithKeysOfABucket(t *testing.T) {
	t.Parallel()
	const values = `
replicas: 3
env:
  - {name: AWS_ACCESS_KEY_ID, valueFrom: {secretKeyRef: {name: bucket, key: id}}}
  - {name: AWS_SECRET_ACCESS_KEY, valueFrom: {secretKeyRef: {name: bucket, key: secret}}}
`
	bucket := strings.Replace(few, "outputs: {unique: {topic: fresh}}",
		"snapshots: {s3: {bucket: unecho-snapshots, endpoint: 'http://minio:9000', region: us-east-1}}", 1) + values
	out, err := render(t, bucket)
	check(t, err)
	golden(t, "testdata/bucket.yaml", out)
	for given, missing := range map[string]bool{
		values: false, "env: [{name: AWS_REGION, value: x}]\n": true, "env: [{name: AWS_SHARED_CREDENTIALS_FILE, value: /f}]\n": false,
		"env: [{name: AWS_WEB_IDENTITY_TOKEN_FILE, value: /f}]\n": false, "serviceAccount: {create: true}\n": true,
		"serviceAccount: {create: true, annotations: {a: b}}\n": false, "serviceAccount: {name: cloud}\n": false,
	} {
		notes := notes(t, strings.Replace(bucket, values, given, 1))
		if strings.Contains(notes, "credentials of the bucket") != missing {
			t.Errorf("with %q credentials are missing: %t, and the notes say:\n%s", given, missing, notes)
		}
	}
}

// The pod that carries snapshots from a volume to a bucket has the volume of the one pod, and the file and the credentials of
// those to come. It may do no more than they. The script snapshot of cmd/unecho runs what its containers do.
func TestMove(t *testing.T) {
	t.Parallel()
	var pod corev1.Pod
	check(t, yaml.UnmarshalStrict([]byte(text(t, "deploy/move/pod.yaml")), &pod))
	out, err := render(t, few)
	check(t, err)
	set, file := decode(t, out)
	claim := set.Spec.VolumeClaimTemplates[0].Name + "-" + set.Name + "-0"
	volumes := pod.Spec.Volumes
	if volumes[0].PersistentVolumeClaim.ClaimName != claim || volumes[1].ConfigMap.Name != set.Spec.Template.Spec.Volumes[0].ConfigMap.Name {
		t.Errorf("it has the volumes %+v, want %s and the file of %s", volumes, claim, set.Name)
	}
	from, to, one := pod.Spec.InitContainers[0], pod.Spec.Containers[0], set.Spec.Template.Spec
	if c := loaded(t, file, nil); !slices.Contains(from.Args, c.Consumer.Group) || !slices.Contains(from.Args, c.Snapshot.Directory.Path) {
		t.Errorf("it exports by %v, want the group %s in %s", from.Args, c.Consumer.Group, c.Snapshot.Directory.Path)
	}
	for _, c := range []corev1.Container{from, to} {
		if c.Image != one.Containers[0].Image || !reflect.DeepEqual(c.SecurityContext, one.Containers[0].SecurityContext) {
			t.Errorf("%s has the image %s and may do %+v; want both of the pods", c.Name, c.Image, c.SecurityContext)
		}
		for _, arg := range c.Args {
			if strings.HasPrefix(arg, "/") && !slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool {
				return strings.HasPrefix(arg, m.MountPath) && slices.ContainsFunc(volumes, func(v corev1.Volume) bool { return v.Name == m.Name })
			}) {
				t.Errorf("%s has no volume for %s", c.Name, arg)
			}
		}
	}
	one.SecurityContext.FSGroupChangePolicy = nil
	if got := pod.Spec.SecurityContext; !reflect.DeepEqual(got, one.SecurityContext) {
		t.Errorf("it runs as %+v, want %+v as the pods do", got, one.SecurityContext)
	}
	bucket, _ := decode(t, text(t, "deploy/dev/deploytest/chart/testdata/bucket.yaml"))
	if want := bucket.Spec.Template.Spec.Containers[0].Env[1:]; !reflect.DeepEqual(to.Env, want) {
		t.Errorf("it imports with the variables %+v, want %+v as pods with a bucket", to.Env, want)
	}
}

// An account is the namespace's, one that is named, or one of the release.
func TestServiceAccount(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"{}": "default", "{name: cloud}": "cloud", "{create: true}": "news-unecho", "{create: true, name: cloud}": "cloud",
	} {
		out, err := render(t, few+"serviceAccount: "+given+"\n")
		check(t, err)
		set, _ := decode(t, out)
		made := strings.Contains(out, "kind: ServiceAccount\nmetadata:\n  name: "+want+"\n")
		if got := set.Spec.Template.Spec.ServiceAccountName; got != want || made != strings.Contains(given, "create") {
			t.Errorf("serviceAccount: %s: pods run as %s, made: %t; want %s", given, got, made, want)
		}
	}
}

// The chart brings the alerts and the dashboard as its files have them.
func TestChartBringsAlertsAndDashboard(t *testing.T) {
	t.Parallel()
	const values = all + "prometheusRule: {enabled: true, labels: {release: prometheus}}\ndashboard: {enabled: true}\n"
	out, err := render(t, values)
	check(t, err)
	if got := notes(t, values); strings.Contains(got, "alerts") || strings.Contains(got, "dashboard") {
		t.Errorf("the notes miss what is there:\n%s", got)
	}
	decode(t, out)
	var alerts map[string]any
	check(t, yaml.Unmarshal([]byte(text(t, "deploy/chart/files/alerts.yaml")), &alerts))
	rules, dashboards := 0, 0
	for doc := range strings.SplitSeq(out, "---\n") {
		var rule prometheusRule
		var m corev1.ConfigMap
		switch {
		case strings.Contains(doc, "kind: PrometheusRule"):
			rules++
			check(t, yaml.Unmarshal([]byte(doc), &rule))
			if rule.Labels["release"] != "prometheus" || !reflect.DeepEqual(rule.Spec, alerts) {
				t.Errorf("the PrometheusRule has the labels %v, or other rules than deploy/chart/files/alerts.yaml", rule.Labels)
			}
		case strings.Contains(doc, "-dashboard\n"):
			dashboards++
			check(t, yaml.Unmarshal([]byte(doc), &m))
			got, want := m.Data["unecho.json"], text(t, "deploy/chart/files/dashboard.json")
			if m.Labels["grafana_dashboard"] != "1" || strings.TrimSpace(got) != strings.TrimSpace(want) {
				t.Errorf("the dashboard has the labels %v, or is another than deploy/chart/files/dashboard.json", m.Labels)
			}
		}
	}
	if rules != 1 || dashboards != 1 {
		t.Errorf("%d PrometheusRules and %d dashboards", rules, dashboards)
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	check(t, err)
	return string(text)
}

// loaded is a configuration as the program takes it.
func loaded(t *testing.T, file string, environ []string) config.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "unecho.yaml")
	check(t, os.WriteFile(path, []byte(file), 0o600))
	c, err := config.Load(path, environ, nil)
	if err != nil {
		t.Fatalf("the chart's configuration is refused: %v\n%s", err, file)
	}
	return c
}
