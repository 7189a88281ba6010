package registry

import (
	"context"
	"errors"
	"maps"
	"sync/atomic"
	"time"
)

// maxCached bounds how many schemas are kept. Beyond that all are dropped, and those in use are asked for again.
const maxCached = 1000

// unknownFor is how long a schema that the registry does not know is not asked for again.
const unknownFor = 10 * time.Second

// Cache keeps what is made of schemas. Any number of goroutines may use it.
type Cache[T any] struct {
	client  *Client
	compile func(Schema) (T, error)
	asking  chan struct{} // holds one token: one question at a time, so that the same is not asked twice
	known   atomic.Pointer[map[ID]answer[T]]
}

// answer is what is known of a schema.
type answer[T any] struct {
	made  T
	err   error
	until time.Time // zero: for ever
}

// NewCache makes a cache. An error of compile makes a schema unusable for ever.
func NewCache[T any](client *Client, compile func(Schema) (T, error)) *Cache[T] {
	c := &Cache[T]{client: client, compile: compile, asking: make(chan struct{}, 1)}
	c.known.Store(&map[ID]answer[T]{})
	return c
}

// Get returns what was made of a schema, and asks the registry if nobody has yet. The error is as that of Client.Schema.
func (c *Cache[T]) Get(ctx context.Context, id ID) (T, error) {
	if a, is := c.recall(id); is {
		return a.made, a.err
	}
	select {
	case c.asking <- struct{}{}:
		defer func() { <-c.asking }()
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
	if a, is := c.recall(id); is { // somebody else has asked meanwhile
		return a.made, a.err
	}
	a, final := c.ask(ctx, id)
	if final {
		c.keep(id, a)
	}
	return a.made, a.err
}

func (c *Cache[T]) recall(id ID) (answer[T], bool) {
	a, is := (*c.known.Load())[id]
	return a, is && (a.until.IsZero() || time.Now().Before(a.until))
}

// ask asks the registry. final is false if it has not answered.
func (c *Cache[T]) ask(ctx context.Context, id ID) (a answer[T], final bool) {
	var unusable *UnusableError
	schema, err := c.client.Schema(ctx, id)
	switch {
	case errors.Is(err, ErrUnknown):
		return answer[T]{err: err, until: time.Now().Add(unknownFor)}, true
	case errors.As(err, &unusable):
		return answer[T]{err: err}, true
	case err != nil:
		return answer[T]{err: err}, false
	}
	if a.made, err = c.compile(schema); err != nil {
		a.err = &UnusableError{Err: err}
	}
	return a, true
}

// keep is only called while the token of asking is held.
func (c *Cache[T]) keep(id ID, a answer[T]) {
	known := maps.Clone(*c.known.Load())
	if len(known) >= maxCached {
		clear(known)
	}
	known[id] = a
	c.known.Store(&known)
}
