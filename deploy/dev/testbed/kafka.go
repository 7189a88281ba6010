//go:build unix

package testbed

import (
	"context"
	"crypto/rand"
	_ "embed" // for the two property files
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"
)

//go:embed kafka.properties
var kafkaProperties string

//go:embed log4j2.properties
var log4jProperties []byte

// Kafka is a cluster of brokers, each its own controller too.
type Kafka struct {
	Brokers   []*Server
	Address   string // addresses of all brokers, joined by commas
	Classpath string // of Kafka's tools
}

// Advertise takes a broker's address and returns the one that clients are to use instead, of a proxy for example.
type Advertise func(broker int, address string) (string, error)

// node is the layout of one broker in a cluster.
type node struct {
	id                     int
	port, front, advertise int // of the broker itself, of its second listener, and of what stands before that
	controller             int
	directory              string // the id of its storage
}

// NewKafka makes the files of a cluster of n brokers. The caller starts them, at the same time. Topics have all brokers
// as replicas, and two of three are enough to write. With advertise there is a second listener, which sends clients to
// the address returned for each broker.
func NewKafka(ctx context.Context, at Files, n int, advertise Advertise) (*Kafka, error) {
	java, err := findJava(ctx)
	if err != nil {
		return nil, err
	}
	jars, err := Jars(ctx, at.Cache, "kafka", at.POM)
	if err != nil {
		return nil, err
	}
	nodes, err := layOut(ctx, n, advertise)
	if err != nil {
		return nil, err
	}
	k, cluster := &Kafka{Classpath: filepath.Join(jars, "*")}, clusterID()
	group, inner := errgroup.WithContext(ctx)
	for _, node := range nodes {
		s, format, err := node.server(at, nodes, java, jars, cluster)
		if err != nil {
			return nil, err
		}
		group.Go(func() error {
			if out, err := exec.CommandContext(inner, format[0], format[1:]...).CombinedOutput(); err != nil {
				return fmt.Errorf("format kafka's storage: %w\n%s", err, out)
			}
			return nil
		})
		k.Brokers = append(k.Brokers, s)
	}
	k.Address = addresses(nodes, func(n node) int { return n.port })
	return k, group.Wait()
}

// layOut finds ports and asks which addresses are advertised.
func layOut(ctx context.Context, n int, advertise Advertise) ([]node, error) {
	ports, err := freePorts(ctx, 3*n)
	if err != nil {
		return nil, err
	}
	nodes := make([]node, n)
	for i := range nodes {
		nodes[i] = node{id: i + 1, port: ports[3*i], controller: ports[3*i+1], directory: clusterID()}
		if advertise == nil {
			continue
		}
		nodes[i].front = ports[3*i+2]
		to, err := advertise(i, local(nodes[i].front))
		if err != nil {
			return nil, err
		}
		if _, err := fmt.Sscanf(to, "127.0.0.1:%d", &nodes[i].advertise); err != nil {
			return nil, fmt.Errorf("advertise %s: %w", to, err)
		}
	}
	return nodes, nil
}

func local(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }

func addresses(nodes []node, port func(node) int) string {
	all := make([]string, len(nodes))
	for i, n := range nodes {
		all[i] = local(port(n))
	}
	return strings.Join(all, ",")
}

// server writes a broker's files. It returns the broker and the command that formats its storage.
func (n node) server(at Files, nodes []node, java, jars, cluster string) (s *Server, format []string, err error) {
	name := "kafka"
	if len(nodes) > 1 {
		name += "-" + strconv.Itoa(n.id)
	}
	dir := filepath.Join(at.Dir, name)
	if err := n.configure(dir, nodes, at.Properties); err != nil {
		return nil, nil, err
	}
	heap := "-Xmx1g"
	if len(nodes) > 1 {
		heap = "-Xmx512m"
	}
	brief := []string{"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"} // what is compiled well pays only after minutes
	jvm := []string{
		java, "-Xms256m", heap, "-Djava.awt.headless=true",
		"-Dlog4j2.configurationFile=" + filepath.Join(dir, "log4j2.properties"), "-cp", filepath.Join(jars, "*"),
	}
	broker := append(slices.Clone(jvm), "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20")
	if at.Brief {
		broker = append(slices.Clone(jvm), brief...)
	}
	properties := filepath.Join(dir, "kafka.properties")
	voters := []string{"--standalone"}
	if len(nodes) > 1 {
		voters = []string{"--initial-controllers", quorum(nodes)}
	}
	format = append(slices.Concat(jvm, brief,
		[]string{"kafka.tools.StorageTool", "format", "-t", cluster, "-c", properties}), voters...)
	return &Server{
		Name: name, Log: filepath.Join(dir, "kafka.log"),
		stopSignal: syscall.SIGKILL, // an orderly shutdown takes seconds and saves data that nobody wants
		args:       append(broker, "kafka.Kafka", properties),
		ready:      func(ctx context.Context) error { return kafkaAnswers(ctx, n) },
	}, format, nil
}

// quorum names the first controllers in the form that Kafka's storage tool takes.
func quorum(nodes []node) string {
	all := make([]string, len(nodes))
	for i, n := range nodes {
		all[i] = fmt.Sprintf("%d@%s:%s", n.id, local(n.controller), n.directory)
	}
	return strings.Join(all, ",")
}

// configure writes the property files.
func (n node) configure(dir string, nodes []node, more string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	listen, front := fmt.Sprintf("PLAINTEXT://%s,CONTROLLER://%s", local(n.port), local(n.controller)), ""
	advertised := listen
	if n.front > 0 {
		front = ",FRONT://"
		advertised += front + local(n.advertise)
		listen += front + local(n.front)
	}
	values := map[string]string{
		"id": strconv.Itoa(n.id), "listeners": listen, "advertised": advertised, "dir": filepath.Join(dir, "data"),
		"controllers": addresses(nodes, func(n node) int { return n.controller }),
		"replicas":    strconv.Itoa(len(nodes)), "insync": strconv.Itoa(len(nodes)/2 + 1),
	}
	text := os.Expand(kafkaProperties+"\n"+more, func(name string) string { return values[name] })
	if err := os.WriteFile(filepath.Join(dir, "kafka.properties"), []byte(text), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "log4j2.properties"), log4jProperties, 0o644)
}

// clusterID returns 16 random bytes in Kafka's form. The first byte is fixed, because an id that begins with a dash
// would be read as a flag.
func clusterID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails since Go 1.24
	id[0] = 'u'
	return base64.RawURLEncoding.EncodeToString(id[:])
}

// kafkaAnswers asks a broker for all brokers: a broker lists itself once the controller lets it serve.
func kafkaAnswers(ctx context.Context, n node) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(local(n.port)), kgo.RequestRetries(0))
	if err != nil {
		return err
	}
	defer client.Close()
	brokers, err := kadm.NewClient(client).ListBrokers(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(brokers, func(b kadm.BrokerDetail) bool { return int(b.NodeID) == n.id }) {
		return fmt.Errorf("broker %d is not registered yet", n.id)
	}
	return nil
}
