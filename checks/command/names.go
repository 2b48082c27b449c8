// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// The names that code may call without a question: they compute, or read and write the files that their texts name. Functions that start programs, delete
// or send are not here, so code cannot call them in any way.
const (
	pythonCalls = `print len range enumerate zip map filter sorted sum min max abs round int float str bool list dict set tuple frozenset isinstance issubclass type repr format ord hex oct bin any all next iter dir open divmod pow hash id super property staticmethod classmethod callable slice ` +
		`split rsplit splitlines strip lstrip rstrip join replace startswith endswith lower upper title capitalize casefold find rfind index count encode decode zfill ljust rjust center partition rpartition removeprefix removesuffix expandtabs ` +
		`append extend insert pop remove clear sort reverse copy deepcopy get keys values items update setdefault popitem add discard union intersection difference symmetric_difference most_common elements total appendleft popleft ` +
		`compile search match fullmatch findall finditer sub subn escape group groups groupdict start end span load loads dump dumps read readline readlines write writelines close flush seek tell ` +
		`Path PurePath exists iterdir glob iglob rglob read_text write_text read_bytes write_bytes mkdir joinpath with_suffix with_name with_stem resolve absolute relative_to as_posix stat lstat touch walk listdir getcwd makedirs scandir getsize basename dirname splitext abspath relpath normpath getmtime commonpath getpid cpu_count getenv ` +
		`reader writer DictReader DictWriter writerow writerows writeheader Counter defaultdict OrderedDict namedtuple deque ChainMap chain from_iterable product combinations permutations groupby islice zip_longest cycle repeat accumulate pairwise reduce partial lru_cache cache wraps total_ordering cmp_to_key ` +
		`sqrt floor ceil log log2 log10 exp sin cos tan atan2 gcd lcm hypot radians degrees factorial comb perm prod fsum trunc mean median stdev pstdev variance quantiles mode random randint choice choices sample shuffle uniform seed gauss randrange ` +
		`now utcnow today fromisoformat isoformat strftime strptime timestamp fromtimestamp timedelta datetime date time astimezone combine total_seconds weekday sleep perf_counter monotonic localtime gmtime md5 sha1 sha256 sha512 digest hexdigest b64encode pack unpack unpack_from calcsize uuid4 dedent indent fill wrap shorten ` +
		`pprint dataclass field fields asdict astuple auto exit quit getsizeof Decimal Fraction ArgumentParser add_argument parse_args parse_known_args getLogger basicConfig info debug warning error critical exception setLevel safe_load safe_load_all safe_dump parse getroot findtext iter iterfind fromstring tostring literal_eval unparse get_docstring iter_child_nodes ` +
		`unified_diff ndiff SequenceMatcher ratio get_close_matches main read_csv read_json read_excel read_parquet head tail describe agg std var nunique unique value_counts sort_values sort_index reset_index set_index merge concat dropna fillna astype apply to_csv to_json to_dict to_list tolist to_string to_numpy array zeros ones arange linspace ` +
		`reshape dot rand randn normal eig eigvals inv norm argmax argmin where concatenate stack transpose cumsum corr pivot_table melt iterrows itertuples DataFrame Series date_range to_datetime between contains quantile nlargest nsmallest clip shift diff rolling tensor numel parameters device_count manual_seed no_grad size item plot savefig figure subplots title xlabel ylabel legend use scatter hist bar grid tight_layout ` +
		`save resize convert crop thumbnail getpixel connect execute fetchall fetchone cursor commit run gather create_task wait_for Thread Lock ZipFile namelist infolist getinfo printdir version which copy2 copyfile copytree disk_usage get_terminal_size getsource getdoc signature suppress contextmanager quote unquote urlencode urlparse urlsplit urljoin parse_qs BeautifulSoup select select_one get_text find_all prettify ` +
		`cursor backup post put patch delete head request raise_for_status json Client AsyncClient Session urlopen Request BytesIO StringIO load_dotenv import_module node uname system machine release python_version platform`
	scriptCalls = `log error warn info table debug dir time timeEnd parse stringify map filter reduce reduceRight forEach find findIndex findLast some every includes indexOf lastIndexOf join split slice splice concat push pop shift unshift sort reverse flat flatMap fill keys values entries from of isArray has get set add delete clear assign freeze fromEntries is ` +
		`toString toFixed toISOString toLocaleString toLowerCase toUpperCase trim trimStart trimEnd padStart padEnd repeat replace replaceAll match matchAll search test exec startsWith endsWith charAt charCodeAt codePointAt at normalize localeCompare substring substr max min floor ceil round abs sqrt pow random log2 log10 trunc sign now getTime getFullYear getMonth getDate getHours getMinutes toJSON ` +
		`next then catch finally all allSettled race resolve reject readFileSync writeFileSync existsSync readdirSync statSync lstatSync mkdirSync appendFileSync copyFileSync readFile writeFile readdir stat mkdir appendFile access accessSync createReadStream createWriteStream on once pipe write end basename dirname extname relative isAbsolute format inspect ` +
		`hrtime memoryUsage uptime cwd exit createHash update digest randomUUID randomBytes fileURLToPath pathToFileURL createInterface question close text json ok equal strictEqual deepEqual deepStrictEqual throws notEqual cpus totalmem freemem platform arch hostname tmpdir release type toArray describe it expect query connect ` +
		`parseInt parseFloat isNaN isFinite Number String Boolean Array BigInt encodeURIComponent structuredClone setTimeout clearTimeout setInterval clearInterval setImmediate Date Map Set Error TypeError RangeError RegExp URL URLSearchParams Promise Uint8Array TextDecoder TextEncoder Client Pool require import fetch config super`
)

