package inspect

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/consumer/retry"
)

// Stream is what a member tells while it finds copies.
type Stream struct {
	Copy      func(shape.Copy) error // called with each copy
	Missed    func(n uint64)         // so many were left out, because there were too many to read
	Restarted func()                 // the member has begun anew, or another one answers now
	Unread    func(error)            // an event was passed over, because it is none that is known here
	Lost      func(error)            // the member is away; it is asked again until it is back
}

// again is how long a member that went away is left alone.
const again = 2 * time.Second

// mostLine bounds a line of a stream. Ids are bounded by the member.
const mostLine = 1 << 20

// Follow hands on copies as they are found, behind the event of that id, until ctx is done or a handler fails. A
// member that goes away is asked again. An answer that says no ends it, unless the member only has too much to do.
func (c *Client) Follow(ctx context.Context, f Filter, last string, s Stream) error {
	for {
		err := c.follow(ctx, f, &last, s)
		var refused *Error
		var handler handled
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // whoever cancels wants the end
		case errors.As(err, &handler):
			return handler.error
		case errors.As(err, &refused) && refused.Status != http.StatusTooManyRequests &&
			refused.Status < http.StatusInternalServerError:
			return err
		}
		s.Lost(err)
		if retry.Pause(ctx, c.again) != nil {
			return nil //nolint:nilerr // whoever cancels wants the end
		}
	}
}

// handled is an error of a handler, which ends the stream.
type handled struct{ error }

func (c *Client) follow(ctx context.Context, f Filter, last *string, s Stream) error {
	query := f.query()
	query.Del("limit")
	query.Set("after", *last)
	answer, err := c.send(ctx, http.MethodGet, "events", query, nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, mostLine)
	var e event
	for lines.Scan() {
		if line := lines.Text(); line != "" {
			e.take(line)
			continue
		}
		if err := e.handle(s); err != nil {
			return err
		}
		e.next(last)
		e = event{}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) && e.id != "" && e.id != *last {
		e.next(last) // else it would be sent again, and again
		s.Unread(fmt.Errorf("the member tells of a copy in more than %d bytes", mostLine))
		return fmt.Errorf("the events after it are requested again: %w", err)
	} else if err != nil {
		return fmt.Errorf("the member's answer broke off: %w", err)
	}
	return fmt.Errorf("the member's answer ended: %w", io.EOF)
}

// event is one server-sent event (WHATWG HTML, section 9.2).
type event struct{ id, kind, data string }

func (e *event) take(line string) {
	field, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch field {
	case "id":
		e.id = value
	case "event":
		e.kind = value
	case "data":
		e.data += value
	}
}

// next notes that a stream goes on behind the event.
func (e *event) next(last *string) {
	if e.id != "" {
		*last = e.id
	}
}

func (e *event) handle(s Stream) error {
	switch e.kind {
	case "copy":
		var found shape.Copy
		if err := json.Unmarshal([]byte(e.data), &found); err != nil {
			s.Unread(fmt.Errorf("the member sent an event that is not a copy: %w", err))
		} else if err := s.Copy(found); err != nil {
			return handled{err}
		}
	case "missed":
		var n struct{ Copies uint64 }
		if err := json.Unmarshal([]byte(e.data), &n); err != nil {
			s.Unread(fmt.Errorf("the member sent an event that is not a count: %w", err))
			return nil
		}
		s.Missed(n.Copies)
	case "restarted":
		s.Restarted()
	}
	return nil
}
