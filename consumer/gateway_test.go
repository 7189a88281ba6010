package consumer

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/gateway"
	"github.com/unecho/unecho/sink"
)

func (w *world) gatewayOf(m *running) *gateway.Gateway {
	w.t.Helper()
	g, err := m.Gateway()
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(g.Close)
	return g
}

// asks sends documents, and waits for their verdicts.
func (w *world) asks(g *gateway.Gateway, docs ...gateway.Document) []gateway.Answer {
	w.t.Helper()
	for i := range docs {
		docs[i].Topic = "news"
	}
	answers := g.Send(w.context(), docs, time.Minute)
	for i, a := range answers {
		if a.Err != nil || a.Verdict == "" {
			w.t.Fatalf("document %d: %+v", i, a)
		}
		w.sent[a.Partition] = max(w.sent[a.Partition], a.Offset+1)
	}
	return answers
}

func doc(key, value string) gateway.Document {
	return gateway.Document{Value: []byte(value), IdempotencyKey: key}
}

// A document is read as one of its topic: else its request and its verdict would be those of another.
func TestGatewayReadsByTopic(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Setup){
		"scope": func(s *Setup) { s.Sources[0].Reading.Scope = "topic" },
		"sources": func(s *Setup) {
			other := document.Source{Pattern: "other", Reading: document.DefaultParams()}
			s.Sources = append([]document.Source{other}, s.Sources...)
			s.Sources[1].Reading.Format = "json"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			w.setup.Index.Duplicates.Remember.Keys, w.setup.Accepted.Rejected = time.Hour, []string{"news"}
			change(&w.setup)
			g := w.gatewayOf(w.start())
			text := `{"title":"the council met on tuesday evening and decided to build a bridge"}`
			first := w.asks(g, doc("a", text))[0]
			if again := w.asks(g, doc("a", text))[0]; again.Verdict != first.Verdict || !again.Repeated && first.Verdict == sink.Unique {
				t.Errorf("%+v, and again %+v", first, again)
			}
			want := sink.Unique
			if name == "sources" {
				want = sink.Rejected // the text is not there for JSON; as raw text it would be one
			}
			if first.Verdict != want {
				t.Errorf("%+v, want %s", first, want)
			}
		})
	}
}

// TestGateway: verdicts are told when they are committed, and a repeat has the first one, from a member that came when
// the first was gone.
func TestGateway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.setup.Index.Duplicates.Remember.Keys = time.Hour
	w.setup.Sources[0].Reading.Format, w.setup.Sources[0].Reading.MaxBytes = "json", 200
	first := w.start()
	text := func(n int) string {
		return fmt.Sprintf(`{"text":"document %d: the council met on tuesday evening and decided to build bridge %d"}`, n, n*7919)
	}
	was := w.asks(w.gatewayOf(first), doc("a", text(1)), doc("b", text(2)), doc("c", `{"no":"text"}`))
	again := w.asks(w.gatewayOf(first), doc("x", text(1)))
	if was[0].Verdict != sink.Unique || was[1].Verdict == "" || was[2].Verdict != sink.Rejected || was[2].Rejection.Reason != sink.MissingField {
		t.Errorf("the first are %+v", was)
	}
	if m := again[0].Match; again[0].Verdict != sink.Duplicate || m == nil || m.Offset != was[0].Offset {
		t.Errorf("the same with another key is %+v", again[0])
	}
	if got := first.Stats().Gateway; got.Documents != 4 || got.Repeated != 0 || got.Verdict.Count != 2 || got.Verdict.Sum <= 0 ||
		got.Bytes != uint64(len(text(1))+len(text(2))+len(`{"no":"text"}`)+len(text(1))) {
		t.Errorf("counted are %+v", got)
	}
	w.settled()
	first.kill()
	other := w.start()
	if other.Stats().Gateway.Open {
		t.Error("a gateway that nobody has opened is open")
	}
	second := w.gatewayOf(other)
	for i, key := range []string{"a", "b", "x"} {
		want := append(was[:2:2], again[0])[i]
		got := w.asks(second, doc(key, text([]int{1, 2, 1}[i])))[0]
		if !got.Repeated || got.Verdict != want.Verdict || got.Partition != want.Partition || got.Offset != want.Offset {
			t.Errorf("%s again is %+v, and was %+v", key, got, want)
		}
	}
	if got := other.Stats().Gateway; !got.Open || got.Repeated == 0 || got.Documents+got.Repeated != 3 || got.Verdict.Count != 3 {
		t.Errorf("of repeats are counted %+v", got)
	}
	if another := w.asks(second, doc("a", text(3)))[0]; another.Repeated || another.Offset == was[0].Offset && another.Partition == was[0].Partition {
		t.Errorf("another document with the same key is %+v", another)
	}
	w.settled()
	if report := w.audit(); !report.OK() || report.Unique != 3 {
		t.Error(report.String())
	}
}

