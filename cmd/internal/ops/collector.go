package ops

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/unecho/unecho/consumer"
)

// gatherers returns all that /metrics shows.
func gatherers(s Setup) prometheus.Gatherers {
	all := prometheus.Gatherers{newRegistry(s)}
	if s.Clients != nil {
		all = append(all, s.Clients.registry)
	}
	return all
}

// newRegistry returns a new registry, so that nothing that a library registers globally is shown.
func newRegistry(s Setup) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(
		newCollector(s),
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return r
}

type state struct {
	consumer.Stats
	ready       bool
	version     string
	certificate *Certificate // nil: no TLS is spoken
}

// metric is one family of series. Each series that it emits has its own label values.
type metric struct {
	name, help string
	kind       prometheus.ValueType // not of a histogram
	labels     []string
	values     func(*state, emitter)
	histograms func(*state, histogramEmitter) // instead of values
}

// An emitter receives a value with the values of the labels, in their order.
type (
	emitter          func(value float64, labels ...string)
	histogramEmitter func(h consumer.Histogram, labels ...string)
)

// collector renders one reading of the stats at each scrape, so that all values of a scrape are consistent.
type collector struct {
	setup   Setup
	metrics []metric
	descs   []*prometheus.Desc // of metrics
}

func newCollector(s Setup) *collector {
	c := &collector{setup: s, metrics: metrics()}
	for _, m := range c.metrics {
		c.descs = append(c.descs, prometheus.NewDesc(m.name, m.help, m.labels, nil))
	}
	return c
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	s := &state{
		Stats: c.setup.Stats(), ready: c.setup.Ready(), version: c.setup.Version, certificate: c.setup.Certificate,
	}
	for i, m := range c.metrics {
		if m.histograms != nil {
			m.histograms(s, func(h consumer.Histogram, labels ...string) {
				to <- prometheus.MustNewConstHistogram(c.descs[i], h.Count, h.Sum, cumulated(h), labels...)
			})
			continue
		}
		m.values(s, func(v float64, labels ...string) {
			to <- prometheus.MustNewConstMetric(c.descs[i], m.kind, v, labels...)
		})
	}
}

// cumulated returns buckets as Prometheus counts them: each includes the ones below it, and the last is the total
// count.
func cumulated(h consumer.Histogram) map[float64]uint64 {
	buckets := make(map[float64]uint64, len(h.Bounds))
	var n uint64
	for i, bound := range h.Bounds {
		n += h.Counts[i]
		buckets[bound] = n
	}
	return buckets
}
