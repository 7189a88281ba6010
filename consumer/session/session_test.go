package session

import (
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/balance"
	"github.com/unecho/unecho/consumer/stop"
)

// A process ends whose partitions were dealt by somebody else.
func TestAGroupThatIsSharedEndsTheProcess(t *testing.T) {
	t.Parallel()
	var final *stop.Error
	s := &Session{Setup: &Setup{Params: Params{Group: "unecho"}}, mail: &mailbox{}}
	if err := s.stopCause(&kgo.ErrGroupSession{Err: balance.ErrStranger}); !errors.As(err, &final) {
		t.Errorf("a process whose group is shared goes on: %v", err)
	}
}
