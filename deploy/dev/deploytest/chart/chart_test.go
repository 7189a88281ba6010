// Package chart renders the Helm chart, without a cluster and without the network, and holds what comes out against
// the types of Kubernetes and the program's own check of its configuration.
package chart

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/strvals"
	"sigs.k8s.io/yaml"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index/snapshot"
)

const root = "../../../.."

var update = flag.Bool("update", false, "write the golden files, the schema of the values and deploy/manifests")

// The four values with which it is installed, and the name of an output.
const few = `
image: {repository: registry.example.com/unecho, tag: v1.0.0}
config:
  kafka: {brokers: [kafka:9092]}
  sources: [{topics: [news]}]
  outputs: {unique: {topic: fresh}}
`

const all = `
image: {repository: registry.example.com/unecho, tag: v1.0.0}
replicas: 3
config:
  kafka: {brokers: [kafka:9092], sasl: {mechanism: SCRAM-SHA-512, username: unecho}, tls: {enabled: true, ca_file: /etc/unecho-secrets/kafka-ca/ca.pem}}
  sources: [{topics: [news, mail]}]
  duplicates: {remember: {memory: 4GiB}}
  http: {show_text: true, tls: {cert_file: /etc/unecho-secrets/unecho-tls/tls.crt, key_file: /etc/unecho-secrets/unecho-tls/tls.key}}
secrets:
  - {setting: kafka.sasl.password, secret: kafka, key: password}
  - {setting: snapshots.postgres.url, secret: db, key: url}
secretFiles: [kafka-ca, unecho-tls]
args: [--pprof]
env: [{name: OTEL_EXPORTER_OTLP_ENDPOINT, value: "http://otel:4318"}]
networkPolicy: {from: [{namespaceSelector: {matchLabels: {name: monitoring}}}]}
serviceMonitor: {enabled: true, labels: {release: prometheus}, tlsConfig: {ca: {secret: {name: unecho-tls, key: ca.crt}}}}
imagePullSecrets: [{name: registry}]
serviceAccount: {create: true, annotations: {eks.amazonaws.com/role-arn: "arn:aws:iam::1:role/unecho"}}
volumes: [{name: schemas, configMap: {name: schemas}}]
volumeMounts: [{name: schemas, mountPath: /etc/schemas, readOnly: true}]
affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: topology.kubernetes.io/zone}]}}
nodeSelector: {disk: ssd}
tolerations: [{key: dedicated, operator: Exists}]
podAnnotations: {team: search}
`

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// files returns the chart's files with some values, and the error that helm template would show.
func files(t *testing.T, values string) (map[string]string, error) {
	t.Helper()
	c, err := loader.Load(filepath.Join(root, "deploy/chart"))
	check(t, err)
	given, err := chartutil.ReadValues([]byte(values))
	check(t, err)
	merged, err := chartutil.ToRenderValues(c, given,
		chartutil.ReleaseOptions{Name: "news", Namespace: "default", IsInstall: true}, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Render(c, merged)
}

// render returns what is installed with some values.
func render(t *testing.T, values string) (string, error) {
	t.Helper()
	files, err := files(t, values)
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for doc := range strings.SplitSeq(files[name], "\n---\n") {
			if doc = strings.TrimSpace(doc); doc != "" && strings.HasSuffix(name, ".yaml") {
				fmt.Fprintf(&out, "---\n%s\n", doc)
			}
		}
	}
	return out.String(), err
}

// notes is what Helm prints after it has installed some values.
func notes(t *testing.T, values string) string {
	t.Helper()
	files, err := files(t, values)
	check(t, err)
	return files["unecho/templates/NOTES.txt"]
}

// golden compares a file with what it should be, or writes it.
func golden(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		check(t, os.MkdirAll(filepath.Dir(path), 0o750))
		check(t, os.WriteFile(path, []byte(want), 0o600))
	}
	got, err := os.ReadFile(path)
	check(t, err)
	if string(got) != want {
		t.Errorf("%s is not what the chart gives now; go test ./chart -update writes it. It differs in line %s", path,
			differs(string(got), want))
	}
}

// differs says where two texts do first: the line's number, and what each has there.
func differs(got, want string) string {
	lines, others := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(lines), len(others)) {
		if lines[i] != others[i] {
			return fmt.Sprintf("%d:\n- %s\n+ %s", i+1, lines[i], others[i])
		}
	}
	return fmt.Sprintf("%d, where one ends", min(len(lines), len(others))+1)
}

func TestChartRenders(t *testing.T) {
	t.Parallel()
	for name, values := range map[string]string{"few": few, "all": all} {
		out, err := render(t, values)
		check(t, err)
		golden(t, "testdata/"+name+".yaml", out)
		decode(t, out)
		golden(t, "testdata/"+name+".notes.txt", notes(t, values))
	}
}

