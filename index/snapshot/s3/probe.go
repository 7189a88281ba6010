package s3

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/minio/minio-go/v7"
)

const probesKey = "probes/"

// Probe implements snapshot.Prober.
func (p Params) Probe(ctx context.Context, index string) (remark string, err error) {
	s, err := p.open(index)
	if err == nil {
		remark, err = s.probe(ctx)
		err = errors.Join(s.target.explain(err), s.Close())
	}
	if err != nil {
		return "", fmt.Errorf("try the store: %w", err)
	}
	return remark, nil
}

// probe writes an object, again on conditions of which some hold and some do not, reads it, and deletes it.
func (s *Store) probe(ctx context.Context) (remark string, err error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	c := &claim{store: s, key: s.root + probesKey + rand.Text(), id: rand.Text()}
	if err := c.write(ctx, condition{absent: true}); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, s.delete(ctx, c.key)) }()
	err = errors.Join(s.refuses(ctx, c.key, condition{absent: true}),
		s.refuses(ctx, c.key, condition{unchanged: true, etag: "0123456789abcdef0123456789abcdef"}))
	if err != nil {
		return "", err
	}
	began := time.Now()
	done, err := s.put(ctx, c.key, []byte("2"), condition{unchanged: true, etag: c.etag})
	if err != nil {
		return "", err
	}
	found, err := s.get(ctx, c.key, longestHolder, false)
	switch {
	case err != nil:
		return "", err
	case string(found.data) != "2":
		return "", errConditions
	case twoClocks(found.age, time.Since(began)):
		return "", fmt.Errorf("an answer's Date and the Last-Modified of what was written just now are %v apart: two clocks, of a "+
			"proxy or of several servers, by which no lease can be kept: set them by NTP", found.age)
	}
	return remarkOn(done), nil
}

// twoClocks says that the age of an object is none that it can have by one clock, so long after it was begun to be written.
func twoClocks(age, since time.Duration) bool { return age < -leaseMargin || age > leaseMargin+since }

// refuses returns nil if the store does not write an object on a condition that does not hold.
func (s *Store) refuses(ctx context.Context, key string, on condition) error {
	switch _, err := s.put(ctx, key, []byte("2"), on); {
	case errors.Is(err, errChanged):
		return nil
	case err == nil:
		return errConditions
	default:
		return err
	}
}

// errConditions: the store is none that members can share.
var errConditions = errors.New("the store does not keep to the conditions of a PUT (If-None-Match, If-Match), so that two " +
	"members could overwrite each other: use a store that does, such as AWS S3, or choose snapshots.postgres")

// remarkOn says what the bucket does to objects besides keeping them.
func remarkOn(done minio.UploadInfo) string {
	switch {
	case !done.Expiration.IsZero():
		return "a lifecycle rule of the bucket deletes what is written there, and snapshots need segments for as long as the window lasts"
	case done.VersionID != "" && done.VersionID != "null":
		return "the bucket keeps versions: what is deleted, and texts that were erased, stay in it, and a lease makes 14,400 a day"
	}
	return ""
}
