// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package python

import (
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
)

var verbs = []string{"get", "post", "put", "delete", "head", "patch", "options", "stream", "ws_connect"}

func defineNetwork(t *table) {
	for _, lib := range []string{"requests", "httpx", "requests.Session()", "requests.session()", "httpx.Client()", "httpx.AsyncClient()", "aiohttp.ClientSession()", "urllib3.PoolManager()", "curl_cffi.requests", "curl_cffi.requests.AsyncSession()", "curl_cffi.requests.Session()", "requests_html.HTMLSession()", "cloudscraper.create_scraper()", "niquests", "primp.Client()", "tls_client.Session()"} {
		for _, v := range verbs {
			t.models[lib+"."+v] = urlArg(0)
		}
		t.models[lib+".request"] = urlArg(1)
		t.models[lib+".send"] = urlArg(0)
		t.models[lib+".build_request"] = urlThrough(1)
	}
	t.define(urlArg(1), "aiohttp.request", "httpx.stream", "httpx.Client().stream", "httpx.AsyncClient().stream", "urllib3.request")
	t.define(urlArg(0), "urllib.request.urlopen", "urllib.request.urlretrieve", "urllib.request.build_opener().open", "websockets.connect", "websocket.create_connection", "feedparser.parse", "newspaper.Article", "wget.download", "trafilatura.fetch_url", "smart_open.open", "fsspec.open", "pandas.read_html",
		".goto", "http.client.HTTPConnection", "http.client.HTTPSConnection", "socket.create_connection", "asyncio.open_connection", "telnetlib.Telnet", "ftplib.FTP", "smtplib.SMTP", "langchain_community.document_loaders.WebBaseLoader", "crawl4ai.AsyncWebCrawler().arun", "crawl4ai.AsyncWebCrawler().arun_many")
	t.define(urlThrough(0), "urllib.request.Request", "requests.Request")
	t.method(urlArg(0), []string{"socket.socket()"}, "connect")
	t.define(client, "httpx.Client", "httpx.AsyncClient", "aiohttp.ClientSession")

	for _, parse := range []string{"urllib.parse.urlparse", "urllib.parse.urlsplit", "yarl.URL", "httpx.URL", "urllib3.util.parse_url", "pydantic.AnyUrl", "pydantic.HttpUrl"} {
		t.define(changed(0, parse+"()"), parse)
	}
	t.define(changed(flow.HostFixed), "urllib.parse.urlencode")
	t.define(quotePart, "urllib.parse.quote", "urllib.parse.quote_plus")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value { // an absolute second one replaces the first
		return flow.Either(c.In.Derive(flow.Whole, 0, c.Pos, "", c.Arg(1)), c.In.Derive(flow.Whole, 0, c.Pos, "", c.Arg(0)))
	}, "urllib.parse.urljoin")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		elems, _ := c.In.Elems(c.Arg(0))
		if len(elems) > 1 {
			return c.In.Derive(flow.Whole, 0, c.Pos, "", elems[1])
		}
		return c.In.Derive(flow.Whole, 0, c.Pos, "", c.Arg(0))
	}, "urllib.parse.urlunparse", "urllib.parse.urlunsplit")
	t.method(recvChanged(flow.Whole, 0, "urllib.parse.urlparse()"), []string{"urllib.parse.urlparse()", "urllib.parse.urlsplit()"}, "_replace")

	for _, ip := range []string{"ip_address", "ip_network", "ip_interface", "IPv4Address", "IPv6Address", "IPv4Network", "IPv6Network"} {
		name, kind := "ipaddress."+ip, "ipaddress."+ip+"()"
		if strings.HasSuffix(ip, "Address") { // both kinds have the same methods
			kind = "ipaddress.ip_address()"
		}
		t.define(func(_ *lang, c *flow.CallSite) flow.Value {
			if c.In.Labelled(c.Arg(0), flow.Resolved) {
				c.In.Sure()
			}
			return c.In.Derive(flow.Address, 0, c.Pos, "", c.Arg(0)).WithNative(kind)
		}, name)
	}
	lookup := func(_ *lang, c *flow.CallSite) flow.Value {
		return c.In.Derive(flow.Address, flow.Resolved, c.Pos, "", c.Arg(0))
	}
	t.define(lookup, "socket.gethostbyname", "socket.getaddrinfo", "socket.gethostbyname_ex", ".getaddrinfo", "dns.resolver.resolve", "asyncio.get_running_loop().getaddrinfo", "asyncio.get_event_loop().getaddrinfo", "anyio.getaddrinfo")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		if c.Arg(0).Tainted() {
			return c.In.Derive(flow.Address, 0, c.Pos, "", c.Arg(0))
		}
		return flow.Value{}
	}, "socket.inet_aton")
}

// urlArg is a function that makes a request to the address in an argument.
func urlArg(i int) model {
	return func(_ *lang, c *flow.CallSite) flow.Value {
		c.In.URLSink(c.Pos, strings.TrimPrefix(c.Name, "."), c.Arg(i, "url", "address", "host"))
		for _, body := range []string{"data", "files", "json"} { // another program may open these
			c.In.LocalSink(c.Pos, c.Name, c.Kw[body])
		}
		return flow.NativeValue(c.Name + "()")
	}
}

