package api

import (
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
