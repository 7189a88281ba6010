package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/unecho/unecho/index/snapshot/objects"
)

// condition says on which condition an object is written. The zero value is none.
type condition struct {
	absent    bool // there is no such object
	unchanged bool // the object is still the one with this tag
	etag      string
}

// put writes an object, wholly or not at all. Expect errChanged if the condition does not hold, and errNoTag.
func (s *Store) put(ctx context.Context, key string, data []byte, on condition) (minio.UploadInfo, error) {
	options := minio.PutObjectOptions{
		DisableMultipart: true, SendContentMd5: true, ServerSideEncryption: s.sse, ContentType: "application/octet-stream",
	}
	switch {
	case on.absent:
		options.SetMatchETagExcept("*")
	case on.unchanged && untagged(on.etag): // without a tag the library would set no condition
		return minio.UploadInfo{}, errNoTag
	case on.unchanged:
		options.SetMatchETag(on.etag)
	}
	done, err := s.client.Client.PutObject(ctx, s.bucket, key, bytes.NewReader(data), int64(len(data)), options)
	if err == nil {
		if on != (condition{}) && untagged(done.ETag) {
			err = errNoTag
		}
		return done, err
	}
	answer := minio.ToErrorResponse(err)
	refused := answer.StatusCode == http.StatusPreconditionFailed || answer.StatusCode == http.StatusConflict
	if on != (condition{}) && refused || on.unchanged && answer.StatusCode == http.StatusNotFound && answer.Code == minio.NoSuchKey {
		err = errChanged
	}
	return minio.UploadInfo{}, err
}

// untagged says whether a tag is none by which a store compares bytes.
func untagged(etag string) bool { return etag == "" || strings.HasPrefix(etag, "W/") }

// errChanged: another has written the object since it was read.
var errChanged = errors.New("the object has changed")

// errNoTag: conditions by such an answer would be none.
var errNoTag = errors.New("the store's answer has no strong ETag: is there a proxy in between that takes it out?")

// object is one that was read.
type object struct {
	data []byte
	etag string
	at   time.Time     // when it was written, by the store's clock
	age  time.Duration // how long before the answer that was
}

// get reads at most the first most bytes of an object. An object that has more is an error, unless only its head is
// wanted. Expect objects.ErrAbsent, which only the store itself can say: a proxy that does not find the store answers alike.
func (s *Store) get(ctx context.Context, key string, most int64, head bool) (object, error) {
	options := minio.GetObjectOptions{}
	if head {
		if err := options.SetRange(0, most-1); err != nil {
			return object{}, err
		}
	}
	body, info, header, err := s.client.GetObject(ctx, s.bucket, key, options)
	switch answer := minio.ToErrorResponse(err); {
	case err == nil:
	case answer.Code == minio.NoSuchKey && spoken(answer):
		return object{}, objects.ErrAbsent
	case answer.StatusCode == http.StatusRequestedRangeNotSatisfiable: // it is empty
		return s.get(ctx, key, most, false)
	default:
		return object{}, err
	}
	data := bytes.NewBuffer(make([]byte, 0, min(max(info.Size, 0), most)+bytes.MinRead))
	_, err = data.ReadFrom(io.LimitReader(body, most+1))
	if err = errors.Join(err, body.Close()); err != nil {
		return object{}, err
	}
	now, err := http.ParseTime(header.Get("Date"))
	found := object{data: data.Bytes(), etag: strings.Trim(info.ETag, `"`), at: info.LastModified, age: now.Sub(info.LastModified)}
	switch {
	case int64(data.Len()) > most && !head:
		return object{}, fmt.Errorf("object %s is larger than the %d bytes that it may have", key, most)
	case err != nil:
		return object{}, errors.New("the store's answer has no date: is there a proxy in between that takes it out?")
	case untagged(found.etag):
		return object{}, errNoTag
	}
	return found, nil
}

// spoken says whether a refusal is in the words of S3. The library makes one up for an answer that has none.
func spoken(answer minio.ErrorResponse) bool { return answer.XMLName.Local != "" }

// list returns the objects whose names begin with prefix. The library ends a list whose context has ended without a word.
func (s *Store) list(ctx context.Context, prefix string) (objects []minio.ObjectInfo, err error) {
	for object := range s.client.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		if object.Err != nil {
			return nil, object.Err
		}
		objects = append(objects, object)
	}
	return objects, ctx.Err()
}

// delete deletes an object, if there is one.
func (s *Store) delete(ctx context.Context, key string) error {
	return s.client.RemoveObject(ctx, s.bucket, key, minio.RemoveObjectOptions{})
}
