//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed" // for the two property files
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

//go:embed kafka.properties
var kafkaProperties string

//go:embed log4j2.properties
var log4jProperties []byte

// launchKafka starts a single KRaft node with a log of its own.
func launchKafka(ctx context.Context, s *servers) (booting, error) {
	java, err := findJava(ctx)
	if err != nil {
		return booting{}, err
	}
	jars, err := kafkaJars(ctx, s.cache, s.pom)
	if err != nil {
		return booting{}, err
	}
	dir := filepath.Join(s.dir, "kafka")
	addr, err := configureKafka(ctx, dir)
	if err != nil {
		return booting{}, err
	}
	jvm := []string{
		java, "-Xms256m", "-Xmx1g", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20", "-Djava.awt.headless=true",
		"-Dlog4j2.configurationFile=" + filepath.Join(dir, "log4j2.properties"), "-cp", filepath.Join(jars, "*"),
	}
	properties := filepath.Join(dir, "kafka.properties")
	format := append(jvm[1:len(jvm):len(jvm)], "kafka.tools.StorageTool", "format", "--standalone", "-t", clusterID(), "-c", properties)
	if out, err := exec.CommandContext(ctx, java, format...).CombinedOutput(); err != nil {
		return booting{}, fmt.Errorf("format kafka's storage: %w\n%s", err, out)
	}
	// SIGKILL: an orderly shutdown takes seconds and saves data that nobody wants.
	p, err := s.adopt(launch(ctx, "kafka", filepath.Join(dir, "kafka.log"), nil, syscall.SIGKILL, append(jvm, "kafka.Kafka", properties)...))
	ready := func(ctx context.Context) error { return kafkaAnswers(ctx, addr) }
	return booting{p, ready, kafkaVariable + "=" + addr}, err
}

// configureKafka writes the property files and says where the broker will listen.
func configureKafka(ctx context.Context, dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	port, err := freePort(ctx)
	if err != nil {
		return "", err
	}
	controller, err := freePort(ctx)
	if err != nil {
		return "", err
	}
	values := map[string]string{
		"port": strconv.Itoa(port), "controller": strconv.Itoa(controller), "dir": filepath.Join(dir, "data"),
	}
	text := os.Expand(kafkaProperties, func(name string) string { return values[name] })
	if err := os.WriteFile(filepath.Join(dir, "kafka.properties"), []byte(text), 0o644); err != nil {
		return "", err
	}
	return "127.0.0.1:" + strconv.Itoa(port), os.WriteFile(filepath.Join(dir, "log4j2.properties"), log4jProperties, 0o644)
}

// clusterID is 16 random bytes as Kafka writes them. The first is made printable: an id that began with a dash would be
// read as a flag.
func clusterID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails since Go 1.24
	id[0] = 'u'
	return base64.RawURLEncoding.EncodeToString(id[:])
}

// kafkaAnswers asks for the API versions and the brokers: a broker lists itself once the controller lets it serve.
func kafkaAnswers(ctx context.Context, addr string) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.RequestRetries(0))
	if err != nil {
		return err
	}
	defer client.Close()
	brokers, err := kadm.NewClient(client).ListBrokers(ctx)
	if err != nil {
		return err
	}
	if len(brokers) == 0 {
		return fmt.Errorf("no broker registered yet")
	}
	return nil
}

// kafkaJars returns the directory of Kafka's jars, which Maven fills once. A copy of the POM inside tells what filled it.
func kafkaJars(ctx context.Context, cache, pom string) (string, error) {
	want, err := os.ReadFile(pom)
	if err != nil {
		return "", err
	}
	jars, err := filepath.Abs(filepath.Join(cache, "kafka"))
	if err != nil {
		return "", err
	}
	if have, err := os.ReadFile(filepath.Join(jars, "pom.xml")); err == nil && bytes.Equal(have, want) {
		return jars, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(jars), "kafka-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh) // gone after the rename
	if err := fetchJars(ctx, fresh, pom); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(fresh, "pom.xml"), want, 0o644); err != nil {
		return "", err
	}
	if err := os.RemoveAll(jars); err != nil {
		return "", err
	}
	return jars, os.Rename(fresh, jars) // whole or not at all: an interrupted download leaves nothing to trust
}

func fetchJars(ctx context.Context, into, pom string) error {
	mvn, err := findMaven(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "fetching Kafka's jars with Maven")
	cmd := exec.CommandContext(ctx, mvn, "-B", "-q", "-f", pom, "dependency:copy-dependencies", "-DincludeScope=runtime", "-DoutputDirectory="+into)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("fetch kafka: %w\n%s", err, out)
	}
	return nil
}
