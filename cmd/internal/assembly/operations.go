package assembly

import (
	"github.com/rs/zerolog"

	"github.com/unecho/unecho/cmd/internal/api"
	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/cmd/internal/ops"
	"github.com/unecho/unecho/cmd/internal/page"
	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/gateway"
	"github.com/unecho/unecho/index/setting"
)

// unwise tells of settings that are allowed and unwise.
func unwise(logger zerolog.Logger, section string, warnings []setting.Mistake) {
	for _, m := range warnings {
		logger.Warn().Str("setting", section+"."+m.Key).Str("value", m.Value).Str("remedy", m.Remedy).
			Msg("a setting is allowed and unwise: it " + m.Problem)
	}
}

// What the API answers in a second.
const (
	requestsPerS = 2000
	lookupsPerS  = 2000 // texts
)

// operations builds what is served on http.listen.
func operations(service *consumer.Service, p Params, clients *ops.Clients, to *gateway.Gateway) (*ops.Server, error) {
	c, logger := p.Config, p.Logger
	unwise(logger, "http", c.HTTP.Warnings())
	token, err := ops.Token(c.HTTP, logger)
	if err != nil {
		return nil, err
	}
	what := &api.Setup{
		Service: service, Index: c.Judge, Sources: c.Readings(), Group: c.Consumer.Group, Settings: settings(c),
		Own: c.Settings(), Version: p.Version, Why: ops.Why, Sessions: c.Consumer.Sessions,
		Access: api.Access{Token: token, Loopback: c.HTTP.Loopback()}, Limits: api.Limits{RequestsPerS: requestsPerS, LookupsPerS: lookupsPerS}, ShowText: c.HTTP.ShowText, SnapshotEvery: c.Snapshot.Taken.Every,
		Remains: report.RemainsOf(c), Logger: logger,
		Topics: document.Named(c.Sources), MaxDocument: gateway.MaxBytes,
	}
	if to != nil {
		what.Gateway, what.Limits.DocumentsPerS = to, c.HTTP.Ingest.Rate
	}
	var shows *ops.Certificate
	if c.HTTP.TLS.Enabled() {
		if shows, err = ops.OpenCertificate(c.HTTP.TLS.CertFile, c.HTTP.TLS.KeyFile, logger); err != nil {
			return nil, err
		}
		what.Certificate = shows.Trouble
	}
	answers, err := api.New(what)
	if err != nil {
		return nil, err
	}
	shown, err := page.New()
	if err != nil {
		return nil, err
	}
	setup := ops.Setup{
		Stats: service.Stats, Ready: service.Ready, Clients: clients, API: answers, Page: shown, Version: p.Version,
		Logger: logger, Profiles: p.Profiles, Certificate: shows,
	}
	return ops.New(c.HTTP.Listen, setup), nil
}

// settings returns the settings in force as the API tells them.
func settings(c config.Config) (out []shape.Setting) {
	c.Each(func(key, value string) { out = append(out, shape.Setting{Key: key, Value: value}) })
	return out
}
