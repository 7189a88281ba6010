package session

import (
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/balance"
	"github.com/unecho/unecho/consumer/mail"
	"github.com/unecho/unecho/consumer/stop"
)

// A process ends whose partitions were dealt by somebody else.
func TestAGroupThatIsSharedEndsTheProcess(t *testing.T) {
	t.Parallel()
	var final *stop.Error
	s := &Session{Setup: &Setup{Params: Params{Group: "unecho"}}, mail: &mail.Box{}}
	if err := s.stopCause(&kgo.ErrGroupSession{Err: balance.ErrStranger}); !errors.As(err, &final) {
		t.Errorf("a process whose group is shared goes on: %v", err)
	}
}

// A person is needed, and that is found while the session has no client: it opens none, which would know nothing of it.
func TestStoppedBetweenClients(t *testing.T) {
	t.Parallel()
	s := &Session{mail: &mail.Box{}}
	because := &stop.Error{What: "the journal takes no appends"}
	_ = s.mail.Stop(because)
	if err := s.open(); !errors.Is(err, because) {
		t.Errorf("it opens with %v", err)
	}
}