// standard are the modules of Python's library beside those that only compute: what they hand out must be known by name.
const standard = `os io shutil tempfile glob csv pathlib configparser logging asyncio threading concurrent unittest inspect importlib contextlib xml html email urllib sqlite3 ast argparse copy traceback warnings fnmatch numbers abc secrets ipaddress zoneinfo queue gzip bz2 lzma zipfile tarfile ` +
	`difflib shlex stat filecmp locale gettext types errno sysconfig array colorsys mimetypes quopri graphlib tomllib getopt optparse readline cmd curses sched select selectors weakref gc dis opcode tokenize token keyword symtable compileall py_compile tabnanny pyclbr pickletools ` +
	`sndhdr imghdr wave audioop chunk crypt telnetlib mailbox mailcap netrc plistlib cgi cgitb uu xdrlib nis asyncore asynchat smtpd pydoc pipes trace tracemalloc faulthandler atexit __future__ turtle tkinter ensurepip`

var (
	called         = lazyregexp.New(`([\w$]+)\s*\(`)
	decorator      = lazyregexp.New(`(?m)^[ \t]*@[ \t]*(?:\w+\.)*(\w+)`)
	pythonDefined  = lazyregexp.New(`\b(?:def|class)\s+(\w+)|\b(\w+)\s*=\s*lambda\b`)
	scriptDefined  = lazyregexp.New(`\b(?:function\s*\*?|class)\s+([\w$]+)|\bconst\s+([\w$]+)\s*=\s*(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*=>|([\w$]+)[ \t]*\([^()]*\)[ \t]*\{`)
	assigned       = lazyregexp.New(`([\w$]+)\s*(?:\*\*|>>|<<|[-+*/|&^%:?]{0,2})=[^=>]|\[([^\[\]]*)\]\s*=[^=>]|\{([^{}]*)\}\s*=[^=>]|(?m:^([\w ,*]+)=[^=>])|\bfor\b([^;:{}\n]*?)\b(?:in|of)\b|\bas\s+(\w+)`)
	memberAssigned = lazyregexp.New(`\.\s*([\w$]+)\s*=[^=>]`)
	notNames       = lazyregexp.New(`[^\w$]+`)
	pythonKeywords = `and or not in is if elif else while for return yield await lambda assert del with except raise from as class import`
	scriptKeywords = `if for while switch catch return typeof await of in function async throw void do else case yield instanceof constructor default`
)

// ofModule reports whether code ends with the name of a module and a dot.
func ofModule(code, module string) bool {
	code, found := strings.CutSuffix(code, module+".")
	return found && (code == "" || !isNamePart(code[len(code)-1]) && code[len(code)-1] != '.')
}

// callsKnown reports whether code calls only harmless functions of the list, its own functions, and those of modules of the
// project. A variable is none of these: it may hold any function.
func (l *language) callsKnown(code string, taken, modules []string) bool {
	known, keywords, defines := pythonCalls, pythonKeywords, pythonDefined
	if l.script {
		known, keywords, defines = scriptCalls, scriptKeywords, scriptDefined
	}
	times, members := map[string]int{}, map[string]bool{} // how often a variable, and whether a member, is given a value
	for _, m := range assigned.FindAllStringSubmatch(code, -1) {
		for _, names := range m[1:] {
			for _, name := range notNames.Split(names, -1) {
				times[name]++
			}
		}
	}
	for _, m := range memberAssigned.FindAllStringSubmatch(code, -1) {
		members[m[1]] = true
	}
	own, listed := map[string]bool{}, map[string]bool{}
	for _, m := range defines.FindAllStringSubmatch(code, -1) {
		for i, name := range m[1:] {
			own[name] = own[name] || i == 1 && times[name] == 1 || i != 1 && times[name] == 0
		}
	}
	for _, name := range taken {
		own[name] = own[name] || times[name] <= 1
	}
	for _, name := range strings.Fields(known) {
		listed[name] = true
	}
	harmless := func(name string, member bool) bool {
		if own[name] && !members[name] {
			return true
		}
		if member && members[name] || !member && times[name] > 0 {
			return false
		}
		return listed[name] || !l.script && (hasPrefix(name, "is") || hasPrefix(name, "assert")) || hasSuffix(name, "Error") || hasSuffix(name, "Exception")
	}
	for _, m := range called.FindAllStringSubmatchIndex(code, -1) {
		name, member := code[m[2]:m[3]], hasSuffix(strings.TrimRight(code[max(0, m[2]-looksBack):m[2]], " \t\n"), ".")
		if member && anyWord(modules, func(module string) bool {
			return times[module] == 0 && ofModule(code[max(0, m[2]-looksBack):m[2]], module)
		}) {
			continue
		}
		if !harmless(name, member) && (member || !among(name, keywords)) {
			return false
		}
	}
	if !l.script {
		for _, m := range decorator.FindAllStringSubmatch(code, -1) {
			if !harmless(m[1], false) {
				return false
			}
		}
	}
	return true
}
