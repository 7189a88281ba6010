//go:build unix

package main

import "context"

// widerBy is how many partitions the source gets at once.
const widerBy = 2

// widen adds partitions to the source, and has the load write to them. It returns false if the brokers do not add them,
// for example while one is away.
func (s *scene) widen(ctx context.Context) (bool, error) {
	var wide int
	is := func(ctx context.Context) bool {
		topics, err := s.world.admin.ListTopics(ctx, s.source)
		if err == nil {
			wide = len(topics[s.source].Partitions)
		}
		return err == nil && wide > 0
	}
	if err := until(ctx, "the width of the source is known", commitTimeout, is); err != nil {
		return false, err
	}
	want := wide + widerBy
	if err := until(ctx, "partitions are added", recovery, func(ctx context.Context) bool {
		_, _ = s.world.admin.UpdatePartitions(ctx, want, s.source) // what comes of it is looked at
		return is(ctx) && wide >= want
	}); err != nil {
		return false, nil //nolint:nilerr // as said above
	}
	return true, s.load.widen(ctx, s.source, want)
}
