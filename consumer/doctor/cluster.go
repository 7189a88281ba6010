package doctor

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
)

// transactionFeature at level 2 gives each transaction an epoch of its own (KIP-890): a request that is still under way
// when its transaction ends cannot open another transaction, which would then hang.
const (
	transactionFeature = "transaction.version"
	transactionLevel   = 2
)

// cluster checks versions and features.
func (p *target) cluster(ctx context.Context) ([]Finding, error) {
	all, err := p.admin.ApiVersions(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask for versions: %w", err)
	}
	var findings []Finding
	guess, level, known := "", int16(0), false
	all.Each(func(v kadm.BrokerApiVersions) {
		if v.Err != nil {
			findings = append(findings, problem(fmt.Sprintf("broker %d does not answer: %v", v.NodeID, v.Err),
				"what it leads is out of reach", "start it, or check the network between here and there"))
			return
		}
		guess = v.VersionGuess()
		for _, f := range v.Raw().FinalizedFeatures {
			if f.Name == transactionFeature {
				level, known = f.MaxVersionLevel, true
			}
		}
	})
	p.brokers = len(all)
	if guess == "" {
		return findings, nil
	}
	findings = append(findings, fine(fmt.Sprintf("Kafka %s, %s", guess, several(p.brokers, "broker"))))
	if p.brokers == 1 {
		findings = append(findings, note("there is one broker only",
			"what it holds is lost with its disk, and nothing goes on without it", "run three, and let topics have 3 replicas"))
	}
	return append(findings, transactionVersion(p.server, level, known)...), nil
}

// several writes a number of things for people.
func several(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func transactionVersion(server string, level int16, known bool) []Finding {
	switch {
	case known && level < transactionLevel:
		return []Finding{note(fmt.Sprintf("%s is %d, and could be %d", transactionFeature, level, transactionLevel),
			"a late request may open a transaction again that then hangs, and readers of the outputs stand still before it",
			fmt.Sprintf("kafka-features.sh --bootstrap-server %s upgrade --feature %s=%d", server, transactionFeature,
				transactionLevel))}
	case known:
		return []Finding{fine(fmt.Sprintf("%s %d", transactionFeature, level))}
	}
	return []Finding{note("Kafka has no "+transactionFeature,
		"a late request may open a transaction again that then hangs, and readers of the outputs stand still before it",
		"nothing at once; Kafka 4 has it")}
}
