// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"io"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/cmd/internal/daemon"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/logname"
	"github.com/toolvet/toolvet/internal/notice"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/protocol"
)

func (a *app) proxyCommand() *cobra.Command {
	cfg := daemon.ProxyConfig{Stdin: a.stdin, Stdout: a.wire, Stderr: a.stderr}
	var verbose bool
	var headers []string
	cmd := &cobra.Command{
		Use:   "proxy [flags] [-- SERVER-COMMAND...]",
		Short: "Stand in front of a server and judge every call",
		Long: `Stand in front of an MCP server on stdio: start it, judge every call before the
server sees it, and offer the validate tool. Put it in an MCP client's
configuration in place of the server's command. Without a command, the one in the
policy starts the server.

With --upstream, or a url in the policy and no command, the server is one behind a URL
(Streamable HTTP). An environment variable can hold the URL (--upstream env:NAME), and so
can each header of the requests (--upstream-header Authorization=NAME). With --listen, clients connect over Streamable HTTP to
http://ADDRESS/mcp, and each session starts the command. See docs/http.md. If the policy
has authorization, clients need a token; if not, only clients on this machine may
connect: see docs/authorization.md.

Without a policy, the preset "standard" guesses which arguments are paths, URLs and the
like, and refuses metadata addresses, paths that leave the directories in the server's
command, encoded traversal, NUL and shell substitution in them. --preset none turns it
off; 'toolvet init' writes a first policy.

With --contain, or the policy's key contain, the server runs in walls (Linux): it can change
its directories alone, reads these and programs, and reaches only hosts of the policy. If
this machine cannot build the walls, the server is not started. See docs/contain.md.

The exit code is the server's, or 2 if the server could not be started.`,
		Example: `  toolvet proxy -- npx -y @modelcontextprotocol/server-filesystem .
  toolvet proxy --policy toolvet.yaml -- ./my-server --verbose
  toolvet proxy --contain -- npx -y @modelcontextprotocol/server-filesystem .
  toolvet proxy --upstream https://mcp.example.com/mcp
  toolvet proxy --listen 127.0.0.1:8080 -- npx -y @modelcontextprotocol/server-filesystem .
  toolvet proxy --listen 127.0.0.1:8080 --upstream https://mcp.example.org/mcp`,
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := serverCommand(cmd, args)
			if err == nil {
				err = upstreamVariables(cmd, &cfg, headers)
			}
			switch {
			case err != nil:
				return err
			case cfg.Upstream != "" && cfg.Contain:
				return usageError(cmd, "--contain puts walls around a server that a command starts, and --upstream names a running one: contain it where it runs")
			case cfg.Upstream != "" && server != nil:
				return usageError(cmd, "a command starts a server, and --upstream names a running one: give one or the other")
			case cfg.Listen == "" && givenHTTP(cmd):
				return usageError(cmd, "these flags are for clients over HTTP: say where with --listen")
			case !validPath(cfg.Path):
				return usageError(cmd, badPath)
			case cfg.Upstream == "" && len(server) == 0 && (server != nil || cfg.Source.Policy == ""):
				return usageError(cmd, noServer)
			}
			cfg.Logger = newLogger(a.stderr, verbose)
			return a.runProxy(cmd, cfg, server)
		},
	}
	takesCommand(cmd)
	f := cmd.Flags()
	a.addGateFlags(cmd, &cfg.Source)
	f.StringVar(&cfg.ValidateName, "validate-name", protocol.ToolName, "`NAME` of the validate tool")
	f.IntVar(&cfg.MaxBatch, "max-batch", 100, "most calls of one batch of dry runs, `N`; 0: no batches")
	f.StringVar(&cfg.Metrics, "metrics", "", "serve Prometheus metrics at http://`ADDRESS`/metrics, such as 127.0.0.1:9464; default: nowhere")
	addHTTPFlags(cmd, &cfg)
	f.StringSliceVar(&headers, "upstream-header", nil, "`HEADER=NAME`: a header of requests to --upstream; the environment variable NAME holds its value")
	f.BoolVar(&cfg.Contain, "contain", false, "put walls around the server's files and network, as the policy says (Linux); without the policy's key contain, it can change its roots and reach no host")
	f.BoolVar(&cfg.Contained, containedFlag, false, "the walls of the policy stand around the proxy already")
	_ = f.MarkHidden(containedFlag) // it exists
	f.BoolVarP(&verbose, "verbose", "v", false, "print refused calls on standard error, too")
	return cmd
}

