package token

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"time"
)

// Token is shown to the broker at a login.
type Token struct {
	Value  string
	Expiry time.Time // zero if it is unknown
}

// maxToken bounds the bytes that are read of a file. Brokers accept only much shorter requests.
const maxToken = 256 << 10

// bearer matches the characters of a token (RFC 6750, section 2.1).
var bearer = regexp.MustCompile(`^[A-Za-z0-9._~+/-]+=*$`)

var errNoToken = errors.New("there is no token in it: neither one alone, nor JSON with access_token")

// parse reads the contents of a file: a token alone, or JSON as token endpoints answer.
func parse(text []byte, now time.Time) (Token, error) {
	text = bytes.TrimSpace(text)
	if !bytes.HasPrefix(text, []byte("{")) {
		return checked(Token{Value: string(text)})
	}
	var answer struct {
		AccessToken string      `json:"access_token"`
		Token       string      `json:"token"`
		ExpiresIn   json.Number `json:"expires_in"` // s; some issuers write it as text
	}
	if json.Unmarshal(text, &answer) != nil { // the error is not shown, because it may hold some of the text
		return Token{}, errNoToken
	}
	t := Token{Value: answer.AccessToken}
	if t.Value == "" {
		t.Value = answer.Token
	}
	if seconds, err := answer.ExpiresIn.Float64(); err == nil && seconds > 0 && seconds < 1e9 {
		t.Expiry = now.Add(time.Duration(seconds * float64(time.Second)))
	}
	return checked(t)
}

// checked refuses a value that cannot be a token, and reads the expiry of a token that contains it.
func checked(t Token) (Token, error) {
	if !bearer.MatchString(t.Value) {
		return Token{}, errNoToken
	}
	if t.Expiry.IsZero() {
		t.Expiry = expiryOf(t.Value)
	}
	return t, nil
}

// expiryOf reads when a JWT expires (RFC 7519, section 4.1.4). The broker checks the signature, not we.
func expiryOf(value string) time.Time {
	parts := strings.Split(value, ".")
	if len(parts) != 3 {
		return time.Time{}
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return time.Time{}
	}
	var at struct {
		Exp float64 `json:"exp"` // s since 1970
	}
	if json.Unmarshal(claims, &at) != nil || at.Exp <= 0 || at.Exp > 1e11 {
		return time.Time{}
	}
	return time.UnixMilli(int64(at.Exp * 1000))
}
