package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer/gateway"
)

// TestOperations: what is described is answered, and closed to who has no token where it says so. A parameter or a method
// that is not described is refused with those that are.
func TestOperations(t *testing.T) {
	to := &fakeGateway{}
	d := sends(t, to, nil)
	closed := sends(t, to, func(s *Setup) { s.Access = Access{} })
	for path, item := range d.doc.Paths.Map() {
		path = base + strings.NewReplacer("{topic}", "news", "{partition}", "2", "{offset}", "0").Replace(path)
		var methods []string
		for method, o := range item.Operations() {
			methods = append(methods, method)
			code, got := d.do(method, path+"?nosuch=1", "{}", "Authorization", bearer)
			for _, p := range o.Parameters {
				if named := strings.Contains(got["remedy"].(string), p.Value.Name); named != (p.Value.In == "query") {
					t.Errorf("%s %s with an unknown parameter has the remedy %q; want that parameter %s of the %s is in it: %v",
						method, path, got["remedy"], p.Value.Name, p.Value.In, !named)
				}
			}
			if code != http.StatusBadRequest || !strings.Contains(got["error"].(string), "nosuch") {
				t.Errorf("%s %s with an unknown parameter is answered %d %v; want 400 that names it", method, path, code, got)
			}
			if code, got = d.do(method, path+"?a=%zz", "{}", "Authorization", bearer); code != http.StatusBadRequest {
				t.Errorf("%s %s with parameters that cannot be read is answered %d %v; want 400", method, path, code, got)
			}
			secret, none := http.StatusUnauthorized, http.StatusForbidden
			if o.Security != nil && len(*o.Security) == 0 {
				secret, none = http.StatusOK, http.StatusOK
			}
			if code, _ := d.do(method, path, ""); code != secret {
				t.Errorf("%s %s without the token is answered %d; want %d", method, path, code, secret)
			}
			if code, _ := closed.do(method, path, ""); code != none {
				t.Errorf("%s %s from elsewhere, where there is no token, is answered %d; want %d", method, path, code, none)
			}
		}
		d.wrongMethod(path, methods)
	}
	if want := []gateway.Outcome{gateway.Refused, gateway.Refused}; !slices.Equal(to.told, want) {
		t.Errorf("requests with documents and wrong parameters count as %v; want %v", to.told, want)
	}
}

func (d *described) wrongMethod(path string, methods []string) {
	d.t.Helper()
	if slices.Contains(methods, http.MethodGet) {
		methods = append(methods, http.MethodHead)
	}
	slices.Sort(methods)
	req := must(http.NewRequestWithContext(d.t.Context(), http.MethodDelete, d.url+path, http.NoBody))(d.t)
	req.Header.Set("Authorization", bearer)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if allow := resp.Header.Get("Allow"); resp.StatusCode != http.StatusMethodNotAllowed || allow != strings.Join(methods, ", ") ||
		resp.Header.Get("Content-Type") != "application/json" {
		d.t.Errorf("DELETE %s is answered %s that allows %q; want 405 in JSON that allows %v", path, resp.Status, allow, methods)
	}
}
