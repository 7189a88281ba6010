package doctor

// Level is how bad a finding is.
type Level string

// Levels.
const (
	OK      Level = "ok"
	Note    Level = "note"    // allowed, and worth knowing
	Problem Level = "problem" // it keeps the service from working, or from keeping its promises
)

// Finding is the result of one thing that was looked at. Its JSON is a promise to scripts.
type Finding struct {
	Level  Level  `json:"level"`
	Check  string `json:"check"`
	What   string `json:"what"`
	Why    string `json:"why,omitempty"`    // why it matters; empty where all is well
	Remedy string `json:"remedy,omitempty"` // what to do

	costs string // what the remedy would cost memory or documents for, if the finding were wrong; empty: nothing
}

// Report holds everything that was looked at, in the order of the checks.
type Report struct {
	Healthy  bool      `json:"healthy"` // no problem was found
	Problems int       `json:"problems"`
	Notes    int       `json:"notes"`
	Findings []Finding `json:"findings"`
}

func (r *Report) add(check string, findings []Finding) {
	for _, f := range findings {
		f.Check = check
		switch f.Level {
		case Problem:
			r.Problems++
		case Note:
			r.Notes++
		case OK:
		}
		r.Findings = append(r.Findings, f)
	}
	r.Healthy = r.Problems == 0
}

func fine(what string) Finding { return Finding{Level: OK, What: what} }

func note(what, why, remedy string) Finding {
	return Finding{Level: Note, What: what, Why: why, Remedy: remedy}
}

func problem(what, why, remedy string) Finding {
	return Finding{Level: Problem, What: what, Why: why, Remedy: remedy}
}

// costly is a problem whose remedy costs memory or documents where the finding is wrong. It is told only if a second
// look finds it at the same place again.
func costly(place, what, why, remedy string) Finding {
	f := problem(what, why, remedy)
	f.costs = place
	return f
}
