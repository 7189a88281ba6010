package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
)

// maxBody bounds the body of a request, in bytes.
const maxBody = 4 << 20

// readBody reads a body of JSON. It answers by itself what is none; the remedy says what is. A page of the web that
// has a browser send a form here is refused, because a form can't declare JSON.
func readBody(w http.ResponseWriter, r *http.Request, into any, remedy string) (ok bool) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		fail(w, http.StatusUnsupportedMediaType, "the body is not declared to be JSON", "send the header Content-Type: application/json")
		return false
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	if err == nil && decoder.More() {
		err = errors.New("more follows behind the first value")
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		fail(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes", maxBody), "send less in a request")
	case err != nil:
		fail(w, http.StatusBadRequest, "the body cannot be read: "+err.Error(), remedy)
	}
	return err == nil
}
