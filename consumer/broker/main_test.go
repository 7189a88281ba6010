package broker

import (
	"context"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func cluster(t *testing.T, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func params(brokers ...string) Params {
	p := DefaultParams()
	p.Brokers = brokers
	return p
}

func client(t *testing.T, p Params, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	if mistakes := p.Validate(); len(mistakes) > 0 {
		t.Fatalf("the params of a test's client are not valid: %v", mistakes)
	}
	common, err := Options(p, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	cl, err := kgo.NewClient(append(common, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return cl
}

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}
