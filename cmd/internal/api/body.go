package api

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"sync/atomic"
)

// Bounds of the bodies of requests, in bytes: of one, and of all that are at hand at a time. What a body is read into
// takes up to four times as much.
const (
	maxBody   = 4 << 20
	maxBodies = 32 << 20
)

// errCrowded says that the bodies of all requests together are too large.
var errCrowded = errors.New("too many large requests at the same time")

// bodies bounds the memory of the requests that are at hand. A request counts with what has come of it, so that a
// slow one does not keep others away by what it only announces.
type bodies struct {
	left atomic.Int64
}

// bounded lets a handler read bodies within the bound, and counts what it has read until it returns.
func (b *bodies) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := &counted{ReadCloser: http.MaxBytesReader(w, r.Body, maxBody), of: b}
		defer func() { b.left.Add(body.taken) }()
		r.Body = body
		next.ServeHTTP(w, r)
	})
}

// counted is a body that takes of what is left for all.
type counted struct {
	io.ReadCloser
	of    *bodies
	taken int64
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if !c.take(n) {
		return 0, errCrowded
	}
	return n, err
}

// take takes n bytes of what is left for all, and says whether there were as many.
func (c *counted) take(n int) bool {
	c.taken += int64(n)
	return c.of.left.Add(-int64(n)) >= 0
}

// crowded answers that there is no room for a request now.
func crowded(w http.ResponseWriter, err error) {
	w.Header().Set("Retry-After", "1")
	w.Header().Set("Connection", "close") // what is left of the body is not read
	fail(w, http.StatusTooManyRequests, err.Error(),
		"ask again in a second, in smaller requests or fewer at a time, or ask another member")
}

// nothingBehind refuses a body that goes on behind its first value, be it with a brace too many.
func nothingBehind(decoder *json.Decoder) error {
	var more json.RawMessage
	if err := decoder.Decode(&more); err == nil || errors.As(err, new(*json.SyntaxError)) {
		return errors.New("there is more after the first value")
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// readBody reads a body of JSON. It answers by itself what is none; the remedy says what is. A page of the web that
// has a browser send a form here is refused, because a form can't declare JSON.
func readBody(w http.ResponseWriter, r *http.Request, into any, remedy string) (ok bool) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != kindJSON {
		fail(w, http.StatusUnsupportedMediaType, "the Content-Type is not JSON",
			"send the header Content-Type: application/json")
		return false
	}
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	if err == nil {
		err = nothingBehind(decoder)
	}
	if err != nil {
		refuseBody(w, err, remedy)
	}
	return err == nil
}

// refuseBody answers why a body cannot be read; remedy says what one should be.
func refuseBody(w http.ResponseWriter, err error, remedy string) {
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, errCrowded):
		crowded(w, err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		fail(w, http.StatusRequestTimeout, "the body did not arrive in time", "send it at once")
	case errors.As(err, &large):
		fail(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes", maxBody), "send less in a request")
	case errors.Is(err, errUnpacked):
		fail(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes, unpacked", maxBody),
			"send less in a request")
	case errors.Is(err, errCoding):
		fail(w, http.StatusUnsupportedMediaType, err.Error(), "send the body as it is, or with Content-Encoding: gzip")
	default:
		fail(w, http.StatusBadRequest, "the body cannot be read: "+err.Error(), remedy)
	}
}

// Kinds of bodies with documents.
const (
	kindJSON   = "application/json"
	kindLines  = "application/x-ndjson"
	kindText   = "text/plain"
	kindBinary = "application/octet-stream"
)

const documentsRemedy = "send a document as application/json, text/plain or application/octet-stream, or several as a JSON " +
	"array or as application/x-ndjson, a document a line"

var errNoJSON = errors.New("is not JSON")

// readDocuments reads the documents of a body, as they are, for a topic. It answers by itself what has none.
func (a *api) readDocuments(w http.ResponseWriter, r *http.Request, topic string) (values [][]byte, ok bool) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != kindJSON && kind != kindLines && kind != kindText && kind != kindBinary {
		fail(w, http.StatusUnsupportedMediaType, "the Content-Type is not supported", documentsRemedy)
		return nil, false
	}
	body, err := a.whole(r)
	if err != nil {
		refuseBody(w, err, documentsRemedy)
		return nil, false
	}
	if values, err = split(kind, body); err != nil {
		fail(w, http.StatusBadRequest, err.Error(), documentsRemedy)
		return nil, false
	}
	return values, a.acceptable(w, values, topic)
}

// acceptable says whether so many documents of these sizes are taken for a topic, and answers by itself if not.
func (a *api) acceptable(w http.ResponseWriter, values [][]byte, topic string) bool {
	if len(values) == 0 || len(values) > maxDocuments {
		fail(w, http.StatusBadRequest, fmt.Sprintf("the body has no document, or more than %d", maxDocuments),
			"send at least one, and more in several requests")
		return false
	}
	most := min(a.MaxDocument, a.reader.MaxBytes(topic))
	for i, value := range values {
		if len(value) > most {
			fail(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("document %d has %d bytes, and topic %s takes %d", i+1,
				len(value), topic, most), "send it to the source topic by Kafka, or shorten it")
			return false
		}
	}
	return true
}

// errUnpacked says that a packed body is too large, errCoding that it is packed in another way.
var (
	errUnpacked = errors.New("unpacks to too much")
	errCoding   = errors.New("the compression of the body is not supported")
)

// whole reads a body, which may be packed. What it unpacks to counts as the body itself does.
func (a *api) whole(r *http.Request) ([]byte, error) {
	switch coding := r.Header.Get("Content-Encoding"); coding {
	case "", "identity":
		return io.ReadAll(r.Body)
	case "gzip":
	default:
		return nil, errCoding
	}
	packed, err := gzip.NewReader(r.Body)
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	counts, ok := r.Body.(*counted)
	if !ok {
		return nil, errors.New("a body that nobody counts") // our bug: all are
	}
	body, err := io.ReadAll(io.LimitReader(&unpacking{packed, counts}, maxBody+1))
	if err == nil && len(body) > maxBody {
		err = errUnpacked
	}
	return body, err
}

type unpacking struct {
	io.Reader
	with *counted
}

// Read implements io.Reader.
func (u *unpacking) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if !u.with.take(n) {
		return 0, errCrowded
	}
	return n, err
}

// split returns the documents of a body, one more than a body may have at most.
func split(kind string, body []byte) (values [][]byte, err error) {
	switch {
	case kind == kindLines:
		number := 0
		for line := range bytes.Lines(body) {
			number++
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}
			if !json.Valid(line) {
				return nil, fmt.Errorf("line %d %w", number, errNoJSON)
			}
			if values = append(values, line); len(values) > maxDocuments {
				break
			}
		}
		return values, nil
	case kind != kindJSON:
		return [][]byte{body}, nil
	case !json.Valid(body):
		return nil, fmt.Errorf("the body %w", errNoJSON)
	case bytes.TrimSpace(body)[0] != '[':
		return [][]byte{body}, nil
	}
	in := json.NewDecoder(bytes.NewReader(body))
	if _, err := in.Token(); err != nil {
		return nil, fmt.Errorf("the body %w", errNoJSON)
	}
	for in.More() && len(values) <= maxDocuments {
		var raw json.RawMessage
		if err := in.Decode(&raw); err != nil {
			return nil, fmt.Errorf("the body %w", errNoJSON)
		}
		values = append(values, raw)
	}
	return values, nil
}
