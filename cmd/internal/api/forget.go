package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/stop"
)

// Bounds of what is forgotten by one request. The time is less than a request may take.
const (
	maxForgotten  = 1000
	forgetTimeout = 25 * time.Second
)

const forgetRemedy = `send {"documents": ["an id", "topic/partition/offset"]}`

type order struct {
	Documents []string `json:"documents"`
	Copies    bool     `json:"copies"`
	DryRun    bool     `json:"dry_run"`
}

// forget answers POST /api/v1/forget, and does what `unecho forget` does. It changes what the group remembers, so to
// reach a loopback address is not enough for it.
func (a *api) forget(w http.ResponseWriter, r *http.Request) {
	if a.Access.Token == nil {
		fail(w, http.StatusForbidden, "documents are forgotten only for callers with a token, and this member has no token",
			"set http.token, or http.token_file, or run `unecho forget`")
		return
	}
	var o order
	if !readBody(w, r, &o, forgetRemedy) {
		return
	}
	switch {
	case len(o.Documents) == 0 || slices.Contains(o.Documents, ""):
		fail(w, http.StatusBadRequest, "the body names no document, or one by an empty name", forgetRemedy)
		return
	case len(o.Documents) > maxForgotten:
		fail(w, http.StatusBadRequest, fmt.Sprintf("%d documents are more than %d", len(o.Documents), maxForgotten),
			"ask in several requests, or run `unecho forget --file`")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), forgetTimeout)
	defer cancel()
	found, offset, err := a.Service.Forget(ctx, o.Documents, o.Copies, o.DryRun)
	if err != nil {
		a.notForgotten(w, err)
		return
	}
	told := report.NewForgotten(&found, a.Remains)
	told.DryRun, told.Offset = o.DryRun, max(0, offset)
	if offset >= 0 {
		a.Logger.Info().Int("documents", len(found.Documents)).Int64("journal_offset", offset).
			Msg("documents were forgotten at a request of the API")
	}
	answer(w, http.StatusOK, told)
}

// notForgotten says why nothing, or not all, was forgotten.
func (a *api) notForgotten(w http.ResponseWriter, err error) {
	var stopped *stop.Error
	switch {
	case errors.Is(err, member.ErrBusy):
		w.Header().Set("Retry-After", "5")
		fail(w, http.StatusTooManyRequests, "documents are being forgotten for another caller", "ask again in some seconds")
	case errors.Is(err, context.DeadlineExceeded):
		w.Header().Set("Retry-After", "5")
		fail(w, http.StatusServiceUnavailable,
			"Kafka or this member's replica took too long: documents may be forgotten or not",
			"ask again, which changes nothing about those that are, or ask another member")
	case errors.As(err, &stopped):
		a.Logger.Error().Err(err).Msg("documents could not be forgotten")
		fail(w, http.StatusBadGateway, stopped.What, stopped.Remedy)
	case errors.Is(err, member.ErrNoReplica), errors.Is(err, context.Canceled):
		a.refuse(w, err)
	default:
		a.Logger.Error().Err(err).Msg("documents could not be forgotten")
		fail(w, http.StatusInternalServerError, "the documents could not be forgotten, or not all of them",
			"the log of this member says why")
	}
}
