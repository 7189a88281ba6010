package broker

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/aws"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// Options are the options that all Kafka clients of the process share: addresses, login, encryption, patience and log.
// Options reads the certificate files and, for AWS_MSK_IAM without keys, the AWS environment; a *Fault says what is
// wrong with them. All clients with the same options share one token of OAUTHBEARER.
func Options(p Params, logger zerolog.Logger) ([]kgo.Opt, error) {
	opts := []kgo.Opt{
		kgo.SeedBrokers(p.Brokers...),
		kgo.ClientID(p.ClientID),
		kgo.DialTimeout(p.DialTimeout),
		kgo.RequestTimeoutOverhead(p.RequestTimeout),
		kgo.MetadataMinAge(metadataMinAge),
		kgo.MetadataMaxAge(metadataMaxAge),
		// A broker that starts or stops hangs up, too. Ping has found out before whether it expects TLS or a login.
		kgo.AlwaysRetryEOF(),
		kgo.WithLogger(&clientLogger{log: logger}),
	}
	if p.TLS.Enabled {
		config, err := tlsConfig(p.TLS)
		if err != nil {
			return nil, err
		}
		opts = append(opts, kgo.DialTLSConfig(config))
	}
	mechanism, err := mechanism(p.SASL, logger)
	if err != nil {
		return nil, err
	}
	if mechanism != nil {
		opts = append(opts, kgo.SASL(mechanism))
	}
	return opts, nil
}

// metadataMinAge is how soon a client asks again who leads a partition, so that it goes on when the leader has moved.
// The library's default is 5 s.
const metadataMinAge = 500 * time.Millisecond

// metadataMaxAge is how soon a client notices by itself that partitions were added to a topic, as that of the group's
// leader does for all members. The library's default is 5 minutes.
const metadataMaxAge = 10 * time.Second

func tlsConfig(p TLSParams) (*tls.Config, error) {
	config := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		ServerName:         p.ServerName,
		InsecureSkipVerify: p.InsecureSkipVerify, //nolint:gosec // the user asks for it by name, and is warned
	}
	if p.CAFile != "" {
		roots, err := authorities("kafka.tls.ca_file", p.CAFile)
		if err != nil {
			return nil, err
		}
		config.RootCAs = roots
	}
	if p.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(p.CertFile, p.KeyFile)
		if err != nil {
			return nil, &Fault{
				What: "cannot use kafka.tls.cert_file and key_file", Err: err,
				Remedy: "name a certificate and its own, unencrypted private key, both PEM",
			}
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// authorities reads the file of certificates that a setting names.
func authorities(key, path string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, &Fault{What: "cannot read " + key, Err: err, Remedy: "name a PEM file that this process may read"}
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, &Fault{
			What:   fmt.Sprintf("%s %s holds no certificate", key, path),
			Remedy: "write PEM into it; a Java trust store is converted by: keytool -exportcert -rfc",
		}
	}
	return roots, nil
}

func mechanism(p SASLParams, logger zerolog.Logger) (sasl.Mechanism, error) {
	switch p.Mechanism {
	case Plain:
		return plain.Auth{User: p.Username, Pass: p.Password}.AsMechanism(), nil
	case Scram256:
		return scram.Auth{User: p.Username, Pass: p.Password}.AsSha256Mechanism(), nil
	case Scram512:
		return scram.Auth{User: p.Username, Pass: p.Password}.AsSha512Mechanism(), nil
	case OAuthBearer:
		return newBearer(p, logger)
	case AWSMSKIAM:
		return msk(p)
	}
	return nil, nil //nolint:nilnil // none is a mechanism, too
}

// msk reads the environment at each login. Whoever rotates the keys there need not restart us, as long as the process
// can see them.
func msk(p SASLParams) (sasl.Mechanism, error) {
	auth := func(context.Context) (aws.Auth, error) {
		if p.AWSAccessKey != "" {
			return aws.Auth{AccessKey: p.AWSAccessKey, SecretKey: p.AWSSecretKey, SessionToken: p.AWSSessionToken}, nil
		}
		a := aws.Auth{
			AccessKey: os.Getenv("AWS_ACCESS_KEY_ID"), SecretKey: os.Getenv("AWS_SECRET_ACCESS_KEY"),
			SessionToken: os.Getenv("AWS_SESSION_TOKEN"),
		}
		if a.AccessKey == "" || a.SecretKey == "" {
			return a, &Fault{
				What:   "AWS_MSK_IAM has no keys",
				Remedy: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or kafka.sasl.aws_access_key and aws_secret_key",
			}
		}
		return a, nil
	}
	if _, err := auth(context.Background()); err != nil {
		return nil, err
	}
	return aws.ManagedStreamingIAM(auth), nil
}
