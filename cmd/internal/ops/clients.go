package ops

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/plugin/kprom"
)

// Clients counts what the Kafka clients of a process do: all of them together, and those too that sessions open anew.
type Clients struct {
	*kprom.Metrics
	registry *prometheus.Registry
	begin    sync.Once
}

// NewClients returns counters that no client has yet.
func NewClients() *Clients {
	r := prometheus.NewRegistry()
	return &Clients{registry: r, Metrics: kprom.NewMetrics("unecho",
		kprom.Subsystem("kafka"), kprom.Registerer(common{r}), kprom.Gatherer(r),
		kprom.FetchAndProduceDetail(kprom.ByTopic, kprom.CompressedBytes), // each costs some 0.7 us for each batch of records
		kprom.HistogramsFromOpts(kprom.HistogramOpts{Enable: kprom.RequestThrottled, Buckets: []float64{0.01, 0.1, 1, 10}}),
		kprom.NativeBucketFactor(0))}
}

// Option has a client counted.
func (c *Clients) Option() kgo.Opt { return kgo.WithHooks(c) }

// OnNewClient implements kgo.HookNewClient. The first client makes the counters, and the others add to them.
func (c *Clients) OnNewClient(client *kgo.Client) {
	c.begin.Do(func() { c.Metrics.OnNewClient(client) })
}

// OnClientClosed implements kgo.HookClientClosed. The counters stay.
func (*Clients) OnClientClosed(*kgo.Client) {}

// common leaves out the metrics that read one client: there are several, and they come and go.
type common struct{ prometheus.Registerer }

// MustRegister implements prometheus.Registerer.
func (r common) MustRegister(all ...prometheus.Collector) {
	for _, c := range all {
		if _, ofOneClient := c.(prometheus.GaugeFunc); !ofOneClient {
			r.Registerer.MustRegister(c)
		}
	}
}
