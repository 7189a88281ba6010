package doctor

import (
	"context"
	"strings"

	"github.com/unecho/unecho/consumer/document/registry"
)

// schemas asks the registry of schemas, if there is one, for something that every registry has.
func (p *target) schemas(ctx context.Context) ([]Finding, error) {
	of := p.in.Registry
	if !of.Set() {
		return []Finding{fine("no registry of schemas is needed")}, nil
	}
	client, err := registry.New(of)
	if err == nil {
		err = client.Ping(ctx)
	}
	if err != nil {
		return []Finding{problem(err.Error(), "documents of schemas that a member does not know yet wait for it",
			"see that the registry is up, and check schema_registry")}, nil
	}
	return []Finding{fine("the registry at " + strings.Join(of.URLs, ", ") + " answers")}, nil
}
