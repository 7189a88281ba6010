//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/consumer/certificate/certificatetest"
	"github.com/unecho/unecho/deploy/dev/proxy"
	"github.com/unecho/unecho/deploy/dev/testbed"
)

// secured is a Kafka of our own whose second listener speaks TLS and asks for certificates. Members reach it through a
// proxy, and the test by the first listener.
type secured struct {
	*scene
	dir   string // of the files of both sides
	front *proxy.Proxy
	files int // of the broker: each has a name of its own
}

// newSecured starts Kafka with certificates of an authority.
func newSecured(t *testing.T, by *certificatetest.Authority, partitions int32) *secured {
	t.Helper()
	jars := os.Getenv("UNECHO_TEST_KAFKA_CLASSPATH")
	if jars == "" {
		t.Skip("needs Kafka's jars: set UNECHO_TEST_KAFKA_CLASSPATH, or run make test")
	}
	runtime.LockOSThread() // the broker ends with the thread that started it
	k := &secured{dir: t.TempDir()}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	kafka, err := testbed.NewKafka(ctx, testbed.Files{
		Dir: t.TempDir(), Cache: filepath.Dir(filepath.Dir(jars)), POM: "../../deploy/dev/pom.xml", Brief: true,
		Properties: "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,FRONT:SSL\n" +
			"listener.name.front.ssl.client.auth=required\n" +
			"listener.name.front.ssl.keystore.type=PEM\nlistener.name.front.ssl.truststore.type=PEM\n" +
			"listener.name.front.ssl.keystore.location=" + k.keystore(t, by) + "\n" +
			"listener.name.front.ssl.truststore.location=" + k.bundle(t, by) + "\n",
	}, 1, func(_ int, address string) (string, error) {
		k.front = proxyTo(t, address)
		return k.front.Address(), nil
	})
	check(t, err)
	check(t, kafka.Brokers[0].Start(t.Context()))
	t.Cleanup(kafka.Brokers[0].Stop)
	check(t, kafka.Brokers[0].Await(ctx))
	k.scene = newSceneAt(t, partitions, kafka.Address)
	k.brokers = fmt.Sprintf("[%s], tls: {enabled: true, ca_file: %s, cert_file: %s, key_file: %s}", k.front.Address(),
		k.path("ca.pem"), k.path("client.pem"), k.path("client.key"))
	return k
}

func (k *secured) path(name string) string { return filepath.Join(k.dir, name) }

// keystore makes a file with a certificate of the broker and its key.
func (k *secured) keystore(t *testing.T, by *certificatetest.Authority) string {
	t.Helper()
	by.Sign("server", certificatetest.OfServer())
	return k.file(t, by.Path("server.key"), by.Path("server.pem"))
}

// bundle makes a file of the broker with the certificates of authorities.
func (k *secured) bundle(t *testing.T, of ...*certificatetest.Authority) string {
	t.Helper()
	return k.file(t, pathsOf(of)...)
}

func (k *secured) file(t *testing.T, of ...string) string {
	t.Helper()
	k.files++
	path := k.path(fmt.Sprintf("broker-%d.pem", k.files))
	certificatetest.Put(t, path, joined(t, of...))
	return path
}

func pathsOf(all []*certificatetest.Authority) (paths []string) {
	for _, a := range all {
		paths = append(paths, a.Path("ca.pem"))
	}
	return paths
}

func joined(t *testing.T, paths ...string) (text []byte) {
	t.Helper()
	for _, path := range paths {
		part, err := os.ReadFile(path)
		check(t, err)
		text = append(text, part...)
	}
	return text
}

// trusts gives the members another bundle of authorities.
func (k *secured) trusts(all ...*certificatetest.Authority) {
	k.t.Helper()
	certificatetest.Put(k.t, k.path("ca.pem"), joined(k.t, pathsOf(all)...))
}

// shows gives the members another certificate, which ends after that time.
func (k *secured) shows(by *certificatetest.Authority, life time.Duration) {
	k.t.Helper()
	of := certificatetest.OfClient()
	of.NotBefore, of.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(life)
	by.Sign("client", of)
	for _, name := range []string{"client.pem", "client.key"} {
		certificatetest.Put(k.t, k.path(name), joined(k.t, by.Path(name)))
	}
}