// upstreamVariables looks up what environment variables hold: the URL of --upstream and headers. Other users can read the
// arguments of a process, and not its environment.
func upstreamVariables(cmd *cobra.Command, cfg *daemon.ProxyConfig, headers []string) error {
	if name, ok := strings.CutPrefix(cfg.Upstream, "env:"); ok {
		if cfg.Upstream = os.Getenv(name); cfg.Upstream == "" {
			return errors.New("--upstream env:NAME wants the name of a variable that is set and holds the URL, not the URL: no variable has this name")
		}
	}
	if len(headers) > 0 && cfg.Upstream == "" {
		return usageError(cmd, "--upstream-header is for the server of --upstream: give its URL, too")
	}
	for _, h := range headers {
		header, name, ok := strings.Cut(h, "=")
		if !ok || name == "" {
			return usageError(cmd, wantsVariable)
		}
		value := os.Getenv(name)
		if value == "" {
			return enforce.WithHint(errors.New(wantsVariable+": no variable has this name"), "export TOKEN='Bearer …', and give --upstream-header Authorization=TOKEN")
		}
		if cfg.UpstreamHeaders == nil {
			cfg.UpstreamHeaders = map[string]string{}
		}
		cfg.UpstreamHeaders[header] = value
	}
	return nil
}

// wantsVariable repeats nothing of the flag: who mistakes it writes a secret there.
const wantsVariable = "--upstream-header takes HEADER=NAME: the name of a variable that is set and holds the value, not the value"

// containedFlag is for an audit, whose sandbox has the server's walls.
const containedFlag = "already-contained"

const noServer = "no server command: give it after --, or the URL of a server with --upstream"

// runProxy starts the proxy in front of the server that a command starts; nil: the flags or the policy name it.
func (a *app) runProxy(cmd *cobra.Command, cfg daemon.ProxyConfig, command []string) error {
	u, err := url.Parse(cfg.Upstream)
	if err != nil {
		return usageError(cmd, "--upstream is no URL")
	}
	cfg.Source.Remote = u.Host != "" && !policy.Loopback(u.Hostname())
	cfg.Command = command
	code, err := daemon.Proxy(cmd.Context(), cfg)
	switch {
	case errors.Is(err, daemon.ErrNoServer):
		return usageError(cmd, "the server in %s has neither a command nor a url: give a command after --, or a URL with --upstream", displayName(cfg.Source.Policy))
	case err != nil:
		return err
	}
	return exitWith(code)
}

// addHTTPFlags adds the flags for clients and servers over HTTP.
func addHTTPFlags(cmd *cobra.Command, cfg *daemon.ProxyConfig) {
	f := cmd.Flags()
	addProcessFlag(cmd, &cfg.MaxProcesses)
	f.StringVar(&cfg.Listen, "listen", "", "serve HTTP at `ADDRESS`, such as 127.0.0.1:8080")
	f.StringVar(&cfg.Upstream, "upstream", "", "`URL` of the server's MCP endpoint, or env:NAME of a variable that holds it; default: the policy's")
	f.StringVar(&cfg.Path, "path", "/mcp", "`PATH` at which clients reach the proxy")
	f.BoolVar(&cfg.AllowRemote, "allow-remote", false, "listen on an address that other machines can reach, without authorization in the policy: anyone there can call tools")
	f.StringSliceVar(&cfg.Guard.Hosts, "allow-host", nil, "further `NAME`s of this machine in requests of clients")
	f.StringSliceVar(&cfg.Guard.Origins, "allow-origin", nil, "`ORIGIN`s of web pages that may connect, such as https://app.example.org")
	f.StringSliceVar(&cfg.PassHeaders, "pass-header", nil, "further `HEADER`s of clients to pass to the server, such as Authorization: only for a server whose operator may see them")
}

// addProcessFlag adds the flag that bounds the processes of servers.
func addProcessFlag(cmd *cobra.Command, most *int) {
	cmd.Flags().IntVar(most, "max-processes", daemon.DefaultProcesses, "most processes of one server for one principal, `NUMBER`; 16 times as many for all servers and principals together")
}

const badPath = "--path must begin with /, and hold neither spaces nor any of {}?#"

func validPath(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.ContainsAny(path, "{} ?#")
}

// givenHTTP reports whether a flag that needs --listen was given.
func givenHTTP(cmd *cobra.Command) bool {
	for _, name := range []string{"path", "allow-remote", "allow-host", "allow-origin", "pass-header", "max-processes"} {
		if cmd.Flags().Changed(name) {
			return true
		}
	}
	return false
}

// newLogger logs to the operator, on the same standard error as the server.
func newLogger(w io.Writer, verbose bool) *slog.Logger {
	level := notice.Level
	if verbose {
		level = slog.LevelInfo
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: plainly})).With("by", "toolvet")
}

// plainly takes the names of properties out of errors about JSON, because a caller chooses them. A notice is of the level INFO to a reader.
func plainly(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value.Any().(type) {
	case error:
		return slog.String(a.Key, logname.Error(v))
	case slog.Level:
		if v == notice.Level {
			return slog.Any(a.Key, slog.LevelInfo)
		}
	}
	return a
}