// No image is published, so the chart names none of its own: it asks where the image is.
func TestImageIsAskedFor(t *testing.T) {
	t.Parallel()
	const given = "image: {repository: registry.example.com/unecho, "
	_, err := render(t, strings.Replace(few, given, "image: {", 1))
	if err == nil || !strings.Contains(err.Error(), "image.repository: where is the image?") {
		t.Errorf("without image.repository, the chart ends with %v; want the question where the image is", err)
	}
}

// The plain manifests are the chart with its four values.
func TestManifests(t *testing.T) {
	t.Parallel()
	out, err := render(t, strings.Replace(few, "outputs: {unique: {topic: fresh}}", "group: news-filter", 1))
	check(t, err)
	const said = "# The chart with its four values, for kubectl apply. Put in your broker, topic and image: none is published, and\n" +
		"# make image builds it. Written by: go test ./chart -update, in deploy/dev/deploytest.\n"
	golden(t, filepath.Join(root, "deploy/manifests/unecho.yaml"),
		said+strings.ReplaceAll(out, "app.kubernetes.io/managed-by: Helm", "app.kubernetes.io/managed-by: kubectl"))
}

// The command with which the page installs the chart gives four values, and they are enough.
func TestFourValuesInstall(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "deploy/docs/deployment.md"))
	check(t, err)
	_, command, _ := strings.Cut(string(page), "helm install news deploy/chart")
	command, _, _ = strings.Cut(command, "```")
	given := map[string]any{}
	command += "--set config.duplicates.threshold=1.0 --set config.duplicates.recall=0.9 " // Helm makes texts of them
	sets := regexp.MustCompile(`--set '?([^' \n]+)'?`).FindAllStringSubmatch(command, -1)
	for _, set := range sets {
		check(t, strvals.ParseInto(set[1], given))
	}
	if len(sets) != 6 {
		t.Errorf("%d values, two of them not of the page: %v", len(sets), sets)
	}
	values, err := yaml.Marshal(given)
	check(t, err)
	out, err := render(t, string(values))
	check(t, err)
	set, file := decode(t, out)
	if image := set.Spec.Template.Spec.Containers[0].Image; !strings.HasSuffix(image, ":v1.0.0") {
		t.Errorf("the pods run %s", image)
	}
	c := loaded(t, file, nil)
	if c.Snapshot.Directory.For != snapshot.ByOne {
		t.Errorf("one pod keeps its snapshots for %s", c.Snapshot.Directory.For)
	}
	if c.Judge.Duplicates.Threshold != 1 {
		t.Errorf("the threshold is %v, want that of --set", c.Judge.Duplicates.Threshold)
	}
	if c.Consumer.Group != "news" {
		t.Errorf("the group of the release news is called %q", c.Consumer.Group)
	}
	failed := 3 * time.Duration(set.Spec.Template.Spec.Containers[0].ReadinessProbe.PeriodSeconds) * time.Second
	if ready := time.Duration(set.Spec.MinReadySeconds) * time.Second; ready <= c.Consumer.TransactionTimeout+failed {
		t.Errorf("a pod is available after %v, before outputs that hang have made it unready: %v, and three probes in %v", ready,
			c.Consumer.TransactionTimeout, failed)
	}
}

// The program takes the configuration that pods get, with the variables that they get.
func TestChartConfigures(t *testing.T) {
	t.Parallel()
	for _, values := range []string{few, all} {
		out, err := render(t, values)
		check(t, err)
		set, file := decode(t, out)
		var environ []string
		for _, v := range set.Spec.Template.Spec.Containers[0].Env {
			value := "postgres://unecho@db/unecho"
			if v.Name == "UNECHO_ADVANCED_MEMBER" {
				value = "news-unecho-0"
			}
			environ = append(environ, v.Name+"="+value)
		}
		c := loaded(t, file, environ)
		if c.HTTP.Listen != ":9464" || c.Consumer.Member != "news-unecho-0" {
			t.Errorf("it listens on %q and is called %q", c.HTTP.Listen, c.Consumer.Member)
		}
	}
}

// Several pods with a volume each take a word that their journal is never trimmed.
func TestChartOfMembersWithTheirOwn(t *testing.T) {
	t.Parallel()
	const values = few + "  snapshots: {directory: {for: member}}\nreplicas: 3\n"
	out, err := render(t, values)
	check(t, err)
	if notes := notes(t, values); !strings.Contains(notes, "in 3 pods") || !strings.Contains(notes, "the journal is NEVER TRIMMED") ||
		strings.Contains(notes, "deploy/move") {
		t.Errorf("the notes do not warn, or send to deploy/move, which is for one pod:\n%s", notes)
	}
	if set, file := decode(t, out); *set.Spec.Replicas != 3 || !strings.Contains(file, "for: member") {
		t.Errorf("%d pods with\n%s", *set.Spec.Replicas, file)
	}
}

