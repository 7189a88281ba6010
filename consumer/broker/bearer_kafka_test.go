//go:build unix

package broker

import (
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker/token"
	"github.com/unecho/unecho/deploy/dev/testbed"
)

// oauthProperties make the broker's second listener take unsigned JWTs, and end sessions with their tokens.
const oauthProperties = `listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,FRONT:SASL_PLAINTEXT
listener.name.front.sasl.enabled.mechanisms=OAUTHBEARER
listener.name.front.oauthbearer.connections.max.reauth.ms=3600000
listener.name.front.oauthbearer.sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";
`

// brokersOf is a Kafka of our own, whose brokers are as properties say.
func brokersOf(t *testing.T, properties string, n int, advertise testbed.Advertise) *testbed.Kafka {
	t.Helper()
	jars := os.Getenv("UNECHO_TEST_KAFKA_CLASSPATH")
	if jars == "" {
		t.Skip("needs Kafka's jars: set UNECHO_TEST_KAFKA_CLASSPATH, or run make test")
	}
	runtime.LockOSThread() // the brokers end with the thread that started them
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	kafka, err := testbed.NewKafka(ctx, testbed.Files{
		Dir: t.TempDir(), Cache: filepath.Dir(filepath.Dir(jars)), POM: "../../deploy/dev/pom.xml", Brief: true,
		Properties: properties,
	}, n, advertise)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range kafka.Brokers {
		if err := b.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Stop)
	}
	for _, b := range kafka.Brokers {
		if err := b.Await(ctx); err != nil {
			t.Fatal(err)
		}
	}
	return kafka
}

// oauthBroker is a broker whose clients log in with tokens. It returns the address.
func oauthBroker(t *testing.T) (front string) {
	t.Helper()
	brokersOf(t, oauthProperties, 1, func(_ int, address string) (string, error) {
		front = address
		return address, nil
	})
	return front
}

// unsigned issues unsigned tokens that last a few seconds, or none while it is away. It signals each answer.
type unsigned struct {
	away            atomic.Bool
	issued, refused chan struct{}
}

func (u *unsigned) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	signal := u.issued
	if u.away.Load() {
		signal = u.refused
		w.WriteHeader(http.StatusServiceUnavailable)
	} else {
		const life = 8 * time.Second
		encode := base64.RawURLEncoding.EncodeToString
		claims := fmt.Sprintf(`{"sub":"unecho","iat":%d,"exp":%d}`, time.Now().Unix(), time.Now().Add(life).Unix())
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"access_token":"%s.%s.","token_type":"Bearer","expires_in":%d}`, encode([]byte(`{"alg":"none"}`)),
			encode([]byte(claims)), int(life.Seconds()))
	}
	select {
	case signal <- struct{}{}:
	case <-r.Context().Done():
	}
}

// A session outlives its first token. The client logs in again with a new one before the broker ends the session, on
// the same connections, without an error. If the issuer is away for longer than a token lasts, the client goes on as
// soon as the issuer is back.
func TestSessionOutlivesItsTokensKafka(t *testing.T) {
	address := oauthBroker(t)
	issuer := &unsigned{issued: make(chan struct{}, 100), refused: make(chan struct{}, 100)}
	server := httptest.NewServer(issuer)
	defer server.Close()
	p := params(address)
	p.SASL = SASLParams{Mechanism: OAuthBearer, OAuth: token.Params{
		TokenURL: server.URL, ClientID: "unecho", ClientSecret: "s3cret",
	}}
	const topic = "bearer"
	dials := &dialCount{}
	cl := client(t, p, kgo.DefaultProduceTopic(topic), kgo.ConsumeTopics(topic), kgo.FetchMaxWait(200*time.Millisecond),
		kgo.WithHooks(dials))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if err := Ping(ctx, cl); err != nil {
		t.Fatal(err)
	}
	if _, err := kadm.NewClient(cl).CreateTopic(ctx, 1, 1, nil, topic); err != nil {
		t.Fatal(err)
	}
	pass := func() {
		t.Helper()
		if err := cl.ProduceSync(ctx, kgo.StringRecord("x")).FirstErr(); err != nil {
			t.Fatal(err)
		}
		fetches := cl.PollFetches(ctx)
		if err := fetches.Err(); err != nil || fetches.NumRecords() != 1 {
			t.Fatal(err)
		}
	}
	next := func(signal <-chan struct{}) {
		t.Helper()
		select {
		case <-signal:
		case <-ctx.Done():
			t.Fatal("nobody asks for a token")
		}
	}
	next(issuer.issued)
	pass()
	before := dials.n.Load()
	next(issuer.issued)
	pass()
	if after := dials.n.Load(); after != before {
		t.Errorf("%d connections broke while tokens were renewed", after-before)
	}
	issuer.away.Store(true)
	for range 5 { // once a second: 3 s before the token's end, and beyond it
		next(issuer.refused)
	}
	issuer.away.Store(false)
	pass()
}

type dialCount struct{ n atomic.Int64 }

// OnBrokerConnect implements kgo.HookBrokerConnect.
func (d *dialCount) OnBrokerConnect(kgo.BrokerMetadata, time.Duration, net.Conn, error) { d.n.Add(1) }

// A broker that refuses a token says so. So does Ping if there is no token to show.
func TestTokenRefusedKafka(t *testing.T) {
	p := params(oauthBroker(t))
	p.SASL = SASLParams{Mechanism: OAuthBearer, OAuth: token.Params{File: "/nowhere/at/all"}}
	if err := Ping(deadline(t), client(t, p)); err == nil || !strings.Contains(err.Error(), "cannot read the token") ||
		!strings.Contains(err.Error(), "oauth.file") {
		t.Errorf("got %v", err)
	}
	p.SASL.OAuth.File = tokenFile(t, "a.b.c")
	err := Ping(deadline(t), client(t, p))
	if err == nil || !strings.Contains(err.Error(), "refuses the login with OAUTHBEARER") {
		t.Errorf("got %v", err)
	}
}
