package session

import (
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/unecho/unecho/consumer/balance"
	"github.com/unecho/unecho/consumer/stop"
)

// ErrReplaced is wrapped by what a session ends with whose place in the group another process took.
var ErrReplaced = errors.New("it was replaced")

// final returns the error that ends the process for one that does not pass, if it is one.
func (s *Setup) final(slot string, err error) error {
	var final *stop.Error
	switch {
	case errors.As(err, &final):
		return err
	case errors.Is(err, balance.ErrStranger), errors.Is(err, kerr.InconsistentGroupProtocol):
		return balance.Shared(s.Params.Group, "the next start names it", err)
	}
	for _, final := range []error{
		kerr.InvalidSessionTimeout, kerr.InvalidTransactionTimeout, kerr.GroupAuthorizationFailed,
		kerr.TopicAuthorizationFailed,
		kerr.TransactionalIDAuthorizationFailed, kerr.ClusterAuthorizationFailed, kerr.InvalidGroupID,
	} {
		if errors.Is(err, final) {
			return &stop.Error{
				What: "session " + slot + " cannot work", Err: err,
				Remedy: "correct the setting or the permission that the broker names",
			}
		}
	}
	return nil
}