// Memory is what a member says that it may take: TestMemoryOfChart of cmd/internal/memory has the same figures.
func TestChartMemory(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ section, want string }{
		{"duplicates: {remember: {memory: 1GiB}}", "1588Mi"},
		{"duplicates: {remember: {memory: 4 gib}}", "4813Mi"},
		{"duplicates: {remember: {memory: 2TiB}}", "2202522Mi"},
		{"duplicates: {remember: {memory: 100MiB}}", "617Mi"},
		{"duplicates: {remember: {memory: 1048576}}", "514Mi"},
		{"duplicates: {remember: {memory: 2GB}}", "2516Mi"},
		{"duplicates: {remember: {memory: 2g}}", "2516Mi"},
		{"duplicates: {remember: {memory: 2Gi}}", "2663Mi"},
		{"advanced: {sessions: 1}", "1588Mi"},
		{"advanced: {sessions: 4}", "1908Mi"},
		{"advanced: {max_document_bytes: 8MiB}", "1588Mi"},
		{"advanced: {max_document_bytes: 16MiB}", "1780Mi"},
		{"advanced: {max_document_bytes: 64MiB, sessions: 8}", "9460Mi"},
		{"duplicates:\n  advanced:\n  http:\n  snapshots:", "1588Mi"}, // nothing below them
		{"duplicates: {remember: }\n  http: {tls: }\n  snapshots: {directory: }", "1588Mi"},
	} {
		out, err := render(t, few+"  "+c.section+"\n")
		check(t, err)
		set, _ := decode(t, out)
		if got := set.Spec.Template.Spec.Containers[0].Resources.Limits.Memory().String(); got != c.want {
			t.Errorf("%s gives %s, want %s", c.section, got, c.want)
		}
	}
}

// What cannot work is refused before anything is installed, and the message says what to do.
func TestChartRefuses(t *testing.T) {
	t.Parallel()
	for values, want := range map[string]string{
		"": "config.kafka.brokers",
		strings.Replace(few, "{brokers: [kafka:9092]}", "", 1):                    "config.kafka.brokers",
		strings.Replace(few, "topics: [news]", "topic: news", 1):                  "topic",
		few + "  duplicates: {remember: {memory: 0}}\n":                           "set resources.memory",
		few + "  duplicates: {remember: {memory: '${BYTES}'}}\n":                  "set resources.memory",
		few + "  advanced: {max_document_bytes: '${BYTES}'}\n":                    "set resources.memory",
		few + "  duplicates: {remember: {directory: /window}}\n":                  "depends on the documents: set resources.memory",
		few + "  duplicates: {treshold: 0.9}\n":                                   "treshold",
		few + "  duplicates: {threshold: 7}\n":                                    "at '/config/duplicates/threshold': maximum: got 7, want 1",
		few + "  duplicates: {threshold: '7.5'}\n":                                "/config/duplicates/threshold",
		few + "  advanced: {sessions: many}\n":                                    "sessions",
		few + "replica: 3\n":                                                      "replica",
		few + "replicas: 3\n":                                                     "config.snapshots.s3.bucket",
		few + "replicas: null\n":                                                  "config.snapshots.s3.bucket",
		few + "  snapshots: {directory: {for: all}}\n":                            "a volume of its own",
		strings.Replace(few, "brokers: [kafka:9092]", "sasl: {password: abc}", 1): "password",
	} {
		if _, err := render(t, values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q should be refused for %q: %v", values, want, err)
		}
	}
}

// The schema of the values has that of the configuration in it, without its secrets.
func TestChartSchema(t *testing.T) {
	t.Parallel()
	var schema map[string]any
	check(t, json.Unmarshal([]byte(config.Schema()), &schema))
	delete(schema, "$schema")
	secretless(schema)
	frame, err := os.ReadFile("testdata/values.schema.frame.json")
	check(t, err)
	var values map[string]any
	check(t, json.Unmarshal(frame, &values))
	values["properties"].(map[string]any)["config"] = schema
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	check(t, enc.Encode(values))
	golden(t, filepath.Join(root, "deploy/chart/values.schema.json"), out.String())
}

// secretless takes out what values must not hold: a setting for which there is a file, too, is a secret.
func secretless(schema map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		if _, secret := properties[name+"_file"]; secret {
			delete(properties, name)
			continue
		}
		if sub, ok := property.(map[string]any); ok {
			secretless(sub)
		}
	}
}