// urlThrough builds a request for something else to send.
func urlThrough(i int) model {
	return func(_ *lang, c *flow.CallSite) flow.Value {
		return c.In.Derive(flow.Whole, 0, c.Pos, "", c.Arg(i, "url"))
	}
}

// client is one that may be bound to a server.
func client(_ *lang, c *flow.CallSite) flow.Value {
	base, ok := c.Given(-1, "base_url")
	if !ok {
		return flow.NativeValue(c.Name + "()")
	}
	c.In.URLSink(c.Pos, c.Name, base)
	if yes, _ := base.TruthKnown(); yes || !base.Tainted() {
		return flow.Value{}
	}
	return flow.NativeValue(c.Name + "()")
}

// quotePart is a part of a URL, quoted so that nothing in it ends the part.
func quotePart(_ *lang, c *flow.CallSite) flow.Value {
	var labels flow.Label
	if s, ok := c.Given(1, "safe"); ok {
		if text, known := s.String(); known && text == "" {
			labels = flow.NoDotDot
		}
	}
	return c.In.Derive(flow.Whole, labels, c.Pos, "", c.Arg(0))
}

func defineProcesses(t *table) {
	t.define(run, "subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.Popen", "anyio.run_process", "anyio.open_process")
	t.define(shell, "os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput", "asyncio.create_subprocess_shell", "commands.getoutput", "pexpect.run", "pexpect.spawn",
		"paramiko.SSHClient().exec_command", ".exec_command", "fabric.Connection().run", "fabric.Connection().sudo", "fabric.Connection().local", "invoke.run", "asyncssh.connect().run", "sh.bash", "sh.sh")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		c.In.ArgsSink(c.Pos, c.Name, c.From(0))
		workingDirectory(c)
		return flow.NativeValue(c.Name + "()")
	}, "asyncio.create_subprocess_exec", "os.execl", "os.execlp")
	t.define(container(0), ".exec_run", ".exec_create")
	t.define(container(1), "docker.from_env().containers.run", "docker.from_env().containers.create", "docker.DockerClient().containers.run")
	t.define(container(-1), "kubernetes.stream.stream", "kubernetes.client.CoreV1Api().connect_get_namespaced_pod_exec", "kubernetes.client.CoreV1Api().connect_post_namespaced_pod_exec")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		c.In.ProgramSink(c.Pos, c.Name, c.Arg(0))
		c.In.ArgsSink(c.Pos, c.Name, c.Arg(1))
		return flow.Value{}
	}, "os.execv", "os.execvp", "os.execve", "os.execvpe")
	t.define(changed(flow.Quoted), "shlex.quote", "pipes.quote", "shlex.join")
	t.define(func(_ *lang, c *flow.CallSite) flow.Value {
		return c.In.Derive(flow.Word, flow.Parted, c.Pos, "", c.Arg(0))
	}, "shlex.split")
}

// gitCommand is a command of git as GitPython runs it: repo.git.diff(target).
func gitCommand(c *flow.CallSite, command string) flow.Value {
	args, _ := c.In.Elems(c.From(0))
	c.In.Options(c.Pos, "git "+command, flow.ConstStr("git"), args)
	return flow.Value{}
}

func shell(_ *lang, c *flow.CallSite) flow.Value {
	c.In.ShellSink(c.Pos, strings.TrimPrefix(c.Name, "."), c.Arg(0, "cmd", "command"))
	workingDirectory(c)
	return flow.NativeValue(c.Name + "()")
}

// workingDirectory is the working directory of a started program. If the caller names the program,
// it does no further harm.
func workingDirectory(c *flow.CallSite) {
	if !c.Arg(0, "args", "command", "program").Tainted() {
		c.In.PathSink(c.Pos, "the working directory of "+c.Name, c.Arg(-1, "cwd"))
	}
}

// container is a program in a container: a list of arguments, or a text to cut at blanks.
func container(i int) model {
	return func(_ *lang, c *flow.CallSite) flow.Value {
		argv := c.Arg(i, "command", "cmd")
		if elems, _ := c.In.Elems(argv); len(elems) > 0 {
			c.In.ArgsSink(c.Pos, strings.TrimPrefix(c.Name, "."), argv)
		} else {
			c.In.ShellSink(c.Pos, strings.TrimPrefix(c.Name, "."), argv)
		}
		return flow.NativeValue(c.Name + "()")
	}
}

// run is subprocess.run and its like: a list of arguments, or a command for a shell.
func run(_ *lang, c *flow.CallSite) flow.Value {
	argv := c.Arg(0, "args", "command")
	workingDirectory(c)
	sh, given := c.Given(-1, "shell")
	if given {
		if _, no := sh.TruthKnown(); !no {
			c.In.ShellSink(c.Pos, c.Name+" with shell=True", argv)
			return flow.NativeValue(c.Name + "()")
		}
	}
	if argv.IsList() || !argv.Tainted() {
		c.In.ArgsSink(c.Pos, c.Name, argv)
		return flow.NativeValue(c.Name + "()")
	}
	if strings.HasPrefix(c.Name, "anyio.") {
		c.In.ShellSink(c.Pos, c.Name, argv)
	} else {
		c.In.ArgsSink(c.Pos, c.Name, argv)
	}
	return flow.NativeValue(c.Name + "()")
}
