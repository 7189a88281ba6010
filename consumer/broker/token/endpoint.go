package token

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// endpoint gets tokens from a token endpoint (RFC 6749, section 4.4).
func endpoint(p Params, by http.RoundTripper) func(context.Context) (Token, error) {
	asked := &clientcredentials.Config{
		ClientID: p.ClientID, ClientSecret: p.ClientSecret, TokenURL: p.TokenURL, Scopes: p.Scopes,
		EndpointParams: url.Values{},
	}
	for _, param := range p.Params {
		name, value, _ := strings.Cut(param, "=")
		asked.EndpointParams.Add(name, value)
	}
	client := &http.Client{
		Transport: by,
		// A redirect is not followed, so that the secret goes nowhere else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return func(ctx context.Context) (Token, error) {
		t, err := asked.Token(context.WithValue(ctx, oauth2.HTTPClient, client))
		if err != nil {
			return Token{}, refused(p, err)
		}
		found, err := checked(Token{Value: t.AccessToken, Expiry: t.Expiry})
		if err != nil {
			return Token{}, &Error{
				What:   p.TokenURL + " answers, but not with a token",
				Remedy: "check kafka.sasl.oauth.token_url",
			}
		}
		return found, nil
	}
}

// refused explains why a token endpoint gave no token.
func refused(p Params, err error) *Error {
	var answer *oauth2.RetrieveError
	if !errors.As(err, &answer) || answer.Response == nil {
		return &Error{
			What: "no token from " + p.TokenURL, Err: err,
			Remedy: "see whether kafka.sasl.oauth.token_url can be reached from here, and its certificate is signed by an " +
				"authority of the system or of kafka.tls.ca_file",
		}
	}
	e := &Error{
		What:   "no token: " + p.TokenURL + " answers " + answer.Response.Status,
		Remedy: "check that the token endpoint is up",
	}
	if said := strings.TrimSpace(answer.ErrorCode + " " + answer.ErrorDescription); said != "" {
		e.Err = errors.New(printable(strings.NewReplacer(p.ClientSecret, "***", url.QueryEscape(p.ClientSecret), "***").
			Replace(said)))
	}
	if code := answer.Response.StatusCode; code >= 300 && code < 500 && code != http.StatusTooManyRequests {
		e.Remedy = "check token_url, client_id, client_secret, scopes and params in kafka.sasl.oauth"
	}
	return e
}

// maxShown bounds how much of an endpoint's answer is shown, in bytes.
const maxShown = 200

// printable makes one short line of a text that somebody else wrote.
func printable(s string) string {
	if len(s) > maxShown {
		s = s[:maxShown] + "..."
	}
	quoted := strconv.Quote(s)
	return quoted[1 : len(quoted)-1]
}
