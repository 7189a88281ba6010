package s3

import (
	"context"
	"crypto/rand"
	"errors"
)

// Probe implements snapshot.Prober. It writes an object, tries to write it again on conditions that do not hold, and
// deletes it.
func (s *Store) Probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	key := s.root + "probes/" + rand.Text()
	if _, err := s.put(ctx, key, []byte("1"), condition{absent: true}); err != nil {
		return err
	}
	err := errors.Join(s.refuses(ctx, key, condition{absent: true}), s.refuses(ctx, key, condition{etag: "0123456789abcdef0123456789abcdef"}))
	return errors.Join(err, s.delete(ctx, key))
}

// refuses returns nil if the store does not write an object on a condition that does not hold.
func (s *Store) refuses(ctx context.Context, key string, on condition) error {
	_, err := s.put(ctx, key, []byte("2"), on)
	switch {
	case errors.Is(err, errChanged):
		return nil
	case err == nil:
		return errConditions
	}
	return err
}

// errConditions: the store is none that members can share.
var errConditions = errors.New("the store ignores the conditions of a PUT (If-None-Match, If-Match), so that two members " +
	"could overwrite each other: use a store that has them, such as AWS S3, or choose snapshots.postgres")
