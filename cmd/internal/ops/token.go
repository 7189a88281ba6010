package ops

import (
	"github.com/rs/zerolog"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/reload"
)

// Token returns the token by which the API of a service may be asked, or nil if there is none. A token of a file is
// read again when that changes.
func Token(p config.HTTPParams, logger zerolog.Logger) (func() string, error) {
	if p.Token == "" {
		return nil, nil
	}
	if p.TokenFile == "" {
		return func() string { return p.Token }, nil
	}
	token, err := reload.Open(p.ReadToken, func(err error) {
		if err != nil {
			logger.Warn().Err(err).Str("file", p.TokenFile).
				Msg("http.token_file was changed and cannot be read: the old token stays valid")
			return
		}
		logger.Info().Str("file", p.TokenFile).
			Msg("the token of http.token_file was read again: the old one is not valid any more")
	}, p.TokenFile)
	if err != nil {
		return nil, err
	}
	return token.Get, nil
}
