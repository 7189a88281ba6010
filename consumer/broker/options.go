package broker

import (
	"context"
	"errors"
	"net"
	"os"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/aws"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/unecho/unecho/consumer/certificate"
	"github.com/unecho/unecho/consumer/stop"
)

// Options are the options that all Kafka clients of the process share: addresses, login, encryption, patience and log.
// Options reads the certificate files and, for AWS_MSK_IAM, the AWS environment; a *Fault says what is
// wrong with them. All clients with the same options share one token of OAUTHBEARER.
func Options(p Params, logger zerolog.Logger) ([]kgo.Opt, error) {
	opts := []kgo.Opt{
		kgo.SeedBrokers(p.Brokers...),
		kgo.ClientID(clientID),
		kgo.DialTimeout(dialTimeout),
		kgo.RequestTimeoutOverhead(requestTimeout),
		kgo.MetadataMinAge(metadataMinAge),
		kgo.MetadataMaxAge(metadataMaxAge),
		// A broker that starts or stops hangs up, too. Ping has found out before whether it expects TLS or a login.
		kgo.AlwaysRetryEOF(),
		kgo.WithLogger(&clientLogger{log: logger, tls: p.TLS.Enabled}),
	}
	if p.ClientRack != "" {
		opts = append(opts, kgo.Rack(p.ClientRack))
	}
	if p.TLS.Enabled {
		dial, err := dialer(p, logger)
		if err != nil {
			return nil, err
		}
		opts = append(opts, kgo.Dialer(dial))
	}
	mechanism, err := mechanism(p, logger)
	if err != nil {
		return nil, err
	}
	if mechanism != nil {
		opts = append(opts, kgo.SASL(mechanism))
	}
	return opts, nil
}

// clientID is the name under which Kafka logs this client and counts its quotas.
const clientID = "unecho"

// dialTimeout is how long a connection may take to come up.
const dialTimeout = 10 * time.Second

// requestTimeout is how long Kafka may take to answer, beyond the time that a request itself allows it.
const requestTimeout = 10 * time.Second

// metadataMinAge is how soon a client asks again who leads a partition, so that it goes on when the leader has moved.
// The library's default is 5 s.
const metadataMinAge = 500 * time.Millisecond

// metadataMaxAge is how soon a client notices by itself that partitions were added to a topic, as that of the group's
// leader does for all members. The library's default is 5 minutes.
const metadataMaxAge = 10 * time.Second

// dialer connects by TLS, with certificates that are read again when they are renewed.
func dialer(p Params, logger zerolog.Logger) (func(context.Context, string, string) (net.Conn, error), error) {
	files, err := certificate.Open(p.TLS.files(), logger)
	if err != nil {
		return nil, faulty(err)
	}
	by := &net.Dialer{Timeout: dialTimeout}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		return files.Dial(ctx, by, network, address)
	}, nil
}

// faulty makes a *Fault of an error about files.
func faulty(err error) error {
	var s *stop.Error
	if errors.As(err, &s) {
		return &Fault{What: s.What, Err: s.Err, Remedy: s.Remedy}
	}
	return err
}

func mechanism(p Params, logger zerolog.Logger) (sasl.Mechanism, error) {
	user, password := p.SASL.Username, p.SASL.Password
	switch p.SASL.Mechanism {
	case Plain:
		return plain.Auth{User: user, Pass: password}.AsMechanism(), nil
	case Scram256:
		return scram.Auth{User: user, Pass: password}.AsSha256Mechanism(), nil
	case Scram512:
		return scram.Auth{User: user, Pass: password}.AsSha512Mechanism(), nil
	case OAuthBearer:
		return newBearer(p, logger)
	case AWSMSKIAM:
		return msk()
	}
	return nil, nil // none is a mechanism, too
}

// msk reads the environment at each login. Whoever rotates the keys there need not restart us, as long as the process
// can see them.
func msk() (sasl.Mechanism, error) {
	auth := func(context.Context) (aws.Auth, error) {
		a := aws.Auth{
			AccessKey: os.Getenv("AWS_ACCESS_KEY_ID"), SecretKey: os.Getenv("AWS_SECRET_ACCESS_KEY"),
			SessionToken: os.Getenv("AWS_SESSION_TOKEN"),
		}
		if a.AccessKey == "" || a.SecretKey == "" {
			return a, &Fault{
				What:   "AWS_MSK_IAM has no keys",
				Remedy: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in its environment",
			}
		}
		return a, nil
	}
	if _, err := auth(context.Background()); err != nil {
		return nil, err
	}
	return aws.ManagedStreamingIAM(auth), nil
}
