package api

import (
	_ "embed" // the description
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// base is where the paths of the description begin: what its servers say, from where it is served itself.
const base = "/api/v1"

//go:embed openapi.json
var openAPI []byte

// operation is what the description says of one.
type operation struct {
	ID         string `json:"operationId"`
	Parameters []struct {
		Name, In string
	}
}

// operations returns what answers the requests that are described, and refuses the others. Do has a handler for the
// id of each operation.
func operations(do map[string]http.HandlerFunc) (*http.ServeMux, error) {
	var described struct {
		Paths map[string]map[string]operation // by path, and by method in small letters
	}
	if err := json.Unmarshal(openAPI, &described); err != nil {
		return nil, fmt.Errorf("read openapi.json: %w", err)
	}
	mux := http.NewServeMux()
	for path, methods := range described.Paths {
		var allowed []string
		for method, o := range methods {
			if do[o.ID] == nil {
				return nil, fmt.Errorf("openapi.json describes %s, which nothing answers", o.ID)
			}
			method = strings.ToUpper(method)
			mux.Handle(method+" "+base+path, o.asked(do[o.ID]))
			if allowed = append(allowed, method); method == http.MethodGet {
				allowed = append(allowed, http.MethodHead) // the mux has it answered, too
			}
		}
		slices.Sort(allowed)
		mux.HandleFunc(base+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", strings.Join(allowed, ", "))
			fail(w, http.StatusMethodNotAllowed, r.URL.Path+" answers no "+r.Method, "use "+strings.Join(allowed, " or "))
		})
	}
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, http.StatusNotFound, "there is no "+r.Method+" "+r.URL.Path,
			"GET /api/v1/openapi.json describes what there is")
	})
	return mux, nil
}

// asked lets requests through whose parameters are described.
func (o *operation) asked(next http.Handler) http.Handler {
	var known []string
	for _, p := range o.Parameters {
		if p.In == "query" {
			known = append(known, p.Name)
		}
	}
	remedy := "leave it out: there are none here"
	if len(known) > 0 {
		remedy = "the parameters are " + strings.Join(known, ", ")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			fail(w, http.StatusBadRequest, "the parameters cannot be read: "+err.Error(), "encode what is no letter or digit in them")
			return
		}
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if !slices.Contains(known, name) {
				fail(w, http.StatusBadRequest, fmt.Sprintf("%s has no parameter %q", r.URL.Path, name), remedy)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
