package s3

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

// credentialsBound bounds a question for credentials: elsewhere than in a cloud nobody answers it.
const credentialsBound = 5 * time.Second

// places are where credentials may be: the first that has some is taken.
type places struct {
	environment, file, role credentials.Provider
	taken                   credentials.Provider // nil: none yet
}

func newCredentials(region string) *credentials.Credentials {
	return credentials.New(&places{
		environment: &credentials.EnvAWS{}, file: &credentials.FileAWSCredentials{},
		role: &credentials.IAM{Region: region, Client: &http.Client{Timeout: credentialsBound}},
	})
}

// errNoCredentials: without any, requests would be those of nobody.
var errNoCredentials = errors.New("no credentials were found")

// RetrieveWithCredContext implements credentials.Provider. The error says why no role gives any, and which file cannot be
// opened. What else is wrong with a file may be told with a line of it, which is not shown.
func (p *places) RetrieveWithCredContext(cc *credentials.CredContext) (found credentials.Value, err error) {
	var unopened *fs.PathError
	none := errNoCredentials
	for _, place := range []credentials.Provider{p.environment, p.file, p.role} {
		found, err = place.RetrieveWithCredContext(cc)
		switch {
		case err == nil && found.AccessKeyID != "" && found.SecretAccessKey != "":
			p.taken = place
			return found, nil
		case place == p.role && err != nil:
			none = fmt.Errorf("%w: %w", none, err)
		case errors.As(err, &unopened):
			none = fmt.Errorf("%w: %w", none, unopened)
		}
	}
	return credentials.Value{}, none
}

// Retrieve implements credentials.Provider.
func (p *places) Retrieve() (credentials.Value, error) { return p.RetrieveWithCredContext(nil) }

// IsExpired implements credentials.Provider.
func (p *places) IsExpired() bool { return p.taken == nil || p.taken.IsExpired() }

// refresh has the credentials read again, where others may help.
func (s *Store) refresh(err error) {
	if stale(err) {
		s.creds.Expire()
	}
}