// TestGatewaysAtOnce: of one request that comes to two members at the same time one document is unique, and both
// answers are that one.
func TestGatewaysAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.setup.Index.Duplicates.Remember.Keys = time.Hour
	members := []*running{w.start(), w.start()}
	const requests = 20
	answers := make(chan gateway.Answer, 2*requests)
	gateways := []*gateway.Gateway{w.gatewayOf(members[0]), w.gatewayOf(members[1])}
	ask := func(g *gateway.Gateway, n int) {
		ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
		defer cancel()
		d := doc(fmt.Sprint(n), fmt.Sprintf("%x is a text of its own %x, like no other %x", n*n*n, n*7919, n<<20))
		d.Topic = "news"
		answers <- g.Send(ctx, []gateway.Document{d}, time.Minute)[0]
	}
	for n := range requests {
		go ask(gateways[0], n)
		go ask(gateways[1], n)
	}
	coordinates := map[string]int{}
	for range 2 * requests {
		a := <-answers
		if a.Err != nil || a.Verdict != sink.Unique {
			t.Fatalf("a request is answered with %+v; want unique, and no error", a)
		}
		coordinates[fmt.Sprint(a.Partition, "/", a.Offset)]++
	}
	for at, n := range coordinates {
		if n != 2 {
			t.Errorf("%s is the answer to %d", at, n)
		}
	}
	if n := len(w.outputs("news.unique", requests)); n != requests || len(coordinates) != requests {
		t.Errorf("%d are unique, and %d were told", n, len(coordinates))
	}
	if report := w.audit(); !report.OK() {
		t.Error(report.String())
	}
}

// TestGatewayWithoutBroker: what the broker does not take has an error, and the wait ends.
func TestGatewayWithoutBroker(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.setup.Index.Duplicates.Remember.Keys = time.Hour
	m := w.start()
	g := w.gatewayOf(m)
	w.asks(g, doc("a", "a text"))
	m.network.sever()
	ctx, cancel := context.WithTimeout(w.ctx, 300*time.Millisecond)
	defer cancel()
	d := doc("b", "another text")
	d.Topic = "news"
	if a := g.Send(ctx, []gateway.Document{d}, time.Minute)[0]; a.Err == nil || a.Verdict != "" {
		t.Errorf("without a broker: %+v", a)
	}
	m.kill()
}

// TestGatewayOfASilentGroup: a successor and a dry run take documents, and tell no verdict, for none of theirs is in an
// output; they say which group forwards. After the handover the successor's verdicts count.
func TestGatewayOfASilentGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.setup.Index.Duplicates.Remember.Keys = time.Hour
	old := w.launch(named("old"))
	w.becomes("the old group is at work", func() bool { return old.Stats().Ready })
	next := w.start(w.successor("next"))
	dry := w.start(named("dry"), func(s *Setup) {
		s.Params.Group, s.Journal.Topic, s.Sink.DryRun = "trial", "trial.journal", true
	}, w.in(t.TempDir()))
	for m, want := range map[*running]gateway.NotForwarding{old: {}, next: {Other: "unecho"}, dry: {DryRun: true}} {
		w.becomes(fmt.Sprintf("it is %+v", want), func() bool { return m.NotForwarding() == want })
	}
	if first := w.asks(w.gatewayOf(old), doc("a", "a text"))[0]; first.Verdict != sink.Unique {
		t.Errorf("the group at work says %+v", first)
	}
	for group, m := range map[string]*running{"next": next, "trial": dry} {
		w.becomes("group "+group+" has it", func() bool { return m.Stats().Index.Documents == 1 })
		d := doc("a", "a text")
		d.Topic = "news"
		got := w.gatewayOf(m).Send(w.context(), []gateway.Document{d}, 100*time.Millisecond)[0]
		if got.Err != nil || got.Verdict != "" || got.Repeated {
			t.Errorf("group %s says %+v", group, got)
		}
		w.sent[0], w.total = max(w.sent[0], got.Offset+1), w.total+1
	}
	w.settled()
	w.handsOver(w.handover("next", false))
	w.refusedBy(old, "group next takes over from this one")
	w.becomes("the successor forwards", func() bool { return next.NotForwarding() == gateway.NotForwarding{} })
	if again := w.asks(w.gatewayOf(next), doc("a", "a text"))[0]; again.Verdict != sink.Duplicate {
		t.Errorf("after the handover it is %+v", again)
	}
}
