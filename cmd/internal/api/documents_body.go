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
)

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
