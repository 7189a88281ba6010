package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/config"
)

// tokenVariable holds the token of the member that is asked, as it does for the member itself.
const tokenVariable = "UNECHO_HTTP_TOKEN"

// AddMemberFlags adds the flags that name the running member that a verb asks.
func AddMemberFlags(cmd *cobra.Command) {
	target.AddFlags(cmd)
	cmdline.Add(cmd, cmdline.Service, func(f cmdline.Flags) {
		f.Text("server", "address", "",
			"the member that is asked, as http://HOST:PORT (default http.listen of the configuration)")
		f.Text("token-file", "file", "", "a file with the member's http.token (default the configuration's, or "+
			tokenVariable+")")
		f.Text("ca", "file", "", "a file with the authority of the member's certificate, in PEM (default those of the "+
			"system)")
	})
}

// OnMember builds a verb that asks a running member. If the verb could not ask, its error is marked as undone, or as
// an interruption.
func OnMember(ask func(ctx context.Context, cmd *cobra.Command, c *Client,
	args []string) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		ctx, stop := exit.UntilSignal(cmd.Context(), io.Discard)
		defer stop()
		defer exit.MarkInterrupted(ctx, &err)
		c, err := memberOf(cmd)
		if err != nil {
			return exit.Usage(err)
		}
		if err = ask(ctx, cmd, c, args); errors.Is(err, context.Canceled) {
			err = exit.Undone(errors.New("stopped before the member had answered"))
		}
		return err
	}
}

func memberOf(cmd *cobra.Command) (*Client, error) {
	p := Params{
		Server: cmdline.Text(cmd, "server"), CA: cmdline.Text(cmd, "ca"),
		Token: os.Getenv(tokenVariable),
	}
	if p.Server == "" || cmd.Flag("config").Changed {
		served, err := httpOf(cmd)
		if err != nil {
			return nil, err
		}
		if p.Token = served.Token; p.Server == "" {
			if p.Server, err = Address(served.Listen, served.TLS.Enabled()); err != nil {
				return nil, err
			}
		}
	}
	if file := cmdline.Text(cmd, "token-file"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("--token-file: %w", err)
		}
		p.Token = strings.TrimSpace(string(text))
	}
	return New(p)
}

// httpOf returns the section http of the named configuration, or of the defaults if there is none.
func httpOf(cmd *cobra.Command) (config.HTTPParams, error) {
	// what a file must have; it is not used
	under := []string{"kafka.brokers=127.0.0.1:1", "group=" + target.Group, "snapshots.directory.path=."}
	sources := func(c *config.Config) { c.Sources, c.AnyTopics = target.AnySource(), true }
	c, err := target.Config(cmd, target.Layers{Base: sources, Under: under})
	return c.HTTP, err
}

// Address is the address at which this machine reaches a member that listens there.
func Address(listen string, tls bool) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	switch {
	case listen == "":
		return "", errors.New("http.listen is empty, so this member serves no API: name another member with --server")
	case err != nil:
		return "", fmt.Errorf("http.listen: %w", err)
	case port == "0":
		return "", errors.New("http.listen has port 0, so its port is in the log only: give the address with --server")
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	scheme := "http://"
	if tls {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(host, port), nil
}
