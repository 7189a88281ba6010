package s3

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/minio/minio-go/v7"

	"github.com/unecho/unecho/index/snapshot"
)

// target is what errors say of the store.
type target struct {
	host, bucket, region string
}

// problem is an error with its remedy.
type problem struct {
	target       target
	what, remedy string
	away         bool
	err          error
}

// Is says that a store is away which may be back at a later attempt.
func (p *problem) Is(target error) bool { return p.away && target == snapshot.ErrAway }

// Error names the store, what happened and the remedy.
func (p *problem) Error() string {
	return fmt.Sprintf("S3 at %s, bucket %s: %s: %s", p.target.host, p.target.bucket, p.what, p.remedy)
}

// Unwrap returns the cause.
func (p *problem) Unwrap() error { return p.err }

// stale says whether credentials that are read again may help.
func stale(err error) bool {
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) {
		return false
	}
	switch answer.Code {
	case "ExpiredToken", "ExpiredTokenException", "InvalidAccessKeyId", "InvalidToken", "SignatureDoesNotMatch", "AccessDenied":
		return true
	}
	return false
}

// waited says that another member, whose name may be unknown, had the collector's lock for too long.
func (t target) waited(by string) error {
	return &problem{
		target: t, what: "another member publishes or collects (" + cmp.Or(by, "unknown") + ")",
		remedy: "this one tries again; if it goes on, look at the other's log", away: true, err: context.DeadlineExceeded,
	}
}

// explain adds store and remedy to an error.
func (t target) explain(err error) error {
	var answer minio.ErrorResponse
	var network net.Error
	var certificate *tls.CertificateVerificationError
	p := &problem{target: t, err: err}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled), errors.As(err, new(*problem)):
		return err
	case errors.Is(err, errNoCredentials):
		p.what, p.away = err.Error(), true
		p.remedy = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SHARED_CREDENTIALS_FILE, or give the pod or the " +
			"instance a role"
	case errors.As(err, &certificate):
		p.what, p.remedy = certificate.Error(), "name the certificates of its authority in snapshots.s3.ca_file, or the host of "+
			"the certificate in snapshots.s3.endpoint"
	case errors.As(err, &answer):
		p.what, p.remedy, p.away = cmp.Or(answer.Message, answer.Code), remedy(answer), away(answer)
	case errors.Is(err, context.DeadlineExceeded):
		p.what, p.remedy, p.away = "no answer in time", "is it overloaded, or a firewall in between?", true
	case errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		p.what, p.remedy, p.away = err.Error(), "is it running, and does snapshots.s3.endpoint name it?", true
	default:
		return err
	}
	return p
}

// away says whether a later attempt may succeed.
func away(answer minio.ErrorResponse) bool {
	switch answer.Code {
	case "ExpiredToken", "ExpiredTokenException", "SlowDown", "RequestTimeout", "OperationAborted", "ConditionalRequestConflict",
		"Throttling", "ThrottlingException", "RequestLimitExceeded", "RequestThrottled":
		return true
	}
	switch status := answer.StatusCode; status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, 499: // the last is a proxy's: the client has gone
		return true
	case http.StatusNotImplemented, http.StatusInsufficientStorage:
		return false
	default:
		return status >= http.StatusInternalServerError
	}
}

func remedy(answer minio.ErrorResponse) string {
	if answer.StatusCode == 0 { // the library cannot read a header of the answer
		return "is there a proxy in between that changes headers?"
	}
	if answer.StatusCode == http.StatusNotFound && !spoken(answer) {
		return "whoever answers does not speak like S3: does snapshots.s3.endpoint name the store, and not a page of it or a proxy?"
	}
	switch answer.Code {
	case minio.NoSuchBucket:
		return "make it, or name another in snapshots.s3.bucket"
	case "AccessDenied", "AllAccessDisabled":
		return "the credentials need the rights s3:ListBucket on the bucket, and s3:GetObject, s3:PutObject and " +
			"s3:DeleteObject on what is in it; without any, set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or " +
			"AWS_SHARED_CREDENTIALS_FILE"
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken":
		return "check the credentials (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the file, role or instance they come from)"
	case "ExpiredToken", "ExpiredTokenException":
		return "the credentials have expired: whoever gave them must give new ones; they are read again at each attempt"
	case "RequestTimeTooSkewed":
		return "the clock of this machine is off: set it by NTP"
	case "AuthorizationHeaderMalformed", "PermanentRedirect", "InvalidRegion", "IllegalLocationConstraintException":
		return "the bucket is in another region: name it in snapshots.s3.region"
	case "QuotaExceeded", "XMinioStorageFull", "InsufficientStorage":
		return "make room there, or remember fewer documents (duplicates.remember)"
	case "NotImplemented":
		return "the store does not do what is asked: use one that has conditional writes, or choose snapshots.postgres"
	case "SlowDown":
		return "it asks for fewer requests; this one is tried again"
	}
	return fmt.Sprintf("look at the store's log (%s, status %d)", answer.Code, answer.StatusCode)
}
