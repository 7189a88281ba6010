package consumer

import "testing"

func TestOneMember(t *testing.T) {
	w := newWorld(t, 4)
	w.produce(3000, 1)
	m := w.start()
	w.settled()
	if got := m.Stats().Settings; string(got) != string(w.setup.Settings) {
		t.Errorf("in force are %s, want %s", got, w.setup.Settings)
	}
	if err := m.stop(); err != nil {
		t.Fatal(err)
	}
	report := w.audited()
	if report.Duplicate < 500 || report.Unique < 1000 {
		t.Errorf("implausible: %v", report)
	}
}
