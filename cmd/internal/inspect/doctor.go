package inspect

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/snapshots"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/certificate"
	"github.com/unecho/unecho/consumer/doctor"
	"github.com/unecho/unecho/index/snapshot"
)

// DoctorCommand is the verb about what a service depends on.
func DoctorCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look at Kafka, topics, rights, group, snapshots and clocks, and say what to do",
		Long: "Connect as the service would, with its configuration, and look at everything that it depends on: Kafka's " +
			"version, the\n" +
			"topics and their settings, rights, transactions that hang, the group and its offsets, snapshots beside the journal, the\n" +
			"settings in force, clocks, certificates. Each finding says what it is, why it matters, and what to do. Commands for that\n" +
			"are of Kafka's own tools; where they are installed without .sh, leave that out, and other tools change the same settings.\n" +
			"It writes nothing, except that it tries a bucket (snapshots.s3) by an object that it deletes, and the directory for old\n" +
			"documents (duplicates.remember.directory) by a file. It may run before the first start, beside the service, and when it\n" +
			"has stopped.\n\n" +
			"With --disk it measures the disk of that directory for some three seconds, by a file of up to 256 MiB that it deletes, and\n" +
			"says what rate of documents the disk carries. A member at work there is slower meanwhile.\n\n" +
			"The exit code is 0 without problems (notes do not count), 1 with problems, and 2 if Kafka could not be reached.",
		Example: "  unecho doctor --config unecho.yaml\n" +
			"  unecho doctor --config unecho.yaml --disk\n" +
			"  unecho doctor --config unecho.yaml --json | jq '.findings[] | select(.level == \"problem\")'",
		Args: cmdline.AtMost(0, ""),
		RunE: target.OnService(runDoctor),
	}
	target.AddFlags(cmd, "kafka.brokers", "sources.topics", "group")
	cmdline.AddJSON(cmd, "all findings as one JSON object")
	cmdline.Add(cmd, cmdline.Service, func(f cmdline.Flags) {
		f.Bool("disk", false, "measure the disk of duplicates.remember.directory")
	})
	return cmd
}

func runDoctor(ctx context.Context, cmd *cobra.Command, s *target.Service, _ []string) error {
	in, progress := doctorInputs(s), terminal.NewStages(cmd.ErrOrStderr())
	if cmdline.Bool(cmd, "disk") {
		if s.Config.Judge.Duplicates.Remember.Directory == "" {
			return exit.Usage(errors.New("--disk measures the disk of duplicates.remember.directory, which is not set"))
		}
		in.Disk = func(share float64) { progress.Stage("measuring the disk, percent", int64(100*share), 100) }
	}
	found, err := doctor.Run(ctx, in)
	progress.End()
	if ctx.Err() != nil {
		return exit.Undone(errors.New("interrupted"))
	}
	if err != nil {
		return exit.Undone(err)
	}
	if err := cmdline.Print(cmd, doctorLine{&found}); err != nil {
		return err
	}
	if !found.Healthy {
		return errors.New("there are problems")
	}
	return nil
}

func doctorInputs(s *target.Service) doctor.Inputs {
	c := s.Config
	c.Journal.Topic = s.Journal()
	var probe func(context.Context) (string, error)
	if store, is := c.Snapshot.Opener().(snapshot.Prober); is {
		probe = func(ctx context.Context) (string, error) { return store.Probe(ctx, c.Consumer.Group) }
	}
	return doctor.Inputs{
		Options: s.Kafka, Brokers: c.Kafka.Brokers, Params: c.Consumer, Journal: c.Journal, Sink: c.Sink,
		Snapshot: c.Snapshot.Params(), Index: c.Judge, Sources: c.Readings(), Registry: c.Registry, Settings: c.Settings(),
		Snapshots: snapshots.Existing(c), Probe: probe,
		Takes: c.HTTP.Takes(), Certificates: certificatesOf(c),
	}
}

// certificatesOf are those that a service with this configuration shows.
func certificatesOf(c config.Config) (all []doctor.Certificate) {
	shows := func(of, files, why, cert, key string) {
		if cert == "" {
			return
		}
		all = append(all, doctor.Certificate{
			Of: of, Files: files, Why: why,
			Life: func() (certificate.Life, error) { return certificate.ReadLife(cert, key) },
		})
	}
	shows("http.listen", "http.tls.cert_file and http.tls.key_file", "probes, Prometheus and people who check it do not connect",
		c.HTTP.TLS.CertFile, c.HTTP.TLS.KeyFile)
	shows("kafka.tls", "kafka.tls.cert_file and kafka.tls.key_file", "Kafka lets no member in that shows it",
		c.Kafka.TLS.CertFile, c.Kafka.TLS.KeyFile)
	return all
}

type doctorLine struct{ *doctor.Report }

// Text is for people.
func (r doctorLine) Text() string {
	var b strings.Builder
	const indent = "                       "
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%-8s %-13s %s\n", f.Level, f.Check, terminal.Printable(f.What, terminal.LongLine))
		for _, line := range []string{f.Why, f.Remedy} {
			if line != "" {
				b.WriteString(indent + terminal.Printable(line, terminal.LongLine) + "\n")
			}
		}
	}
	fmt.Fprintf(&b, "\n%s, %s\n", terminal.Several(r.Problems, "problem"), terminal.Several(r.Notes, "note"))
	return b.String()
}
