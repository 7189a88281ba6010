package doctor

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer/document/registry"
)

// TestSchemas: a registry that answers is well, and one that does not is a problem, whatever answers in its place.
func TestSchemas(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/schemas/types" {
			_, _ = w.Write([]byte(`["AVRO"]`)) // the client is there
			return
		}
		_, _ = w.Write([]byte("<html>"))
	}))
	defer server.Close()
	for url, want := range map[string]struct {
		level Level
		says  string
	}{
		"":                     {OK, "no registry of schemas is needed"},
		server.URL:             {OK, "answers"},
		server.URL + "/other":  {Problem, "the schema registry does not answer"},
		"http://127.0.0.1:1/x": {Problem, "the schema registry does not answer"},
	} {
		p := &target{in: Inputs{Registry: registry.DefaultParams()}}
		if url != "" {
			p.in.Registry.URLs = []string{url}
		}
		found, err := p.schemas(t.Context())
		if err != nil || len(found) != 1 || found[0].Level != want.level || !strings.Contains(found[0].What, want.says) {
			t.Errorf("schemas of %q finds %+v, error %v; want one finding of level %v that says %q", url, found, err, want.level, want.says)
		}
	}
}
