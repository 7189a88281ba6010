package s3

import (
	"context"
	"strings"
	"time"

	"github.com/unecho/unecho/index/snapshot/objects"
)

// place is a Store as an objects.Place.
type place struct{ s *Store }

// Put implements objects.Place.
func (p place) Put(ctx context.Context, name string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, dataBound)
	defer cancel()
	_, err := p.s.put(ctx, p.s.root+name, data, condition{})
	return err
}

// Read implements objects.Place.
func (p place) Read(ctx context.Context, name string, most int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, dataBound)
	defer cancel()
	found, err := p.s.get(ctx, p.s.root+name, most, false)
	return found.data, err
}

// Head implements objects.Place.
func (p place) Head(ctx context.Context, name string, bytes int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	found, err := p.s.get(ctx, p.s.root+name, bytes, true)
	return found.data, err
}

// List implements objects.Place.
func (p place) List(ctx context.Context, prefix string) ([]objects.Object, error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	listed, err := p.s.list(ctx, p.s.root+prefix)
	all := make([]objects.Object, len(listed))
	for i, o := range listed {
		all[i] = objects.Object{Name: strings.TrimPrefix(o.Key, p.s.root), Bytes: o.Size, At: o.LastModified}
	}
	return all, err
}

// Delete implements objects.Place.
func (p place) Delete(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	return p.s.delete(ctx, p.s.root+name)
}

// Exclusively implements objects.Place.
func (p place) Exclusively(ctx context.Context, fn func(ctx context.Context) error) error {
	return p.s.exclusively(ctx, fn)
}

// Now implements objects.Place.
func (p place) Now() (time.Time, error) { return p.s.clock.now(), nil }

// Called implements objects.Place.
func (p place) Called(name string) string { return p.s.root + name }

// Wrap implements objects.Place.
func (p place) Wrap(err error, format string, args ...any) error {
	return p.s.wrap(err, format, args...)
}