// alter changes a setting of the broker's listener while it runs.
func (k *secured) alter(store, path string) {
	k.t.Helper()
	name := "listener.name.front.ssl." + store + ".location"
	answers, err := k.admin.AlterBrokerConfigs(k.bounded(), []kadm.AlterConfig{{Name: name, Value: &path}}, 1)
	check(k.t, err)
	for _, a := range answers {
		check(k.t, a.Err)
	}
	k.until("the broker has "+name, func(ctx context.Context) bool {
		described, err := k.admin.DescribeBrokerConfigs(ctx, 1)
		check(k.t, err)
		of, err := described.On("1", nil)
		check(k.t, err)
		return slices.ContainsFunc(of.Configs, func(c kadm.Config) bool { return c.Key == name && c.MaybeValue() == path })
	})
}

// goOn breaks all connections, so that new ones are made by the files of now, and waits until more documents came out.
func (k *secured) goOn(what string) {
	k.t.Helper()
	k.front.Break()
	sum, _ := k.committed(k.t.Context())
	k.until(what+": more is committed", func(ctx context.Context) bool {
		now, _ := k.committed(ctx)
		return now >= sum+200
	})
}

// stuck breaks all connections while the files let nobody in: members are not ready and say which file it is. They go on
// when it is mended.
func (k *secured) stuck(all []*process, ops []string, says string, mend func()) {
	k.t.Helper()
	k.front.Break()
	for i, p := range all {
		p.says(says)
		k.until("a member that is let in nowhere is not ready", func(ctx context.Context) bool { return k.ready(ctx, ops[i]) != "ready\n" })
	}
	mend()
	for i := range all {
		k.until("a member is ready again", func(ctx context.Context) bool { return k.ready(ctx, ops[i]) == "ready\n" })
	}
	k.goOn("mended")
}

// The authority of all certificates, those of the members and that of the broker are replaced in the order that people
// follow, while two processes work and connections are cut. None is started again. Files that let nobody in are told by
// name; with the right ones members go on. Each document comes out once.
func TestCertificatesAreRenewedAtWork(t *testing.T)     { certificatesRenewed(t, false) }
func TestCertificatesAreRenewedAtWorkLong(t *testing.T) { certificatesRenewed(t, true) }

// certificatesRenewed tries files that let nobody in only if it has the time.
func certificatesRenewed(t *testing.T, long bool) {
	t.Helper()
	t.Parallel()
	first, second := certificatetest.New(t), certificatetest.New(t)
	k := newSecured(t, first, 6)
	k.trusts(first)
	k.shows(first, time.Hour)
	k.configure(k.inDirectory(), k.consumer(""))
	ops := []string{freeAddress(t), freeAddress(t)}
	var all []*process
	for _, address := range ops {
		all = append(all, k.run("--set", "http.listen="+address))
		all[len(all)-1].says(`"message":"ready"`)
	}
	k.members(4, 6)
	stream := k.streams(400, 1)
	k.goOn("the first certificates")

	k.trusts(first, second)
	k.goOn("members trust the second authority as well")
	k.alter("truststore", k.bundle(t, first, second))
	k.alter("keystore", k.keystore(t, second))
	k.goOn("the broker shows a certificate of the second authority")
	k.shows(second, time.Hour)
	k.goOn("members show certificates of the second authority")
	k.alter("truststore", k.bundle(t, second))
	k.trusts(second)
	k.goOn("the first authority is gone")

	if long {
		k.trusts(first)
		k.stuck(all, ops, k.path("ca.pem")+" does not have it", func() { k.trusts(second) })
		k.shows(second, -time.Minute)
		k.stuck(all, ops, k.path("client.pem")+", which has expired", func() { k.shows(second, time.Hour) })
		k.shows(first, time.Hour)
		k.stuck(all, ops, "it may refuse our certificate, "+k.path("client.pem"), func() { k.shows(second, time.Hour) })
	}

	stream.end(k.scene)
	k.settled()
	for _, p := range all {
		if log := p.log.String(); strings.Contains(log, `"level":"fatal"`) || p.endedUnasked() {
			t.Errorf("a process has ended: %s", p.message())
		}
	}
	stopAll(t, 30*time.Second, all...)
	k.cameOnce()
	k.audited(k.name + ".journal")

	k.shows(second, -time.Minute)
	k.run().refuses(k.path("client.pem")+", which has expired", "kafka.tls.cert_file")
}
