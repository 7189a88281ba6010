package consumer

import "testing"

func TestOneMember(t *testing.T) {
	w := newWorld(t, 4)
	w.produce(3000, 1)
	m := w.start()
	w.settled()
	if err := m.stop(); err != nil {
		t.Fatal(err)
	}
	report := w.audited()
	if report.Duplicate < 500 || report.Unique < 1000 {
		t.Errorf("implausible: %v", report)
	}
}
