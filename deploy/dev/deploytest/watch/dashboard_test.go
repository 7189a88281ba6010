package watch

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const dashboardFile = "deploy/chart/files/dashboard.json"

// dashboard is as much of Grafana's model as ours uses. No Go module of that model can be had, so these types are
// ours; what they leave open (options, custom) Grafana ignores where it does not know it.
type dashboard struct {
	Title, UID, Description, Timezone, Refresh, WeekStart string
	ID                                                    *int
	Tags                                                  []string
	Editable, LiveNow                                     bool
	GraphTooltip, SchemaVersion, Version                  int
	FiscalYearStartMonth                                  int
	Time                                                  struct{ From, To string }
	Timepicker                                            struct{}
	Links                                                 []link
	Annotations                                           struct{ List []annotation }
	Templating                                            struct{ List []variable }
	Panels                                                []panel
}

type link struct {
	Title, URL, Type, Icon, Tooltip                string
	TargetBlank, AsDropdown, IncludeVars, KeepTime bool
	Tags                                           []string
}

type source struct{ Type, UID string }

type annotation struct {
	Name, IconColor, Expr, TitleFormat, TextFormat, Step string
	Enable, Hide                                         bool
	Datasource                                           source
}

type variable struct {
	Name, Label, Description, Type, Definition, Regex, AllValue string
	Datasource                                                  source
	Query                                                       json.RawMessage
	Refresh, Sort, Hide                                         int
	Multi, IncludeAll, SkipURLSync                              bool
	Options                                                     []struct{}
	Current                                                     json.RawMessage
}

type panel struct {
	ID                       int
	Type, Title, Description string
	Collapsed                bool
	GridPos                  struct{ H, W, X, Y int }
	Panels                   []struct{} // a row's, of which those that are open have none
	Datasource               source
	FieldConfig              struct {
		Defaults struct {
			Unit       string
			Color      struct{ Mode string }
			Decimals   *int
			Min, Max   *float64
			Thresholds struct {
				Mode  string
				Steps []struct {
					Color string
					Value *float64
				}
			}
			Mappings []json.RawMessage
			Custom   json.RawMessage
		}
		Overrides []struct {
			Matcher    struct{ ID, Options string }
			Properties []struct {
				ID    string
				Value json.RawMessage
			}
		}
	}
	Options json.RawMessage
	Links   []link
	Targets []struct {
		RefID, Expr, LegendFormat, Format string
		Range, Instant                    bool
	}
}

// board is the dashboard. What the model does not know fails.
func board(t *testing.T) dashboard {
	t.Helper()
	var d dashboard
	decoder := json.NewDecoder(strings.NewReader(read(t, dashboardFile)))
	decoder.DisallowUnknownFields()
	check(t, decoder.Decode(&d))
	return d
}

// unit is that of the axis of values, which a heatmap keeps elsewhere.
func (p panel) unit(t *testing.T) string {
	t.Helper()
	if p.Type != "heatmap" {
		return p.FieldConfig.Defaults.Unit
	}
	var options struct{ YAxis struct{ Unit string } }
	check(t, json.Unmarshal(p.Options, &options))
	return options.YAxis.Unit
}

func (p panel) String() string { return fmt.Sprintf("panel %d, %q", p.ID, p.Title) }

// The rows are the questions that people come with, in their order.
func TestDashboardRows(t *testing.T) {
	t.Parallel()
	var rows []string
	for _, p := range board(t).Panels {
		if p.Type == "row" {
			rows = append(rows, p.Title)
		}
	}
	if want := []string{"Is it well", "What does it find", "Window", "Old documents in files", "Kafka", "Resources"}; !slices.Equal(rows, want) {
		t.Errorf("the rows are %q, not %q", rows, want)
	}
}

// Each panel says what it shows, in which unit, and asks the Prometheus that was chosen.
func TestDashboardPanelsAreWhole(t *testing.T) {
	t.Parallel()
	// of Grafana's names those that fit Prometheus' base units
	units := []string{"none", "short", "s", "bytes", "Bps", "percentunit"}
	ids, titles := map[int]bool{}, map[string]bool{}
	for _, p := range board(t).Panels {
		if p.ID <= 0 || ids[p.ID] {
			t.Errorf("%v: its id is taken, or none", p)
		}
		ids[p.ID] = true
		if p.Title == "" {
			t.Errorf("%v has no title", p)
		}
		if p.Type == "row" {
			continue
		}
		if titles[p.Title+p.Type] {
			t.Errorf("%v: another one has this title", p)
		}
		titles[p.Title+p.Type] = true
		if len(p.Description) < 40 || !strings.HasSuffix(p.Description, ".") {
			t.Errorf("%v has no sentence that describes it", p)
		}
		if !slices.Contains([]string{"stat", "timeseries", "heatmap"}, p.Type) || !slices.Contains(units, p.unit(t)) {
			t.Errorf("%v is a %s in %q", p, p.Type, p.unit(t))
		}
		if p.Datasource != (source{"prometheus", "${datasource}"}) || len(p.Targets) == 0 {
			t.Errorf("%v asks %v %d questions", p, p.Datasource, len(p.Targets))
		}
		for i, target := range p.Targets {
			if target.RefID != string(rune('A'+i)) || target.Range == target.Instant ||
				(len(p.Targets) > 1 && target.LegendFormat == "") {
				t.Errorf("%v: question %q has no letter, no legend, or no time", p, target.Expr)
			}
		}
	}
}

// No panel lies on another, none leaves the 24 columns, and each stands below the row that it belongs to.
func TestDashboardGrid(t *testing.T) {
	t.Parallel()
	type cell struct{ x, y int }
	taken := map[cell]panel{}
	below := 0
	for _, p := range board(t).Panels {
		at := p.GridPos
		if at.W <= 0 || at.H <= 0 || at.X < 0 || at.X+at.W > 24 || at.Y < below {
			t.Errorf("%v stands at %+v", p, at)
		}
		for x := at.X; x < at.X+at.W; x++ {
			for y := at.Y; y < at.Y+at.H; y++ {
				if other, ok := taken[cell{x, y}]; ok {
					t.Fatalf("%v lies on %v", p, other)
				}
				taken[cell{x, y}] = p
			}
		}
		if p.Type == "row" {
			below = at.Y + 1
		}
	}
}

// Each variable describes itself and is used, and none is used that is not there.
func TestDashboardVariables(t *testing.T) {
	t.Parallel()
	var names []string
	text := read(t, dashboardFile)
	for _, v := range board(t).Templating.List {
		names = append(names, v.Name)
		if v.Label == "" || v.Description == "" {
			t.Errorf("variable %s has no label or no description", v.Name)
		}
		if !strings.Contains(text, "$"+v.Name) && !strings.Contains(text, "${"+v.Name+"}") {
			t.Errorf("nothing uses variable %s", v.Name)
		}
	}
	if want := []string{"datasource", "namespace", "job", "instance"}; !slices.Equal(names, want) {
		t.Errorf("the variables are %v, not %v", names, want)
	}
}
