// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

const (
	wordlists   = "carlospolop/Auto_Wordlists"
	wordlistsAt = "5fed4d72441d2d7406d5e5ada625332a047bfb1f"
	atomic      = "redcanaryco/atomic-red-team"
	atomicAt    = "9f85cf3e54b0cbdd6c702375c555273913eff442"
	cheats      = "cheat/cheatsheets"
	cheatsAt    = "36bdb99dcfadde210503d8c2dcf94b34ee950e1d"
	chubin      = "chubin/cheat.sheets"
	chubinAt    = "0bcedfb1d218d1218bbc0e9cf809ebca0d367e6d"
	crs         = "coreruleset/coreruleset"
	crsAt       = "2cbd1d019cb7c85319ba4d9102a382c9de7a8e53"
	defog       = "defog-ai/sql-eval"
	defogAt     = "b83332416ea2d424b0cd12994a0a9ba100f4b4af"
	intruder    = "1N3/IntruderPayloads"
	intruderAt  = "9b84328441e0b1d5b63764941bfd72a2460dba5d"
	sqlmap      = "sqlmapproject/sqlmap"
	sqlmapAt    = "cef41c7fa2211434d5694e4338c4e3e443434133"
	wfuzz       = "xmendez/wfuzz"
	wfuzzAt     = "1b695ee9a87d66a7d7bf6cae70d60a33fae51541"
	workflows   = "actions/starter-workflows"
	workflowsAt = "1035244887e26fbbd4f1017d919fb5995cc521c4"

	prometheusAt  = "d15adb9ad7e5d9fbde3a9a8f30200593a5a14d86"
	pydanticAt    = "4fda38988f2939fa6ea9cdefcf120693e10ef491"
	flaskAt       = "2ac89889f4cc330eabd50f295dcef02828522c69"
	readabilityAt = "ab4027a8b37669745016869a37a504727992b2ba"
	awslabsAt     = "100b55b6d92f731bc8d23486ce9efd5bbf90c606"

	clickBench   = "ClickHouse/ClickBench"
	clickBenchAt = "faa7e582cf7f2be943d11e5340fdc8a274671f2f"
	coffin       = "coffinxp/payloads"
	coffinAt     = "c3d5e4e6e744d8ded9fd36163942eaeec15f4fed"
	efficacy     = "fastly/wafefficacy"
	efficacyAt   = "4ca42ca175be71f68fb041a5bc150281811cca9e"
	fuzzDicts    = "TheKingOfDuck/fuzzDicts"
	fuzzDictsAt  = "0652d6581311616576f347f9b7be61c9746462e4"
	mise         = "jdx/mise"
	miseAt       = "70e94a1f89fa27f3bbc2b933c6891a124f5ef04c"
	sede         = "hirupert/sede"
	sedeAt       = "2bf261248feb330889a9e84f74e33ff7df0d6a86"
	wafBypass    = "nemesida-waf/waf-bypass"
	wafBypassAt  = "c469703eddfc77b4b294387d05cd01f4354a74c6"
	wapiti       = "wapiti-scanner/wapiti"
	wapitiAt     = "d33d1218e4b370701752fada81e00bce4abd67dc"
	warrior      = "InfoSecWarrior/Offensive-Payloads"
	warriorAt    = "a2d1c123c9b2323b94a966a944510b7f9805537c"
	modified     = "RohanHavannavar/SQL-Injection--Detection-using-Machine-Learning"
	modifiedAt   = "c45a1f452c55e2e0554e01905b562ab53a30ef8a"
	spider2      = "xlang-ai/Spider2"
	spider2At    = "e12c5f1e6550a5df88995520c3bf00bbe7bad2d2"
	zap          = "zaproxy/zap-extensions"
	zapAt        = "aea3dee9333f69e0dbee7a2e6e0fbe898c849752"
	elixirAt     = "63a7a054ceb2383d795731db8e6ea28aa30e4a03"
	tauriAt      = "e1c39c6ef06b936f70e977d53c60fcf329ec3702"

	authensor      = "AUTHENSOR/prompt-injection-benchmark"
	authensorAt    = "d19ff3a1bdd0afb7ae6f07903e297153d2dcec90"
	goose          = "goose3/goose3"
	gooseAt        = "c5a8902eed0c4592a1ff5ec51a0277cf73a3aca7"
	haystack       = "deepset-ai/haystack"
	haystackAt     = "c7cb46c0f28ad1984f60e5d3e9404b124a221437"
	redteam        = "uninhibited-scholar/agent-redteam"
	redteamAt      = "e5e8fb862fe78d0b644e7ee2dfe6184709048c5a"
	shouta         = "shouta256/llm-injection-benchmark"
	shoutaAt       = "5e664818a5866c697c1d17972eb19f66d0ec6514"
	promptShield   = "mthamil107/prompt-shield"
	promptShieldAt = "082a38005bc43f73794198a02193e136ed3aafe2"
	threatRules    = "cpyang/agent-threat-rules"
	threatRulesAt  = "73c0e4a2256ade5ab32caa72f0dacb7a6b001b7b"

	unity   = "UnityInFlow/injection-scanner"
	unityAt = "4dcc6e7264a65eaba8412e3aa03062eb4608a69e"

	blaze        = "chaitin/blazehttp"
	blazeAt      = "23e8b59cd20d475f9590e497ecb87542e25d828e"
	cabal        = "haskell/cabal"
	cabalAt      = "f5319cdb191236b3bc93e79c0b14e2c637300c5a"
	cypress      = "cypress-io/cypress-documentation"
	cypressAt    = "4df0c75e373515c33269176d556219950487e085"
	daffa        = "daffainfo/AllAboutBugBounty"
	daffaAt      = "0a16c9d981a270ba20730ad36475ed7ce7ceb79e"
	earthly      = "earthly/earthly"
	earthlyAt    = "6e641c15d3b4d7dd396363b61d2381faa2658f3d"
	edoverflow   = "EdOverflow/bugbounty-cheatsheet"
	edoverflowAt = "14a70dc77915fd0a122d151300de56a33127003a"
	firewall     = "grananqvist/Machine-Learning-Web-Application-Firewall-and-Dataset"
	firewallAt   = "5f660d91304a5ecbc706ae15beb8306671265d7b"
	httpie       = "httpie/cli"
	httpieAt     = "5b604c37c6c67e18e7c3e9aee6c88a8c22b98345"
	lerna        = "lerna/lerna"
	lernaAt      = "35d15a1567932be97759f512d8b8033dad72b411"
	minidev      = "bird-bench/mini_dev"
	minidevAt    = "4d970a9a97b172101840c661d74cc5a5e1c6ffa4"
	morzeux      = "Morzeux/HttpParamsDataset"
	morzeuxAt    = "926670a710283f87c05b554680facf3f9530548c"
	pentest      = "six2dez/pentest-book"
	pentestAt    = "1f80c9c299d24226d4f977aea7013b18bf8dc995"
	rollup       = "rollup/rollup"
	rollupAt     = "89bda2cd8e9def2ea037e7dbffaf392ce9f1ddcb"
	scalaCLI     = "VirtusLab/scala-cli"
	scalaCLIAt   = "1b9b93695504046f2517144185227c9bee144dae"
	stylelint    = "stylelint/stylelint"
	stylelintAt  = "28cff889946ec3f53036f54cc08c04c425451245"
	symfony      = "symfony/symfony-docs"
	symfonyAt    = "3e03b46811863dab6aa8d2948c601082688441d1"
	trivy        = "aquasecurity/trivy"
	trivyAt      = "dc3c56eed58ab21c7e08d26757c517bc946a86c5"
	vitepress    = "vuejs/vitepress"
	vitepressAt  = "ed2bfb266ef788e86d1a73fe3cd7708a4cd5e260"
	webpack      = "webpack/webpack.js.org"
	webpackAt    = "9c0ce6f5e982c2efd3e97360a107a6343cf2c77b"
)

// noseyparker has half of the examples of kingfisher, where they are left out.
var noseyparker = source{round: 2, repo: "praetorian-inc/noseyparker", commit: "2e6e7f36ce36619852532bbe698d8cb7a26d2da7", path: "crates/noseyparker/data/default/builtin/rules/*.yml", class: "rule-example", rows: examples, label: always(flagged)}

// The sources of each corpus. None is a source of ../shared/corpora, though the lists of payloads share rows with those. Those of
// a round were chosen, with the rules that label their rows, before any of the rows was looked at.
var sources = map[string][]source{
	"paths": {
		{repo: wordlists, commit: wordlistsAt, path: "wordlists/file_inclusion_linux.txt", class: "traversal-linux", rows: lines, label: labelPath},
		{repo: wordlists, commit: wordlistsAt, path: "wordlists/file_inclusion_windows.txt", class: "traversal-windows", rows: lines, label: labelPath},
		{repo: "RedTeamRaiders/Offensive_Payloads", commit: "a7e51902c494a909175d6f0136983bb78b456a20", path: "Directory-Traversal-Payloads/Directory_Traversal.txt", class: "traversal-generated", rows: lines, label: labelPath},
		{repo: "vinta/awesome-python", commit: "25618e21215dd147735e6a5872445e698b43ee63", class: "benign-plain", rows: names, label: always(accept)},
		{repo: "commixproject/commix", commit: "8530a48964007cb9561da47d45f396d9aef38ced", class: "benign-plain", rows: names, label: always(accept)},
		{repo: "taoyds/spider", commit: "b7b5b8c890cd30e35427348bb9eb8c6d1350ca7c", class: "benign-plain", rows: names, label: always(accept)},
		{repo: "trufflesecurity/trufflehog", commit: "3ab759fef4bb5935d4fe9ac68b503d05346b8364", class: "benign-plain", rows: names, label: always(accept)},
		{round: 2, repo: wfuzz, commit: wfuzzAt, path: "wordlist/vulns/dirTraversal*.txt", class: "traversal-list", rows: lines, label: labelPath},
		{round: 2, repo: wfuzz, commit: wfuzzAt, path: "wordlist/Injections/Traversal.txt", class: "traversal-list", rows: lines, label: labelPath},
		{round: 2, repo: atomic, commit: atomicAt, class: "benign-plain", rows: names, label: always(accept)},
		{round: 2, repo: sqlmap, commit: sqlmapAt, class: "benign-plain", rows: names, label: always(accept)},
		{round: 2, repo: cheats, commit: cheatsAt, class: "benign-plain", rows: names, label: always(accept)},
		{round: 3, repo: intruder, commit: intruderAt, path: "FuzzLists/traversal*.txt", class: "traversal-list", rows: lines, label: labelPath},
		{round: 3, repo: crs, commit: crsAt, class: "benign-plain", rows: names, label: always(accept)},
		{round: 3, repo: chubin, commit: chubinAt, class: "benign-plain", rows: names, label: always(accept)},
		{round: 4, repo: "foospidy/payloads", commit: "38ac97fc0adfd149dd976f3dbd42c025232aaa47", path: "other/traversal/*.txt", class: "traversal-list", rows: lines, label: labelPath},
		{round: 4, repo: "rust-lang/cargo", commit: "af373f761aa4e42b093c2e453078fd73c8ce54dd", class: "benign-plain", rows: names, label: always(accept)},
		{round: 4, repo: "jekyll/jekyll", commit: "202df571314ba1d18e9fccd81d12aaad4a703c38", class: "benign-plain", rows: names, label: always(accept)},
		{round: 5, repo: coffin, commit: coffinAt, path: "directory_traversal*.txt", class: "traversal-list", rows: lines, label: labelPath},
		{round: 5, repo: warrior, commit: warriorAt, path: "Directory-Traversal-Payloads.txt", class: "traversal-list", rows: lines, label: labelPath},
		{round: 5, repo: mise, commit: miseAt, class: "benign-plain", rows: names, label: always(accept)},
		{round: 5, repo: "elixir-lang/elixir", commit: elixirAt, class: "benign-plain", rows: names, label: always(accept)},
		{round: 5, repo: "tauri-apps/tauri-docs", commit: tauriAt, class: "benign-plain", rows: names, label: always(accept)},
		{round: 9, repo: morzeux, commit: morzeuxAt, path: "payload_full.csv", class: "traversal-data", rows: typed("attack_type", "path-traversal"), label: labelPath},
		{round: 9, repo: "yogsec/LFI-Payloads", commit: "c6a7eb30216b9abca7f8351c04cbd611b3c4142e", path: "Common_LFI_Payloads.txt", class: "traversal-list", rows: lines, label: labelPath},
		{round: 9, repo: edoverflow, commit: edoverflowAt, path: "cheatsheets/lfi.md", class: "traversal-list", rows: fencedLines, label: labelPath},
		{round: 9, repo: pentest, commit: pentestAt, path: "enumeration/web/lfi-rfi.md", class: "traversal-list", rows: fencedLines, label: labelPath},
		{round: 9, repo: blaze, commit: blazeAt, path: "testcases/*.black", class: "traversal-request", rows: requestValues, label: labelPath},
		{round: 9, repo: webpack, commit: webpackAt, class: "benign-plain", rows: names, label: always(accept)},
		{round: 9, repo: vitepress, commit: vitepressAt, class: "benign-plain", rows: names, label: always(accept)},
		{round: 9, repo: scalaCLI, commit: scalaCLIAt, class: "benign-plain", rows: names, label: always(accept)},
		{round: 9, repo: cabal, commit: cabalAt, class: "benign-plain", rows: names, label: always(accept)},
		{round: 9, repo: symfony, commit: symfonyAt, class: "benign-plain", rows: names, label: always(accept)},
		{round: 9, repo: stylelint, commit: stylelintAt, class: "benign-plain", rows: names, label: always(accept)},
	},
	"urls": {
		{repo: "cujanovic/SSRF-Testing", commit: "c26c3df20bcb3d2ecfbe22cdf7ae8f4ff7bc0284", path: "cloud-metadata.txt", class: "metadata", rows: links, label: labelMetadata},
		{repo: "vinta/awesome-python", commit: "25618e21215dd147735e6a5872445e698b43ee63", path: "README.md", class: "benign-link", rows: links, label: always(accept)},
		{repo: "trufflesecurity/trufflehog", commit: "3ab759fef4bb5935d4fe9ac68b503d05346b8364", path: "README.md", class: "benign-link", rows: links, label: labelLink},
		{round: 2, repo: "jonathanong/ssrf-guard", commit: "ce0d6e31e0c386fb32324a7e9ead582139e76330", path: "*.test.mts", class: "internal", rows: links, label: labelInternal},
		{round: 2, repo: cheats, commit: cheatsAt, path: "*", class: "benign-link", rows: links, label: labelLink},
		{round: 2, repo: workflows, commit: workflowsAt, path: "*.yml", class: "benign-link", rows: links, label: labelLink},
		{round: 3, repo: chubin, commit: chubinAt, path: "sheets/*", class: "benign-link", rows: links, label: labelLink},
		{round: 4, repo: "jekyll/jekyll", commit: "202df571314ba1d18e9fccd81d12aaad4a703c38", path: "docs/*.md", class: "benign-link", rows: links, label: labelLink},
		{round: 5, repo: coffin, commit: coffinAt, path: "ssrf.txt", class: "internal", rows: links, label: labelInternal},
		{round: 5, repo: warrior, commit: warriorAt, path: "Server-Side-Request-Forgery-Payloads.txt", class: "internal", rows: links, label: labelInternal},
		{round: 5, repo: mise, commit: miseAt, path: "docs/*.md", class: "benign-link", rows: links, label: labelLink},
		{round: 5, repo: "elixir-lang/elixir", commit: elixirAt, path: "lib/*.md", class: "benign-link", rows: links, label: labelLink},
		{round: 9, repo: "assetnote/blind-ssrf-chains", commit: "51a40b1b9949b84479b68ac6ee79911825b43b50", path: "README.md", class: "internal", rows: links, label: labelInternal},
		{round: 9, repo: edoverflow, commit: edoverflowAt, path: "cheatsheets/ssrf.md", class: "internal", rows: links, label: labelInternal},
		{round: 9, repo: daffa, commit: daffaAt, path: "*.md", class: "internal", rows: links, label: labelInternal},
		{round: 9, repo: pentest, commit: pentestAt, path: "*.md", class: "internal", rows: links, label: labelInternal},
		{round: 9, repo: "teler-sh/teler-waf", commit: "cf8eee099742ca534d7c89903d0d554f144b2152", path: "*_test.go", class: "internal", rows: links, label: labelInternal},
		{round: 9, repo: webpack, commit: webpackAt, path: "src/content/*.mdx", class: "benign-link", rows: links, label: labelLink},
		{round: 9, repo: vitepress, commit: vitepressAt, path: "docs/en/*.md", class: "benign-link", rows: links, label: labelLink},
		{round: 9, repo: symfony, commit: symfonyAt, path: "*.rst", class: "benign-link", rows: links, label: labelLink},
		{round: 9, repo: cypress, commit: cypressAt, path: "docs/*.mdx", class: "benign-link", rows: links, label: labelLink},
		{round: 9, repo: trivy, commit: trivyAt, path: "docs/*.md", class: "benign-link", rows: links, label: labelLink},
	},
	"commands": {
		{repo: wordlists, commit: wordlistsAt, path: "wordlists/command_injection.txt", class: "injection", rows: lines, label: labelInjectedCommand},
		{repo: "TellinaTool/nl2bash", commit: "466c5fe873ab08c7cc0112ea1521cc6ad9c20992", path: "data/bash/all.cm", class: "benign-cmd", rows: lines, label: labelCommand},
		{round: 2, repo: "SonarSource/argument-injection-vectors", commit: "f1e6535112da4d161761330bbdfbc9906e5f251a", path: "_binaries/*.md", class: "option", rows: codeBlocks, label: labelOption},
		{round: 2, repo: atomic, commit: atomicAt, path: "atomics/T*.yaml", class: "injection", rows: shellExecutors, label: labelInjectedCommand},
		{round: 2, repo: cheats, commit: cheatsAt, path: "*", class: "benign-cmd", rows: commented, label: labelHarmlessCommand},
		{round: 2, repo: workflows, commit: workflowsAt, path: "*.yml", class: "benign-cmd", rows: runSteps, label: labelHarmlessCommand},
		{round: 3, repo: intruder, commit: intruderAt, path: "FuzzLists/command_exec.txt", class: "injection", rows: lines, label: labelInjectedCommand},
		{round: 3, repo: "wallarm/gotestwaf", commit: "67dfd7a73f4e7ecd2908c8fb2c96f5e62f1d53b6", path: "testcases/owasp/shell-injection.yml", class: "injection", rows: payloads, label: labelInjectedCommand},
		{round: 3, repo: "wallarm/gotestwaf", commit: "67dfd7a73f4e7ecd2908c8fb2c96f5e62f1d53b6", path: "testcases/*rce.yml", class: "injection", rows: payloads, label: labelInjectedCommand},
		{round: 2, repo: chubin, commit: chubinAt, path: "sheets/*", class: "benign-cmd", rows: commented, label: labelHarmlessCommand},
		{round: 3, repo: "docker/awesome-compose", commit: "18f59bdb09ecf520dd5758fbf90dec314baec545", path: "*Dockerfile", class: "benign-cmd", rows: runSteps, label: labelHarmlessCommand},
		{round: 3, repo: "astral-sh/uv", commit: "26a9dd4b2125bc271b47855e1fa0c49af3365db5", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 3, repo: "python-poetry/poetry", commit: "f46702336862f30050d5c641d5ed6f7568ded793", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 3, repo: "pnpm/pnpm.io", commit: "4096ad35b19c7d7e0c2c64c704c57daf5bb91668", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 3, repo: "denoland/docs", commit: "eb8f78e90dbc72f3b3ab7dcd85609622379b5bca", path: "*.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 3, repo: "onceupon/Bash-Oneliner", commit: "ed19fae72c02a33eb1742b0d0cfc91158f468c63", path: "README.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 3, repo: crs, commit: crsAt, path: "tests/regression/tests/REQUEST-932-APPLICATION-ATTACK-RCE/*.yaml", class: "injection", rows: crsValues, label: labelInjectedCommand},
		{round: 4, repo: "rust-lang/cargo", commit: "af373f761aa4e42b093c2e453078fd73c8ce54dd", path: "src/doc/*.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 4, repo: "jekyll/jekyll", commit: "202df571314ba1d18e9fccd81d12aaad4a703c38", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 4, repo: "gohugoio/hugoDocs", commit: "1c613349f4220ae84070df25979d720c43e5cfa6", path: "*.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 4, repo: "vitejs/vite", commit: "a98c8d95d552c6fa98ab66fb810f5b39ad5abf49", path: "*.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 4, repo: "helm/helm-www", commit: "227f41447a683545325e87aedf10c67096d11004", path: "*.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 4, repo: "pypa/pip", commit: "6d309205789d368b2749d93fd6193d584811efd5", path: "*.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 4, repo: "omurugur/OS_Command_Payload_List", commit: "b875fd2c0ad7d2d1275cee6fc7b514ce49696df3", path: "OS-Command-Fuzzing.txt", class: "injection", rows: lines, label: labelInjectedCommand},
		{round: 4, repo: "foospidy/payloads", commit: "38ac97fc0adfd149dd976f3dbd42c025232aaa47", path: "other/commandinjection/*.txt", class: "injection", rows: lines, label: labelInjectedCommand},
		{round: 4, repo: "rails/rails", commit: "2a2db1e8d6d104ee0611efcae7eb023af65cff34", path: "guides/source/*.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 4, repo: "denisidoro/cheats", commit: "1339965e9615ce00174cc308a41279d9c59aa75f", path: "*.cheat", class: "benign-cmd", rows: commented, label: labelHarmlessCommand},
		{round: 4, repo: "LeCoupa/awesome-cheatsheets", commit: "8249479622d47f7b0ad6ba0f2258cb49e96cbd73", path: "*.sh", class: "benign-cmd", rows: commented, label: labelHarmlessCommand},
		{round: 5, repo: warrior, commit: warriorAt, path: "OS-Command-Injection-*.txt", class: "injection", rows: lines, label: labelInjectedCommand},
		{round: 5, repo: fuzzDicts, commit: fuzzDictsAt, path: "rcePayloads/Unix-Commond-Inject-Payload-List.txt", class: "injection", rows: lines, label: labelInjectedCommand},
		{round: 5, repo: fuzzDicts, commit: fuzzDictsAt, path: "rcePayloads/Windows-Commond-Inject-Payload-List.txt", class: "injection", rows: lines, label: labelInjectedCommand},
		{round: 5, repo: fuzzDicts, commit: fuzzDictsAt, path: "rcePayloads/RCE-filter-and-WAF-Bypass.txt", class: "injection", rows: lines, label: labelInjectedCommand},
		{round: 5, repo: "mitre/stockpile", commit: "996ec41cd1c5d1c7cc09e620fc55dabe5aefd9cc", path: "data/abilities/*.yml", class: "injection", rows: shAbilities, label: labelInjectedCommand},
		{round: 5, repo: wapiti, commit: wapitiAt, path: "wapitiCore/data/attacks/execPayloads.ini", class: "injection", rows: wapitiPayloads, label: labelInjectedCommand},
		{round: 5, repo: wafBypass, commit: wafBypassAt, path: "utils/payload/RCE/*.json", class: "injection", rows: bypasses, label: labelInjectedCommand},
		{round: 5, repo: efficacy, commit: efficacyAt, path: "nuclei-templates/helpers/payloads/cmdexe/true-positives.txt", class: "injection", rows: lines, label: labelInjectedCommand},
		{round: 5, repo: "0dayCTF/reverse-shell-generator", commit: "9fda27f91b1b1f370539dd534bc3bbb1f6b49bf6", path: "js/data.js", class: "injection", rows: commandMembers, label: labelInjectedCommand},
		{round: 5, repo: "git-tips/tips", commit: "727551c5dab24c7b1d63814222a06f9d01546bc4", path: "*.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 5, repo: "RehanSaeed/Bash-Cheat-Sheet", commit: "ca902a6b9635b1e28423c379231f1fbaff0f1a20", path: "README.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 5, repo: "trimstray/the-book-of-secret-knowledge", commit: "7d37069a361d3fd9f214480755f7969744e866fa", path: "README.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 5, repo: "rstacruz/cheatsheets", commit: "f3c908448052c0a590707b2c15134d5507d42589", path: "*.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 5, repo: "learnbyexample/Command-line-text-processing", commit: "ce56c851f078469736bbe51a6938c21cc934022e", path: "*.md", class: "benign-cmd", rows: prompted, label: labelHarmlessCommand},
		{round: 5, repo: "learnbyexample/cli_text_processing_coreutils", commit: "07bdf19ada825a0e06d3a93937f3bf740482b063", path: "*.md", class: "benign-cmd", rows: prompted, label: labelHarmlessCommand},
		{round: 5, repo: mise, commit: miseAt, path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 5, repo: mise, commit: miseAt, path: ".github/workflows/*.yml", class: "benign-cmd", rows: runSteps, label: labelHarmlessCommand},
		{round: 5, repo: "withastro/docs", commit: "741c1b89ba13cf9b4ac4087ef09dc269e113fa77", path: "src/content/docs/en/*.mdx", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 5, repo: "tauri-apps/tauri-docs", commit: tauriAt, path: "src/content/docs/*.mdx", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 5, repo: "npm/documentation", commit: "404e183ea0c1f0b5d0b479175a291f70e216ade3", path: "content/*.mdx", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 5, repo: "cli/cli", commit: "44ee17760709bedf1cad7e452e61751489b81a33", path: "pkg/cmd/*.go", class: "benign-cmd", rows: prompted, label: labelHarmlessCommand},
		{round: 5, repo: "cli/cli", commit: "44ee17760709bedf1cad7e452e61751489b81a33", path: ".github/workflows/*.yml", class: "benign-cmd", rows: runSteps, label: labelHarmlessCommand},
		{round: 5, repo: "grafana/k6-docs", commit: "587199f5c28d7a2cff9b540808390e6c471d6de7", path: "docs/sources/k6/next/*.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 5, repo: "elixir-lang/elixir", commit: elixirAt, path: "lib/*.md", class: "benign-cmd", rows: prompted, label: labelHarmlessCommand},
		{round: 5, repo: "Homebrew/brew", commit: "aad366ffaf6a8c94c66d35e4b990d42ac4195305", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 5, repo: "Homebrew/brew", commit: "aad366ffaf6a8c94c66d35e4b990d42ac4195305", path: ".github/workflows/*.yml", class: "benign-cmd", rows: runSteps, label: labelHarmlessCommand},
		{round: 5, repo: "eslint/eslint", commit: "c27bc926e496985eb7911c09eb60914b2e4b5d0f", path: "docs/src/*.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 5, repo: "gruntwork-io/terragrunt", commit: "286a33cb8f79d5ef9177d835561e94fe3cc3caf0", path: "docs/src/content/*.mdx", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 5, repo: "dart-lang/site-www", commit: "91816041abeade1d1ca731943105ef91044c063d", path: "src/content/*.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 5, repo: "ansible/ansible-documentation", commit: "ef72400cc2f70f974ffbb30b63098b31dbd36b07", path: "docs/*.rst", class: "benign-cmd", rows: prompted, label: labelHarmlessCommand},
		{round: 5, repo: "jj-vcs/jj", commit: "9d905d5432869c7aa9539e6e5c7fece5842bed37", path: "docs/*.md", class: "benign-cmd", rows: prompted, label: labelHarmlessCommand},
		{round: 5, repo: "angular/angular-cli", commit: "9a1b250bbd3617ce66ff67730075dcda054b5e79", path: ".github/workflows/*.yml", class: "benign-cmd", rows: runSteps, label: labelHarmlessCommand},
		{round: 5, repo: "simonw/datasette", commit: "481df7ff6d78a8ccf919984d27f27201b081bd53", path: ".github/workflows/*.yml", class: "benign-cmd", rows: runSteps, label: labelHarmlessCommand},
		{round: 5, repo: "sqlc-dev/sqlc", commit: "99a7d7d0c7b913ded6a60a9d038ece99dcdf7892", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelHarmlessCommand},
		{round: 5, repo: "sqlc-dev/sqlc", commit: "99a7d7d0c7b913ded6a60a9d038ece99dcdf7892", path: ".github/workflows/*.yml", class: "benign-cmd", rows: runSteps, label: labelHarmlessCommand},
		{round: 7, repo: "sveltejs/kit", commit: "aa810a04146b98b77592f7b384347140d29ff599", path: "documentation/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 7, repo: "vitest-dev/vitest", commit: "c3ba16b35847d27fb9f01f38cdcb047c77e121f8", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 7, repo: "astral-sh/ruff", commit: "fca5c7cf2cd2f8338f18b9485f936b8e9f07bd0b", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 7, repo: "pypa/hatch", commit: "ed8e30bebf98f2fe4d70c18a32a50a8160c391cb", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 7, repo: "pypa/pipenv", commit: "3f1b272abd51d7d7ab7f5935bb6b25da86e93e8b", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 7, repo: "golangci/golangci-lint", commit: "6fb5dee3889d231640dce56e5e71c522f13aef7e", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 7, repo: "prettier/prettier", commit: "4f84a934201322ca87750e2b9b25baf296da6560", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 7, repo: "jestjs/jest", commit: "52db46e50404c993d3f10dd1481e861cc04ae22e", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 7, repo: "goreleaser/goreleaser", commit: "cd616d2c080b205bfe0833396e6f2d208253095e", path: "www/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 7, repo: "rust-lang/rustup", commit: "0878429a3d0868928cb57085332854e183f9fcfe", path: "doc/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 7, repo: "biomejs/website", commit: "830c2a8d641c6c34ca551ff703dab758694c75e1", path: "src/content/docs/guides/*.mdx", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 7, repo: "fastapi/fastapi", commit: "c3f316b7e814667e8ee81e03a7330d00ee61e45c", path: "docs/en/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 7, repo: "opentofu/opentofu", commit: "f831fa1aa4b90cdbdb1e0b5a8d5815f9e74646a5", path: "website/*.mdx", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 7, repo: "getsops/sops", commit: "15e36f97a8641769712da76b64aec4ea566be81e", path: "*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 7, repo: "casey/just", commit: "4f41f609278edb6f1024e3dd7a9912946e1e7bc3", path: "README.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 7, repo: "microsoft/playwright", commit: "d4e1023f6c03a8dced50eb3db88c2217e7c1a86a", path: "docs/src/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 7, repo: "rust-lang/book", commit: "917544888a55e4da7109bdba8c88c893c0da70f4", path: "src/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 7, repo: "BurntSushi/ripgrep", commit: "3fce3b5bb0236da2df6d99672afb8a719642eca7", path: "*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 7, repo: zap, commit: zapAt, path: "addOns/ascanrules/src/main/java/org/zaproxy/zap/extension/ascanrules/CommandInjection*.java", class: "injection", rows: javaStrings, label: labelInjectedCommand},
		{round: 7, repo: "3516634930/Payloader", commit: "e9facd048efc86c252048301a18c37009b5a641f", path: "content-review/overrides-cmdi2.json", class: "injection", rows: commandMembers, label: labelInjectedCommand},
		{round: 8, repo: "containers/podman", commit: "c6580b4a5219c9efb9ab79a540637d8a58b736f8", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 8, repo: "kubernetes-sigs/kind", commit: "fed268827e21ca48a74c38215c316dd343364ef5", path: "site/content/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 8, repo: "argoproj/argo-cd", commit: "37ee0097cf851bc2dd7665fc081bbce61a7e836e", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 8, repo: "rclone/rclone", commit: "64ab1ac32260238eefca3c61327f5faf1c6e106f", path: "docs/content/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 8, repo: "mkdocs/mkdocs", commit: "2862536793b3c67d9d83c33e0dd6d50a791928f8", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 8, repo: "nuxt/nuxt", commit: "4e0099839c3ea0483e6dc639e4be6d9bdffc3e56", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 8, repo: "remix-run/react-router", commit: "cab1a69054aa7dfba08a81b6e4b4d13957c82a38", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 8, repo: "honojs/website", commit: "3048a3680d48fbc7dfd7cd1dd312f409036d4518", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 8, repo: "conventional-changelog/commitlint", commit: "1fd1be00701ab48c9baa964e3b8c0c36a451ccc4", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 8, repo: "golang/website", commit: "b02076ae6df08ee9d495fe4b283f88ac18e51012", path: "_content/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 8, repo: "k3d-io/k3d", commit: "46f3480daa747ba71c155d0f619ce6aba7b95db9", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 8, repo: "laravel/docs", commit: "86077535bbfdc2ab29cd9f202ee1ab3e7e6e18e6", path: "*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 8, repo: "phoenixframework/phoenix", commit: "167c46950cf53aef363d672687cc653267c20aa6", path: "guides/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 9, repo: morzeux, commit: morzeuxAt, path: "payload_full.csv", class: "injection", rows: typed("attack_type", "cmdi"), label: labelInjectedCommand},
		{round: 9, repo: firewall, commit: firewallAt, path: "data/payloads.csv", class: "injection", rows: typed("injection_type", "SHELL"), label: labelInjectedCommand},
		{round: 9, repo: firewall, commit: firewallAt, path: "data/ShellCollection.txt", class: "injection", rows: lines, label: labelInjectedCommand},
		{round: 9, repo: "Mehran-Seifalinia/OS-Command-injection-payloads", commit: "2eb08aa8f444ce2ab250343316b2229ed95fb7a8", path: "OSPayloads.txt", class: "injection", rows: lines, label: labelInjectedCommand},
		{round: 9, repo: "User07x07/Bypass-WAF-OS-command-injection", commit: "bed7cd8c1eea9546835a8b240a19a7e6aa23e9a1", path: "README.md", class: "injection", rows: lines, label: labelInjectedCommand},
		{round: 9, repo: edoverflow, commit: edoverflowAt, path: "cheatsheets/rce.md", class: "injection", rows: fencedLines, label: labelInjectedCommand},
		{round: 9, repo: pentest, commit: pentestAt, path: "enumeration/web/command-injection.md", class: "injection", rows: fencedLines, label: labelInjectedCommand},
		{round: 9, repo: pentest, commit: pentestAt, path: "exploitation/reverse-shells.md", class: "injection", rows: fencedLines, label: labelInjectedCommand},
		{round: 9, repo: "teler-sh/teler-waf", commit: "cf8eee099742ca534d7c89903d0d554f144b2152", path: "teler_test.go", class: "injection", rows: javaStrings, label: labelInjectedCommand},
		{round: 9, repo: "GTFOArgs/GTFOArgs.github.io", commit: "2d19761a83e864140b0de9464f82a988b05365c5", path: "_gtfoargs/*.md", class: "option", rows: argumentExamples, label: labelProgramOption},
		{round: 9, repo: webpack, commit: webpackAt, path: "src/content/*.mdx", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 9, repo: webpack, commit: webpackAt, path: ".github/workflows/*.yml", class: "benign-cmd", rows: runSteps, label: labelOrdinaryCommand},
		{round: 9, repo: vitepress, commit: vitepressAt, path: "docs/en/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 9, repo: stylelint, commit: stylelintAt, path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 9, repo: stylelint, commit: stylelintAt, path: ".github/workflows/*.yml", class: "benign-cmd", rows: runSteps, label: labelOrdinaryCommand},
		{round: 9, repo: "babel/website", commit: "b4753209310b5b1a6c6a27014ff50a2283e09327", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 9, repo: rollup, commit: rollupAt, path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 9, repo: rollup, commit: rollupAt, path: ".github/workflows/*.yml", class: "benign-cmd", rows: runSteps, label: labelOrdinaryCommand},
		{round: 9, repo: "pre-commit/pre-commit.com", commit: "a3ced3d425a78113e4c0068641a75ca175ab26ed", path: "sections/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 9, repo: "tox-dev/tox", commit: "ccb12fc2e1bb9df0da860be4af175e9b97949fbc", path: "docs/*.rst", class: "benign-cmd", rows: prompted, label: labelOrdinaryCommand},
		{round: 9, repo: "sphinx-doc/sphinx", commit: "e44a40eb2f810558ccd9da1425421270ccb81351", path: "doc/*.rst", class: "benign-cmd", rows: prompted, label: labelOrdinaryCommand},
		{round: 9, repo: cabal, commit: cabalAt, path: "doc/*.rst", class: "benign-cmd", rows: prompted, label: labelOrdinaryCommand},
		{round: 9, repo: cabal, commit: cabalAt, path: ".github/workflows/*.yml", class: "benign-cmd", rows: runSteps, label: labelOrdinaryCommand},
		{round: 9, repo: "commercialhaskell/stack", commit: "7f6e8f38b6ad162686c8e8e0d02f64521b708f92", path: "doc/*.md", class: "benign-cmd", rows: prompted, label: labelOrdinaryCommand},
		{round: 9, repo: "commercialhaskell/stack", commit: "7f6e8f38b6ad162686c8e8e0d02f64521b708f92", path: "doc/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 9, repo: "traefik/traefik", commit: "fd5a576df2e8aeb0bfc8a96b6ef6e60a61f7ec0a", path: "docs/content/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 9, repo: "crossplane/docs", commit: "56a4808efd1640ac39aa851c8adf17bacb6283c3", path: "content/v2.3/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 9, repo: "crossplane/docs", commit: "56a4808efd1640ac39aa851c8adf17bacb6283c3", path: "content/cli/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 9, repo: httpie, commit: httpieAt, path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 9, repo: httpie, commit: httpieAt, path: ".github/workflows/*.yml", class: "benign-cmd", rows: runSteps, label: labelOrdinaryCommand},
		{round: 9, repo: "sharkdp/fd", commit: "ee20f426ddf338ac7ead5c5f00ea49258005caaf", path: "README.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 9, repo: "ko-build/ko", commit: "42978711adcbd3ff231b81907534090d30838a4d", path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 9, repo: earthly, commit: earthlyAt, path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 9, repo: earthly, commit: earthlyAt, path: ".github/workflows/*.yml", class: "benign-cmd", rows: runSteps, label: labelOrdinaryCommand},
		{round: 9, repo: cypress, commit: cypressAt, path: "docs/*.mdx", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 9, repo: lerna, commit: lernaAt, path: "website/docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 9, repo: lerna, commit: lernaAt, path: "libs/commands/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 9, repo: "pytest-dev/pytest", commit: "df87db7b0462fb764ef73fa00561adf8ad047572", path: "doc/en/*.rst", class: "benign-cmd", rows: prompted, label: labelOrdinaryCommand},
		{round: 9, repo: trivy, commit: trivyAt, path: "docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 9, repo: scalaCLI, commit: scalaCLIAt, path: "website/docs/*.md", class: "benign-cmd", rows: fenced, label: labelOrdinaryCommand},
		{round: 9, repo: scalaCLI, commit: scalaCLIAt, path: ".github/workflows/*.yml", class: "benign-cmd", rows: runSteps, label: labelOrdinaryCommand},
		{round: 9, repo: symfony, commit: symfonyAt, path: "*.rst", class: "benign-cmd", rows: prompted, label: labelOrdinaryCommand},
	},
	"injection": {
		{round: 2, repo: "tbartel74/Vigil-Guard", commit: "02e26ff197cb85d296e557f32f0722560b965ab7", path: "services/workflow/tests/fixtures/owasp-aitg-app-02.json", class: "indirect", rows: texts, label: always(flagged)},
		{round: 2, repo: "opena2a-org/open-agent-security-benchmark", commit: "fc8554852ee8e10d97254cdf6f84d0201e33c783", path: "corpus/batch-stego.json", class: "steganography", rows: texts, label: always(flagged)},
		{round: 2, repo: "opena2a-org/open-agent-security-benchmark", commit: "fc8554852ee8e10d97254cdf6f84d0201e33c783", path: "corpus/batch-injection.json", class: "definition", rows: texts, label: labelDisguised},
		{round: 2, repo: "fr4nk3nst1ner/aiml-testing", commit: "b3b130f2edd15a3df2cacda3cffffb115994868e", path: "prompt-injection-tests/0*.md", class: "issue", rows: fencedTexts, label: labelDisguised},
		{round: 2, repo: "gtech/moltshield", commit: "8bba101b7dfc57052c43ea17960eaccd2f15aaa8", path: "tests/benchmarks/framework/datasets.ts", class: "scenario", rows: malicious, label: labelDisguised},
		{round: 2, repo: "bountyyfi/invisible-prompt-injection", commit: "c669bb2c70ca33fdf15f6b4827d680e15f5e95b0", path: "poisoned/Readme.md", class: "readme", rows: whole, label: always(flagged)},
		{round: 2, repo: "mozilla/readability", commit: readabilityAt, path: "test/test-pages/*.html", class: "page", rows: whole, label: always(clean)},
		{round: 2, repo: "mozilla/readability", commit: readabilityAt, path: "test/test-pages/*.json", class: "json", rows: whole, label: always(clean)},
		{round: 2, repo: "pydantic/pydantic-ai", commit: pydanticAt, path: "*.md", class: "ai-document", rows: whole, label: always(clean)},
		{round: 2, repo: "microsoft/autogen", commit: "027ecf0a379bcc1d09956d46d12d44a3ad9cee14", path: "*.md", class: "ai-document", rows: whole, label: always(clean)},
		{round: 2, repo: "langchain-ai/langgraph", commit: "f09cfe8ffc1eeffd68f4b628ed69c30f7cad229f", path: "*.md", class: "ai-document", rows: whole, label: always(clean)},
		{round: 2, repo: "openai/openai-agents-python", commit: "7f7a44f8dc0650296bd5ab6c745c9bcbaa6ac3b7", path: "*.md", class: "ai-document", rows: whole, label: always(clean)},
		{round: 2, repo: "awslabs/mcp", commit: awslabsAt, path: "*.md", class: "server-document", rows: whole, label: always(clean)},
		{round: 2, repo: "awslabs/mcp", commit: awslabsAt, path: "*.json", class: "json", rows: whole, label: always(clean)},
		{round: 2, repo: "apache/maven", commit: "540897d3d3c329a38e4df9648249c9d407dbc8c2", path: "*.xml", class: "xml", rows: whole, label: always(clean)},
		{round: 2, repo: "pallets/flask", commit: flaskAt, path: "*.html", class: "page", rows: whole, label: always(clean)},
		{round: 2, repo: "pallets/flask", commit: flaskAt, path: "*.rst", class: "document", rows: whole, label: always(clean)},
		{round: 2, repo: "prometheus/prometheus", commit: prometheusAt, path: "*.md", class: "document", rows: whole, label: always(clean)},
		{round: 3, repo: "Vigil-Guard/vigil-redteam", commit: "fd7fe061a594807a4813e2516d9ffe5dcdbacba0", path: "datasets/golden/obfuscation.jsonl", class: "obfuscation", rows: lineMembers("user_input"), label: always(flagged)},
		{round: 3, repo: "Vigil-Guard/vigil-redteam", commit: "fd7fe061a594807a4813e2516d9ffe5dcdbacba0", path: "datasets/golden/obfuscation_advanced.jsonl", class: "obfuscation", rows: lineMembers("user_input"), label: always(flagged)},
		{round: 3, repo: "Vigil-Guard/vigil-redteam", commit: "fd7fe061a594807a4813e2516d9ffe5dcdbacba0", path: "datasets/golden/tool_agent_abuse.jsonl", class: "tool-agent-abuse", rows: lineMembers("user_input"), label: labelDisguised},
		{round: 3, repo: "Vigil-Guard/vigil-redteam", commit: "fd7fe061a594807a4813e2516d9ffe5dcdbacba0", path: "datasets/golden/data_exfiltration.jsonl", class: "data-exfiltration", rows: lineMembers("user_input"), label: labelDisguised},
		{round: 3, repo: "Vigil-Guard/vigil-redteam", commit: "fd7fe061a594807a4813e2516d9ffe5dcdbacba0", path: "datasets/golden/instruction_override.jsonl", class: "instruction-override", rows: lineMembers("user_input"), label: labelDisguised},
		{round: 3, repo: "Vigil-Guard/vigil-redteam", commit: "fd7fe061a594807a4813e2516d9ffe5dcdbacba0", path: "datasets/golden/instruction_override_advanced.jsonl", class: "instruction-override", rows: lineMembers("user_input"), label: labelDisguised},
		{round: 3, repo: "Vigil-Guard/vigil-redteam", commit: "fd7fe061a594807a4813e2516d9ffe5dcdbacba0", path: "datasets/golden/context_inconsistency.jsonl", class: "context-inconsistency", rows: lineMembers("user_input"), label: labelDisguised},
		{round: 3, repo: "Vigil-Guard/vigil-redteam", commit: "fd7fe061a594807a4813e2516d9ffe5dcdbacba0", path: "datasets/golden/context_inconsistency_advanced.jsonl", class: "context-inconsistency", rows: lineMembers("user_input"), label: labelDisguised},
		{round: 3, repo: "rustyorb/pincer", commit: "961485b0321259cf65ed3497e9c125cb587679bf", path: "src/lib/attacks/injection.ts", class: "injection", rows: prompts, label: labelDisguised},
		{round: 3, repo: "rustyorb/pincer", commit: "961485b0321259cf65ed3497e9c125cb587679bf", path: "src/lib/attacks/encoding.ts", class: "encoding", rows: prompts, label: labelDisguised},
		{round: 3, repo: "rustyorb/pincer", commit: "961485b0321259cf65ed3497e9c125cb587679bf", path: "src/lib/attacks/tool-abuse.ts", class: "tool-abuse", rows: prompts, label: labelDisguised},
		{round: 3, repo: "rustyorb/pincer", commit: "961485b0321259cf65ed3497e9c125cb587679bf", path: "src/lib/attacks/bypass.ts", class: "bypass", rows: prompts, label: labelDisguised},
		{round: 3, repo: "gocko1004/ai-prompt-injection-lab", commit: "df7b10ce8260bfb2cde999aae847ad1d8165595c", path: "attacks/*.md", class: "report", rows: fencedTexts, label: labelDisguised},
		{round: 3, repo: "gocko1004/ai-prompt-injection-lab", commit: "df7b10ce8260bfb2cde999aae847ad1d8165595c", path: "reports/*.md", class: "report", rows: fencedTexts, label: labelDisguised},
		{round: 3, repo: "screem500/prompt-injection-auditor", commit: "30c34b5114bb873ea81cec4382341ac2a73ef91c", path: "references/test-payloads.md", class: "payload", rows: fencedTexts, label: labelDisguised},
		{round: 3, repo: "adbar/trafilatura", commit: "e90b0ef51ab026fdb905fb6c5b3c84dd3d784fd5", path: "*.html", class: "page", rows: whole, label: always(clean)},
		{round: 3, repo: "jekyll/jekyll", commit: "202df571314ba1d18e9fccd81d12aaad4a703c38", path: "*.html", class: "page", rows: whole, label: always(clean)},
		{round: 3, repo: "jekyll/jekyll", commit: "202df571314ba1d18e9fccd81d12aaad4a703c38", path: "*.md", class: "document", rows: whole, label: always(clean)},
		{round: 3, repo: "gohugoio/hugoDocs", commit: "1c613349f4220ae84070df25979d720c43e5cfa6", path: "*.md", class: "document", rows: whole, label: always(clean)},
		{round: 3, repo: "gohugoio/hugoDocs", commit: "1c613349f4220ae84070df25979d720c43e5cfa6", path: "*.html", class: "page", rows: whole, label: always(clean)},
		{round: 3, repo: "huggingface/smolagents", commit: "e3a5b8994b301983b91c0325546e9dc82eab8cf0", path: "*.md", class: "ai-document", rows: whole, label: always(clean)},
		{round: 3, repo: "microsoft/semantic-kernel", commit: "b39d95a34435f4c1d55dd00c86120ce118d847e1", path: "*.md", class: "ai-document", rows: whole, label: always(clean)},
		{round: 3, repo: "microsoft/semantic-kernel", commit: "b39d95a34435f4c1d55dd00c86120ce118d847e1", path: "*.json", class: "json", rows: whole, label: always(clean)},
		{round: 3, repo: "vitejs/vite", commit: "a98c8d95d552c6fa98ab66fb810f5b39ad5abf49", path: "*.md", class: "document", rows: whole, label: always(clean)},
		{round: 3, repo: "vitejs/vite", commit: "a98c8d95d552c6fa98ab66fb810f5b39ad5abf49", path: "*.html", class: "page", rows: whole, label: always(clean)},
		{round: 3, repo: "vitejs/vite", commit: "a98c8d95d552c6fa98ab66fb810f5b39ad5abf49", path: "*.json", class: "json", rows: whole, label: always(clean)},
		{round: 3, repo: "spring-projects/spring-petclinic", commit: "edf4db28affcc4741c79850a3d95bc3f177b5ff9", path: "*.html", class: "page", rows: whole, label: always(clean)},
		{round: 6, repo: authensor, commit: authensorAt, path: "benchmark/v1/prompt-injection/delimiter-injection.json", class: "delimiter", rows: objectMembers("input"), label: labelDisguised},
		{round: 6, repo: authensor, commit: authensorAt, path: "benchmark/v1/prompt-injection/encoding-evasion.json", class: "encoding", rows: objectMembers("input"), label: labelDisguised},
		{round: 6, repo: authensor, commit: authensorAt, path: "benchmark/v1/prompt-injection/context-stuffing.json", class: "stuffing", rows: objectMembers("input"), label: labelDisguised},
		{round: 6, repo: authensor, commit: authensorAt, path: "benchmark/v1/prompt-injection/few-shot-poisoning.json", class: "few-shot", rows: objectMembers("input"), label: labelDisguised},
		{round: 6, repo: authensor, commit: authensorAt, path: "benchmark/v1/prompt-injection/instruction-override.json", class: "instruction-override", rows: objectMembers("input"), label: labelDisguised},
		{round: 6, repo: authensor, commit: authensorAt, path: "benchmark/v1/prompt-injection/language-switching.json", class: "language", rows: objectMembers("input"), label: labelDisguised},
		{round: 6, repo: authensor, commit: authensorAt, path: "benchmark/v1/prompt-injection/multi-turn.json", class: "multi-turn", rows: objectMembers("input"), label: labelDisguised},
		{round: 6, repo: authensor, commit: authensorAt, path: "benchmark/v1/prompt-injection/role-manipulation.json", class: "role", rows: objectMembers("input"), label: labelDisguised},
		{round: 6, repo: authensor, commit: authensorAt, path: "benchmark/v1/memory-poisoning/advanced.json", class: "memory", rows: objectMembers("input"), label: labelDisguised},
		{round: 6, repo: authensor, commit: authensorAt, path: "benchmark/v1/memory-poisoning/authority-injection.json", class: "memory", rows: objectMembers("input"), label: labelDisguised},
		{round: 6, repo: authensor, commit: authensorAt, path: "benchmark/v1/memory-poisoning/sleeper-and-drift.json", class: "memory", rows: objectMembers("input"), label: labelDisguised},
		{round: 6, repo: "Arcanum-Sec/arc_pi_taxonomy", commit: "e02cf5b6e202f195c6b6c01484e99519f797acc6", path: "docs/data/taxonomy.json", class: "taxonomy", rows: taxonomy, label: labelDisguised},
		{round: 6, repo: "jjbdevs/indirect-injection-study", commit: "8d49edb42c20f956395ecebddad17a1eed5fc6a3", path: "scenarios/scenarios.json", class: "carrier", rows: objectMembers("carrier_content"), label: labelDisguised},
		{round: 6, repo: "brennanbrown/atlas-prompt-injection-poc", commit: "b83bcb93bc0e49c36c4951d8b4a78da161ea358e", path: "index.html", class: "page", rows: whole, label: always(flagged)},
		{round: 6, repo: "mochi-studio/prompt-injection-test", commit: "2f6d4154bb1343f04112cf8701ae191981a240fb", path: "index.html", class: "page", rows: whole, label: always(flagged)},
		{round: 6, repo: "NatClassroom/BuildingWithLLM", commit: "7eef351ad66cd31bcae395e51383fe2ae155cecb", path: "lec12/04_prompt_injection.py", class: "page", rows: maliciousPages, label: labelDisguised},
		{round: 6, repo: unity, commit: unityAt, path: "examples/*-attack.md", class: "skill", rows: whole, label: labelDisguised},
		{round: 6, repo: unity, commit: unityAt, path: "tests/fixtures/injected-skill.md", class: "skill", rows: whole, label: labelDisguised},
		{round: 6, repo: "aliakarma/langchain-prompt-injection", commit: "251485443039f062cb20c9c5e993b4cde1de7c7d", path: "data/synthetic/injections.jsonl", class: "synthetic", rows: lineMembers("text"), label: labelDisguised},
		{round: 6, repo: shouta, commit: shoutaAt, path: "prompts/prompts.jsonl", class: "prompt", rows: lineMembers("prompt"), label: labelDisguised},
		{round: 6, repo: redteam, commit: redteamAt, path: "src/agent_redteam/suites/multimodal/data.jsonl", class: "multimodal", rows: lineMembers("svg_content"), label: labelDisguised},
		{round: 6, repo: redteam, commit: redteamAt, path: "src/agent_redteam/suites/multimodal/data.jsonl", class: "multimodal", rows: lineMembers("doc_content"), label: labelDisguised},
		{round: 6, repo: "postlight/parser", commit: "e8ba7ece291efa4d915d50dd4deeec17d54359f2", path: "*.html", class: "page", rows: whole, label: always(clean)},
		{round: 6, repo: goose, commit: gooseAt, path: "*.html", class: "page", rows: whole, label: always(clean)},
		{round: 6, repo: goose, commit: gooseAt, path: "*.json", class: "json", rows: whole, label: always(clean)},
		{round: 6, repo: "codelucas/newspaper", commit: "1618b547f31c2d1fd19ae3b6afd8f7542dd02074", path: "tests/*.html", class: "page", rows: whole, label: always(clean)},
		{round: 6, repo: "mdn/learning-area", commit: "ca1ff0bd06e12b96a6742ffdf040bb22966e5a5e", path: "*.html", class: "page", rows: whole, label: always(clean)},
		{round: 6, repo: "mmcdole/gofeed", commit: "e010ca02e0eb28daf544c0447fdd64e4e99d5c5e", path: "*.xml", class: "feed", rows: whole, label: always(clean)},
		{round: 6, repo: "stanfordnlp/dspy", commit: "4ed377ee9110e912d4f5e1be43b317b87455053c", path: "*.md", class: "ai-document", rows: whole, label: always(clean)},
		{round: 6, repo: haystack, commit: haystackAt, path: "docs-website/docs/*.mdx", class: "ai-document", rows: whole, label: always(clean)},
		{round: 6, repo: haystack, commit: haystackAt, path: "docs-website/reference/*.md", class: "ai-document", rows: whole, label: always(clean)},
		{round: 6, repo: "crate/crate", commit: "023a7ccf7f1e2b7bfb2dfafc8bcc7705cf6e1bd8", path: "*.rst", class: "document", rows: whole, label: always(clean)},
		{round: 6, repo: "psf/requests", commit: "1f6589ec3a1ee910f9a65cc3ceac60b26677bc0e", path: "*.rst", class: "document", rows: whole, label: always(clean)},
		{round: 6, repo: "bazelbuild/rules_python", commit: "6854dc3880b1ff81659ad4a36fb2e6551f41d0e2", path: "*.md", class: "document", rows: whole, label: always(clean)},
		{round: 6, repo: "SchemaStore/schemastore", commit: "3b6446ad8a077bac56f4a4796c0b7fd88927fc8e", path: "src/schemas/json/c*.json", class: "json", rows: whole, label: always(clean)},
		{round: 10, repo: threatRules, commit: threatRulesAt, path: "rules/prompt-injection/*.yaml", class: "threat", rows: threats, label: labelHiding},
		{round: 10, repo: threatRules, commit: threatRulesAt, path: "rules/tool-poisoning/*.yaml", class: "threat", rows: threats, label: labelHiding},
		{round: 10, repo: threatRules, commit: threatRulesAt, path: "data/skill-benchmark/malicious/*.md", class: "skill", rows: whole, label: labelHiding},
		{round: 10, repo: promptShield, commit: promptShieldAt, path: "tests/fixtures/injections/*.json", class: "fixture", rows: detectedCases, label: labelHiding},
		{round: 10, repo: "garagon/aguara", commit: "c3f42bcd45dd2dc85820a2968c4196f164e5b602", path: "internal/rules/builtin/*.yaml", class: "rule-example", rows: truePositives, label: labelHiding},
		{round: 10, repo: "holeyfield33-art/aletheia-redteam-kit", commit: "eb61b15bd47e8b7bfbaf9c51f99735dd3a3c8e72", path: "attacks/*.json", class: "attack", rows: anyMembers("payload"), label: labelHiding},
		{round: 10, repo: "utkusen/promptmap", commit: "d305132e38f28b4cdca5c5b4586f11904ed1836d", path: "rules/*.yaml", class: "rule", rows: yamlPrompt, label: labelHiding},
		{round: 10, repo: "danzaio/prompt-injection-zoo", commit: "b5271186965f50b542261c9fad3ac0511057d774", path: "scenarios/*.json", class: "scenario", rows: anyMembers("content"), label: labelHiding},
		{round: 10, repo: "cisco-ai-defense/skill-scanner", commit: "48f59347a54b93606dd1e31c41989ebfd0fcc84d", path: "evals/test_skills/malicious/*SKILL.md", class: "skill", rows: whole, label: labelHiding},
		{round: 10, repo: "cisco-ai-defense/skill-scanner", commit: "48f59347a54b93606dd1e31c41989ebfd0fcc84d", path: "evals/skills/prompt-injection/*SKILL.md", class: "skill", rows: whole, label: labelHiding},
		{round: 10, repo: "w3c/wcag", commit: "58080bdb063746f1519d55c4714897ac4b83d171", path: "*.html", class: "page", rows: whole, label: always(clean)},
		{round: 10, repo: "w3c/wcag", commit: "58080bdb063746f1519d55c4714897ac4b83d171", path: "*.svg", class: "drawing", rows: whole, label: always(clean)},
		{round: 10, repo: "alphagov/govuk-frontend", commit: "4a1ae890d1b761ada8e47d9bcaf6ebc9856bd779", path: "*.md", class: "document", rows: whole, label: always(clean)},
		{round: 10, repo: "modelcontextprotocol/modelcontextprotocol", commit: "b0f60ba5409db7a6582440a7b473cc0398890f15", path: "*.mdx", class: "ai-document", rows: whole, label: always(clean)},
		{round: 10, repo: "modelcontextprotocol/modelcontextprotocol", commit: "b0f60ba5409db7a6582440a7b473cc0398890f15", path: "*.md", class: "ai-document", rows: whole, label: always(clean)},
		{round: 10, repo: "modelcontextprotocol/modelcontextprotocol", commit: "b0f60ba5409db7a6582440a7b473cc0398890f15", path: "*.json", class: "json", rows: whole, label: always(clean)},
		{round: 10, repo: "crewAIInc/crewAI", commit: "f4731f5025f861c78e3af0487cc80bf5e7c64782", path: "docs/edge/en/*.mdx", class: "ai-document", rows: whole, label: always(clean)},
		{round: 10, repo: "vercel/ai", commit: "ed857f50f112e23930b0c2dd8d532cc8bebbc911", path: "content/*.mdx", class: "ai-document", rows: whole, label: always(clean)},
		{round: 10, repo: "sveltejs/svelte", commit: "15720b16a5ef33e3e1f4301c77b94ec375070e73", path: "*.md", class: "document", rows: whole, label: always(clean)},
		{round: 10, repo: "electron/electron", commit: "96f3996d8d3ce6e2fcfb86326fc4b953b53936fb", path: "*.md", class: "document", rows: whole, label: always(clean)},
		{round: 10, repo: "electron/electron", commit: "96f3996d8d3ce6e2fcfb86326fc4b953b53936fb", path: "*.html", class: "page", rows: whole, label: always(clean)},
		{round: 10, repo: "mermaid-js/mermaid", commit: "df032c942c32f805a7f4cd1cf30a565e610bc4f1", path: "*.md", class: "document", rows: whole, label: always(clean)},
		{round: 10, repo: "mermaid-js/mermaid", commit: "df032c942c32f805a7f4cd1cf30a565e610bc4f1", path: "*.html", class: "page", rows: whole, label: always(clean)},
		{round: 10, repo: "mermaid-js/mermaid", commit: "df032c942c32f805a7f4cd1cf30a565e610bc4f1", path: "*.svg", class: "drawing", rows: whole, label: always(clean)},
		{round: 10, repo: "kurtmckee/feedparser", commit: "a22c5521cbb109871f1a2318948581901bd47e26", path: "*.rst", class: "document", rows: whole, label: always(clean)},
		{round: 10, repo: "miso-belica/jusText", commit: "9fb3340ad2087110348de513e4a4b6fd4f3cc839", path: "*.txt", class: "words", rows: whole, label: always(clean)},
		{round: 11, repo: "HackaT104/prompt-injection-detector", commit: "0cdddf6d66d64ab06685f6e99efd7d0ab08dcd74", path: "data/external_benchmark/direct/neuralchemy_normalized.csv", class: "data", rows: labelledTexts, label: labelHiding},
		{round: 11, repo: "huoweifang2/agent-firewall", commit: "5186944f58690d07ba4ea257fd4f719d55032e1f", path: "apps/proxy-service/data/red-team/attacks/*.json", class: "attack", rows: anyMembers("prompt"), label: labelHiding},
		{round: 11, repo: "guardrail-labs/llm-guardrail-api-next", commit: "d5c3d141e755cbcc533fd7561fd91ae85f06e90e", path: "eval/corpus/jb_*.jsonl", class: "jailbreak", rows: lineMembers("text"), label: labelHiding},
		{round: 11, repo: "NVIDIA/SkillSpector", commit: "698e2bf29c7d32aa8211ada677382460c01900d7", path: "tests/fixtures/m*SKILL.md", class: "skill", rows: whole, label: labelHiding},
		{round: 11, repo: "snyk/agent-scan", commit: "b9e98ab7af5ddea62db02b3ac9c43d9411465a75", path: "tests/skills/malicious-skill/SKILL.md", class: "skill", rows: whole, label: labelHiding},
		{round: 11, repo: "withastro/docs", commit: "741c1b89ba13cf9b4ac4087ef09dc269e113fa77", path: "src/content/docs/en/*.mdx", class: "document", rows: whole, label: always(clean)},
		{round: 11, repo: "fastapi/fastapi", commit: "c3f316b7e814667e8ee81e03a7330d00ee61e45c", path: "docs/en/*.md", class: "document", rows: whole, label: always(clean)},
		{round: 11, repo: "w3c/aria-practices", commit: "18c1a2fca626f7aeb33270e23ae9b18833e2164d", path: "*.html", class: "page", rows: whole, label: always(clean)},
		{round: 11, repo: "nodejs/node-addon-api", commit: "25f7ba08642611556f3e5d10b0cfb125cdf275df", path: "*.md", class: "document", rows: whole, label: always(clean)},
		{round: 11, repo: "sphinx-doc/sphinx", commit: "e44a40eb2f810558ccd9da1425421270ccb81351", path: "*.rst", class: "document", rows: whole, label: always(clean)},
		{round: 11, repo: "NVIDIA/NeMo-Guardrails", commit: "e7c23d117f04805fc0eb3e4a8fd35a5e3c5b105f", path: "docs/*.md", class: "ai-document", rows: whole, label: always(clean)},
		{round: 11, repo: "microsoft/promptflow", commit: "6e76ef49beda52187d8ae38d710632cfeabedde4", path: "docs/*.md", class: "ai-document", rows: whole, label: always(clean)},
		{round: 12, repo: "A73r0id/promptwall", commit: "1823f928076e5af1eea0fd017a92fb742dfddc8d", path: "data/attacks.jsonl", class: "attack", rows: lineMembers("prompt"), label: labelHiding},
		{round: 12, repo: "tahasiddiquii/llm-guardrails-redteam", commit: "3e41c1a4797a6b994d68a857298f514b276b7f75", path: "data/attacks.jsonl", class: "attack", rows: lineMembers("prompt"), label: labelHiding},
		{round: 12, repo: "Ridwannurudeen/warden", commit: "938234249c23f966d3b8da578204af7725c678ae", path: "corpus/attacks.jsonl", class: "attack", rows: lineMembers("payload"), label: labelHiding},
		{round: 12, repo: "Ridwannurudeen/warden", commit: "938234249c23f966d3b8da578204af7725c678ae", path: "benchmark/held_out_attacks.jsonl", class: "attack", rows: lineMembers("payload"), label: labelHiding},
		{round: 12, repo: "BreakMyAgent/breakmyagent-os", commit: "4bfba29619e6250100abd7218146e8f5d565c5d0", path: "data/attacks.json", class: "attack", rows: anyMembers("text"), label: labelHiding},
		{round: 12, repo: "Jeneidi/promptarmor", commit: "d29e4637ded4932b6fc273a90914ccb2d3baf080", path: "data/attacks.json", class: "attack", rows: anyMembers("prompt"), label: labelHiding},
		{round: 12, repo: "PIsberg/llm-fw", commit: "2f1f1b5f679cd1479f9e278fd7954f9f8325ab1d", path: "data/attacks.json", class: "attack", rows: stringList, label: labelHiding},
		{round: 12, repo: "PIsberg/llm-fw", commit: "2f1f1b5f679cd1479f9e278fd7954f9f8325ab1d", path: "test/load/data/malicious.json", class: "attack", rows: anyMembers("prompt"), label: labelHiding},
		{round: 12, repo: "LeightonSec/llm-attack-runner", commit: "9d0bc25bfc6c34a77b701e343f63f41f000121bb", path: "payloads/*.json", class: "payload", rows: anyMembers("payload"), label: labelHiding},
		{round: 12, repo: "V3n0mSh3ll/promptstrike", commit: "c988815e58fb1cb5626726b661b68cd635b68b79", path: "payloads/*.json", class: "payload", rows: stringList, label: labelHiding},
		{round: 12, repo: "arthurpanhku/DocSentinel", commit: "2108ccd0a54bfacdec4cfaf08bc3ae81a5afb1db", path: "tests/fixtures/prompt_injection_corpus/manifest.json", class: "payload", rows: anyMembers("payload"), label: labelHiding},
		{round: 12, repo: "sookoothaii/llm-security-firewall", commit: "668190ad46aa3d5496d3452ab5fbdb8a1585d781", path: "data/gpt5_adversarial_suite.jsonl", class: "payload", rows: lineMembers("payload"), label: labelHiding},
		{round: 12, repo: "ersssz/hackathon", commit: "a456739b1173442e19c325a4d96c0aa3c92600f5", path: "attacks/*.yaml", class: "payload", rows: anyMembers("payload"), label: labelHiding},
		{round: 12, repo: "mughalhere/prompt-protection", commit: "397bba435c2e757d884e797ec2ea91b05e7e480f", path: "tests/__fixtures__/malicious.txt", class: "line", rows: lines, label: labelHiding},
		{round: 12, repo: "MuhammadSaeedAnwar/AgentShield", commit: "7e1a814eebaf43b357404658b78fba62e5a23894", path: "AgentShield/AgentShield/data/attacks.json", class: "attack", rows: anyMembers("attack_prompt"), label: labelHiding},
		{round: 12, repo: "OrenAshkenazy/AegisLocal", commit: "9d7e42d0fc8a094c1c234ed2310dd09fe0a195f7", path: "data/payloads.json", class: "payload", rows: anyMembers("text"), label: labelHiding},
		{round: 12, repo: "raybecktt-dotcom/llm-redteam-game", commit: "8a59c7ecb589abf37a45ed1d476f30f1f7b02970", path: "data/payloads.json", class: "prompt", rows: anyMembers("prompt"), label: labelHiding},
		{round: 12, repo: "fevziegeyurtsevenler/uncloak", commit: "ce5423cd300c0c30f38a4c7925a032c060586262", path: "tests/fixtures/malicious/SKILL.md", class: "skill", rows: whole, label: labelHiding},
		{round: 12, repo: "felixondesk/guardskills", commit: "e54381f96db2c957c3b8b82ae6fa9f5ca01fb98e", path: "tests/fixtures/malicious*SKILL.md", class: "skill", rows: whole, label: labelHiding},
		{round: 12, repo: "rust-lang/book", commit: "917544888a55e4da7109bdba8c88c893c0da70f4", path: "*.md", class: "document", rows: whole, label: always(clean)},
		{round: 12, repo: "jestjs/jest", commit: "52db46e50404c993d3f10dd1481e861cc04ae22e", path: "docs/*.md", class: "document", rows: whole, label: always(clean)},
		{round: 12, repo: "jupyter/notebook", commit: "1cabcced0af1f7d6e43f06cec6883576399d6ac1", path: "*.md", class: "document", rows: whole, label: always(clean)},
		{round: 12, repo: "simonw/llm", commit: "f3f4f29c6e5e623c3776cbf6455dda2345638214", path: "*.md", class: "ai-document", rows: whole, label: always(clean)},
		{round: 12, repo: "Aider-AI/aider", commit: "5dc9490bb35f9729ef2c95d00a19ccd30c26339c", path: "*.md", class: "ai-document", rows: whole, label: always(clean)},
		{round: 12, repo: "Aider-AI/aider", commit: "5dc9490bb35f9729ef2c95d00a19ccd30c26339c", path: "*.svg", class: "drawing", rows: whole, label: always(clean)},
		{round: 12, repo: "browser-use/browser-use", commit: "85ddbfedf609166b2d2c76c3d80506649fee82a9", path: "*.md", class: "ai-document", rows: whole, label: always(clean)},
		{round: 12, repo: "stanford-oval/storm", commit: "fb951af7744dab086e34962e9bc6fe878e145f83", path: "*.md", class: "ai-document", rows: whole, label: always(clean)},
		{round: 12, repo: "GoogleChrome/samples", commit: "552bfcba899e237b00052312e1c7456702566426", path: "*.html", class: "page", rows: whole, label: always(clean)},
		{round: 12, repo: "GoogleChrome/samples", commit: "552bfcba899e237b00052312e1c7456702566426", path: "*.md", class: "document", rows: whole, label: always(clean)},
		{round: 12, repo: "chartjs/Chart.js", commit: "cb02e1d207bd4c4c40b20c259017f85f26f1e30a", path: "*.md", class: "document", rows: whole, label: always(clean)},
		{round: 12, repo: "dateutil/dateutil", commit: "c981f9c7aa91b83cc9bd33a09ecee9e751b06e8d", path: "*.rst", class: "document", rows: whole, label: always(clean)},
	},
	"secrets": {
		{repo: "trufflesecurity/trufflehog", commit: "3ab759fef4bb5935d4fe9ac68b503d05346b8364", path: "pkg/detectors/*_test.go", class: "detector", rows: detected, label: always(flagged)},
		{repo: "vinta/awesome-python", commit: "25618e21215dd147735e6a5872445e698b43ee63", path: "README.md", class: "clean-document", rows: lines, label: always(clean)},
		{repo: "commixproject/commix", commit: "8530a48964007cb9561da47d45f396d9aef38ced", path: "*.py", class: "clean-code", rows: lines, label: always(clean)},
		{repo: "TellinaTool/nl2bash", commit: "466c5fe873ab08c7cc0112ea1521cc6ad9c20992", path: "data/bash/all.cm", class: "clean-command", rows: lines, label: always(clean)},
		noseyparker,
		{round: 2, repo: "prometheus/prometheus", commit: prometheusAt, path: "cmd/*.go", class: "clean-go", rows: lines, label: always(clean)},
		{round: 2, repo: "prometheus/prometheus", commit: prometheusAt, path: "docs/*.md", class: "clean-document", rows: lines, label: always(clean)},
		{round: 2, repo: "prometheus/prometheus", commit: prometheusAt, path: "documentation/*.yml", class: "clean-configuration", rows: lines, label: always(clean)},
		{round: 2, repo: "prometheus/prometheus", commit: prometheusAt, path: "go.sum", class: "clean-lock-file", rows: lines, label: always(clean)},
		{round: 2, repo: "prometheus/prometheus", commit: prometheusAt, path: "web/ui/*package-lock.json", class: "clean-lock-file", rows: lines, label: always(clean)},
		{round: 2, repo: "pydantic/pydantic-ai", commit: pydanticAt, path: "pydantic_ai_slim/*.py", class: "clean-python", rows: lines, label: always(clean)},
		{round: 2, repo: "pydantic/pydantic-ai", commit: pydanticAt, path: "uv.lock", class: "clean-lock-file", rows: lines, label: always(clean)},
		{round: 2, repo: "expressjs/express", commit: "a3714473feb3d2908add734d340e7755fd85e0a3", path: "*.js", class: "clean-javascript", rows: lines, label: always(clean)},
		{round: 2, repo: "pallets/flask", commit: flaskAt, path: "docs/*.rst", class: "clean-document", rows: lines, label: always(clean)},
		{round: 2, repo: "tstack/lnav", commit: "bb0005f96c8dc486ee0b9005a4562be0ef61c878", path: "test/logfile*", class: "clean-log", rows: lines, label: always(clean)},
		{round: 3, repo: "mongodb/kingfisher", commit: "ee7c0db3ef87575768f817820c24736249ffcdef", path: "data/rules/*.yml", class: "rule-example", rows: kingfisher, label: always(flagged), without: []source{noseyparker}},
		{round: 3, repo: "huggingface/smolagents", commit: "e3a5b8994b301983b91c0325546e9dc82eab8cf0", path: "*.py", class: "clean-python", rows: lines, label: always(clean)},
		{round: 3, repo: "huggingface/smolagents", commit: "e3a5b8994b301983b91c0325546e9dc82eab8cf0", path: "*.md", class: "clean-document", rows: lines, label: always(clean)},
		{round: 3, repo: "jekyll/jekyll", commit: "202df571314ba1d18e9fccd81d12aaad4a703c38", path: "*.rb", class: "clean-ruby", rows: lines, label: always(clean)},
		{round: 3, repo: "jekyll/jekyll", commit: "202df571314ba1d18e9fccd81d12aaad4a703c38", path: "*.md", class: "clean-document", rows: lines, label: always(clean)},
		{round: 3, repo: "spring-projects/spring-petclinic", commit: "edf4db28affcc4741c79850a3d95bc3f177b5ff9", path: "*.java", class: "clean-java", rows: lines, label: always(clean)},
		{round: 3, repo: "spring-projects/spring-petclinic", commit: "edf4db28affcc4741c79850a3d95bc3f177b5ff9", path: "*.xml", class: "clean-configuration", rows: lines, label: always(clean)},
		{round: 3, repo: "spring-projects/spring-petclinic", commit: "edf4db28affcc4741c79850a3d95bc3f177b5ff9", path: "*.yml", class: "clean-configuration", rows: lines, label: always(clean)},
		{round: 3, repo: "vitejs/vite", commit: "a98c8d95d552c6fa98ab66fb810f5b39ad5abf49", path: "packages/*.ts", class: "clean-typescript", rows: lines, label: always(clean)},
		{round: 3, repo: "vitejs/vite", commit: "a98c8d95d552c6fa98ab66fb810f5b39ad5abf49", path: "pnpm-lock.yaml", class: "clean-lock-file", rows: lines, label: always(clean)},
		{round: 3, repo: "gohugoio/hugoDocs", commit: "1c613349f4220ae84070df25979d720c43e5cfa6", path: "*.toml", class: "clean-configuration", rows: lines, label: always(clean)},
	},
	"sql": {
		{repo: wordlists, commit: wordlistsAt, path: "wordlists/sqli.txt", class: "inj-list", rows: lines, label: labelFragment},
		{repo: "CommonHuman-Lab/commonhuman-payloads", commit: "9baaa5bddb43e9f09099f75d47f0753752e89efb", path: "src/commonhuman_payloads/sqli/advanced.py", class: "inj-program", rows: literals, label: labelFragment},
		{repo: "CommonHuman-Lab/commonhuman-payloads", commit: "9baaa5bddb43e9f09099f75d47f0753752e89efb", path: "src/commonhuman_payloads/sqli/error.py", class: "inj-program", rows: literals, label: labelFragment},
		{repo: "CommonHuman-Lab/commonhuman-payloads", commit: "9baaa5bddb43e9f09099f75d47f0753752e89efb", path: "src/commonhuman_payloads/sqli/union.py", class: "inj-program", rows: literals, label: labelFragment},
		{repo: "CommonHuman-Lab/commonhuman-payloads", commit: "9baaa5bddb43e9f09099f75d47f0753752e89efb", path: "src/commonhuman_payloads/sqli/time_based.py", class: "inj-program", rows: literals, label: labelFragment},
		{repo: "taoyds/spider", commit: "b7b5b8c890cd30e35427348bb9eb8c6d1350ca7c", path: "evaluation_examples/gold_example.txt", class: "select-sqlite", rows: beforeTab, label: always(accept), dialect: "sqlite"},
		{round: 2, repo: sqlmap, commit: sqlmapAt, path: "data/xml/payloads/*.xml", class: "inj-program", rows: sqlmapPayloads, label: always(reject)},
		{round: 2, repo: wfuzz, commit: wfuzzAt, path: "wordlist/Injections/SQL.txt", class: "inj-list", rows: lines, label: labelFragment},
		{round: 2, repo: wfuzz, commit: wfuzzAt, path: "wordlist/vulns/sql_inj.txt", class: "inj-list", rows: lines, label: labelFragment},
		{round: 2, repo: defog, commit: defogAt, path: "data/questions_gen_postgres.csv", class: "select-postgres", rows: queryColumn, label: labelQuery, dialect: "postgres"},
		{round: 2, repo: defog, commit: defogAt, path: "data/questions_gen_mysql.csv", class: "select-mysql", rows: queryColumn, label: labelQuery, dialect: "mysql"},
		{round: 2, repo: defog, commit: defogAt, path: "data/questions_gen_tsql.csv", class: "select-mssql", rows: queryColumn, label: labelQuery, dialect: "mssql"},
		{round: 2, repo: defog, commit: defogAt, path: "data/questions_gen_bigquery.csv", class: "select-bigquery", rows: queryColumn, label: labelQuery, dialect: "bigquery"},
		{round: 2, repo: defog, commit: defogAt, path: "data/instruct_advanced_*.csv", class: "select-postgres", rows: queryColumn, label: labelQuery, dialect: "generic"},
		{round: 2, repo: "vega/vega-datasets", commit: "cad85578e232704bb0453544742440038038c6a2", path: "data/movies.json", class: "benign-literal-title", rows: titles, label: always(accept)},
		{round: 3, repo: intruder, commit: intruderAt, path: "FuzzLists/sqli-*.txt", class: "inj-list", rows: lines, label: labelFragment},
		{round: 3, repo: "wallarm/gotestwaf", commit: "67dfd7a73f4e7ecd2908c8fb2c96f5e62f1d53b6", path: "testcases/owasp/sql-injection.yml", class: "inj-list", rows: payloads, label: always(reject)},
		{round: 3, repo: crs, commit: crsAt, path: "tests/regression/tests/REQUEST-942-APPLICATION-ATTACK-SQLI/*.yaml", class: "inj-list", rows: crsValues, label: labelFragment},
		{round: 3, repo: "wallarm/gotestwaf", commit: "67dfd7a73f4e7ecd2908c8fb2c96f5e62f1d53b6", path: "testcases/false-pos/texts.yml", class: "benign-literal-text", rows: payloads, label: always(accept)},
		{round: 3, repo: "jkkummerfeld/text2sql-data", commit: "5050bad2309a93636ea4788d3660c9202bf11e0e", path: "data/a*.json", class: "select-mysql", rows: sqlTexts, label: labelQuery, dialect: "mysql"},
		{round: 3, repo: "jkkummerfeld/text2sql-data", commit: "5050bad2309a93636ea4788d3660c9202bf11e0e", path: "data/a*.json", class: "benign-literal-question", rows: questions, label: always(accept)},
		{round: 4, repo: "trietptm/SQL-Injection-Payloads", commit: "7393bcf288e7a991ae5ef542a470ca823adcef7c", path: "sql*.txt", class: "inj-list", rows: lines, label: labelFragment},
		{round: 4, repo: "omurugur/SQL_Injection_Payload", commit: "a32e923b4eae6ce1e8b1dd72494de2d9c334a466", path: "SQL-*.txt", class: "inj-list", rows: lines, label: labelFragment},
		{round: 4, repo: "foospidy/payloads", commit: "38ac97fc0adfd149dd976f3dbd42c025232aaa47", path: "other/sqli/*.txt", class: "inj-list", rows: lines, label: labelFragment},
		{round: 4, repo: "kleiton0x00/Advanced-SQL-Injection-Cheatsheet", commit: "4fec7a5425563cc21f630cfef5b77a2509b8e00b", path: "Error Based SQLi/intruders.txt", class: "inj-list", rows: lines, label: labelFragment},
		{round: 4, repo: "AlibabaResearch/DAMO-ConvAI", commit: "483554eae102996f5ec1f4feab4e78ef29c2a394", path: "bird/llm/exp_result/turbo_output/predict_dev.json", class: "select-sqlite", rows: birdQueries, label: labelQuery, dialect: "sqlite"},
		{round: 4, repo: "pypa/pip", commit: "6d309205789d368b2749d93fd6193d584811efd5", path: "NEWS.rst", class: "benign-literal-text", rows: lines, label: always(accept)},
		{round: 5, repo: coffin, commit: coffinAt, path: "SQL.txt", class: "inj-list", rows: lines, label: labelFragment},
		{round: 5, repo: coffin, commit: coffinAt, path: "allsqli.txt", class: "inj-list", rows: lines, label: labelFragment},
		{round: 5, repo: coffin, commit: coffinAt, path: "blindsqli.txt", class: "inj-list", rows: lines, label: labelFragment},
		{round: 5, repo: coffin, commit: coffinAt, path: "sqli2.txt", class: "inj-list", rows: lines, label: labelFragment},
		{round: 5, repo: coffin, commit: coffinAt, path: "xor.txt", class: "inj-list", rows: lines, label: labelFragment},
		{round: 5, repo: warrior, commit: warriorAt, path: "SQL-Injection-*.txt", class: "inj-list", rows: lines, label: labelFragment},
		{round: 5, repo: fuzzDicts, commit: fuzzDictsAt, path: "sqlDict/sql.txt", class: "inj-list", rows: lines, label: labelFragment},
		{round: 5, repo: "Karanxa/Bug-Bounty-Wordlists", commit: "0cab044246b3f5d11949ce2dc935245f4d5af147", path: "sqli_blind_time-based.txt", class: "inj-list", rows: lines, label: labelFragment},
		{round: 5, repo: "ajinmathew/SQLi-Data", commit: "feb9955dfed82ad99f55b4dc45958da754b3ce2b", path: "sqli_for_training.txt", class: "inj-list", rows: lines, label: labelFragment},
		{round: 5, repo: "Arachni/arachni", commit: "9cd73f2541ef57814312b0aefe079ad428722b84", path: "components/checks/active/sql_injection_timing/*.txt", class: "inj-list", rows: lines, label: labelFragment},
		{round: 5, repo: "Arachni/arachni", commit: "9cd73f2541ef57814312b0aefe079ad428722b84", path: "components/checks/active/sql_injection_differential/payloads.txt", class: "inj-list", rows: lines, label: labelFragment},
		{round: 5, repo: "r0oth3x49/ghauri", commit: "18e367781caca5f9783a242f34aa90164edc902a", path: "ghauri/common/payloads.py", class: "inj-program", rows: ghauriPayloads, label: labelFragment},
		{round: 5, repo: wapiti, commit: wapitiAt, path: "wapitiCore/data/attacks/blindSQLPayloads.ini", class: "inj-program", rows: wapitiPayloads, label: labelFragment},
		{round: 5, repo: wafBypass, commit: wafBypassAt, path: "utils/payload/SQLi/*.json", class: "inj-list", rows: bypasses, label: labelFragment},
		{round: 5, repo: efficacy, commit: efficacyAt, path: "nuclei-templates/helpers/payloads/sqli/true-positives.txt", class: "inj-list", rows: lines, label: labelFragment},
		{round: 5, repo: efficacy, commit: efficacyAt, path: "nuclei-templates/helpers/payloads/sqli/false-positives.txt", class: "benign-literal-text", rows: lines, label: always(accept)},
		{round: 5, repo: sede, commit: sedeAt, path: "data/sede/val.jsonl", class: "select-mssql", rows: lineMembers("QueryBody"), label: labelQuery, dialect: "mssql"},
		{round: 5, repo: sede, commit: sedeAt, path: "data/sede/test.jsonl", class: "select-mssql", rows: lineMembers("QueryBody"), label: labelQuery, dialect: "mssql"},
		{round: 5, repo: sede, commit: sedeAt, path: "data/sede/val.jsonl", class: "benign-literal-title", rows: lineMembers("Title"), label: always(accept)},
		{round: 5, repo: sede, commit: sedeAt, path: "data/sede/test.jsonl", class: "benign-literal-title", rows: lineMembers("Title"), label: always(accept)},
		{round: 5, repo: "glee4810/EHRSQL", commit: "01241a3c55bda895561c76923251ea2421d2e892", path: "dataset/ehrsql/eicu/valid.json", class: "select-sqlite", rows: objectMembers("query"), label: labelQuery, dialect: "sqlite"},
		{round: 5, repo: "glee4810/EHRSQL", commit: "01241a3c55bda895561c76923251ea2421d2e892", path: "dataset/ehrsql/mimic_iii/valid.json", class: "select-sqlite", rows: objectMembers("query"), label: labelQuery, dialect: "sqlite"},
		{round: 5, repo: "Chia-Hsuan-Lee/KaggleDBQA", commit: "ab6325c9b5749f2f3509a1f64299bfa30396e6b0", path: "examples/*.json", class: "select-sqlite", rows: objectMembers("query"), label: labelQuery, dialect: "sqlite"},
		{round: 5, repo: "Chia-Hsuan-Lee/KaggleDBQA", commit: "ab6325c9b5749f2f3509a1f64299bfa30396e6b0", path: "examples/*.json", class: "benign-literal-question", rows: objectMembers("question"), label: always(accept)},
		{round: 5, repo: "IBM/text2sql-eval-toolkit", commit: "02fef3d210c62ea5aa6525ffc429096420d510f3", path: "data/benchmarks/archer_en_dev.json", class: "select-sqlite", rows: objectMembers("query"), label: labelQuery, dialect: "sqlite"},
		{round: 5, repo: "IBM/text2sql-eval-toolkit", commit: "02fef3d210c62ea5aa6525ffc429096420d510f3", path: "data/benchmarks/beaver.json", class: "select-mysql", rows: objectMembers("sql"), label: labelQuery, dialect: "mysql"},
		{round: 5, repo: "gregrahn/join-order-benchmark", commit: "a39603662e023e449cb2121997a5034df9e02ebf", path: "*.sql", class: "select-postgres", rows: whole, label: labelQuery, dialect: "postgres"},
		{round: 5, repo: "mozilla/bigquery-etl", commit: "1c16343c97055fce8ada06621c8616d7e29e5657", path: "sql/moz-fx-data-shared-prod/telemetry_derived/*.sql", class: "select-bigquery", rows: whole, label: labelQuery, dialect: "bigquery"},
		{round: 5, repo: clickBench, commit: clickBenchAt, path: "clickhouse/queries.sql", class: "select-clickhouse", rows: lines, label: labelQuery, dialect: "clickhouse"},
		{round: 5, repo: clickBench, commit: clickBenchAt, path: "mysql/queries.sql", class: "select-mysql", rows: lines, label: labelQuery, dialect: "mysql"},
		{round: 5, repo: clickBench, commit: clickBenchAt, path: "mssql/queries.sql", class: "select-mssql", rows: lines, label: labelQuery, dialect: "mssql"},
		{round: 5, repo: clickBench, commit: clickBenchAt, path: "snowflake/queries.sql", class: "select-snowflake", rows: lines, label: labelQuery, dialect: "snowflake"},
		{round: 5, repo: clickBench, commit: clickBenchAt, path: "databricks/queries.sql", class: "select-spark", rows: lines, label: labelQuery, dialect: "spark"},
		{round: 5, repo: clickBench, commit: clickBenchAt, path: "athena/queries.sql", class: "select-trino", rows: lines, label: labelQuery, dialect: "trino"},
		{round: 5, repo: "cockroachdb/docs", commit: "79e9a5d03f4b01203131e71af49a6f2eaae9ff63", path: "src/current/v25.2/*.md", class: "select-postgres", rows: sqlBlocks, label: labelQuery, dialect: "postgres"},
		{round: 5, repo: "timescale/docs", commit: "4ffee567de203d15ebc7c65830a6beb41ce3a745", path: "*.md", class: "select-postgres", rows: sqlBlocks, label: labelQuery, dialect: "postgres"},
		{round: 7, repo: modified, commit: modifiedAt, path: "Modified_SQL_Dataset.csv", class: "inj-data", rows: labelled("1"), label: labelSpliced},
		{round: 7, repo: modified, commit: modifiedAt, path: "Modified_SQL_Dataset.csv", class: "benign-literal-data", rows: labelled("0"), label: labelValue},
		{round: 7, repo: modified, commit: modifiedAt, path: "Modified_SQL_Dataset.csv", class: "select-mysql", rows: labelled("0"), label: labelRead(mariadb), dialect: "mysql"},
		{round: 7, repo: "Koushik-26-09/SQLi-Detection", commit: "f5c3db298c352476bf4394a6406c30a3d6a6a851", path: "data.csv", class: "inj-data", rows: labelled("1"), label: labelSpliced},
		{round: 7, repo: "Koushik-26-09/SQLi-Detection", commit: "f5c3db298c352476bf4394a6406c30a3d6a6a851", path: "sqliv2.csv", class: "inj-data", rows: labelled("1"), label: labelSpliced},
		{round: 7, repo: "Koushik-26-09/SQLi-Detection", commit: "f5c3db298c352476bf4394a6406c30a3d6a6a851", path: "data.csv", class: "benign-literal-data", rows: labelled("0"), label: labelValue},
		{round: 7, repo: zap, commit: zapAt, path: "addOns/ascanrules/src/main/java/org/zaproxy/zap/extension/ascanrules/SqlInjection*.java", class: "inj-program", rows: javaStrings, label: labelSpliced},
		{round: 7, repo: spider2, commit: spider2At, path: "spider2-lite/evaluation_suite/gold/sql/bq*.sql", class: "select-bigquery", rows: whole, label: labelRead(nil), dialect: "bigquery"},
		{round: 7, repo: spider2, commit: spider2At, path: "spider2-lite/evaluation_suite/gold/sql/sf*.sql", class: "select-snowflake", rows: whole, label: labelRead(nil), dialect: "snowflake"},
		{round: 7, repo: spider2, commit: spider2At, path: "spider2-lite/evaluation_suite/gold/sql/local*.sql", class: "select-sqlite", rows: whole, label: labelRead(nil), dialect: "sqlite"},
		{round: 7, repo: spider2, commit: spider2At, path: "spider2-snow/evaluation_suite/gold/sql/*.sql", class: "select-snowflake", rows: whole, label: labelRead(nil), dialect: "snowflake"},
		{round: 7, repo: "oceanbase/oceanbase-doc", commit: "2943bee73609131cc251db98e644e9b4537a29aa", path: "en-US/*.md", class: "select-mysql", rows: sqlBlocks, label: labelRead(mariadb), dialect: "mysql"},
		{round: 7, repo: "risingwavelabs/risingwave-docs", commit: "747f1f6bcf3160e0c709631556777cbe96cf18cb", path: "*.mdx", class: "select-postgres", rows: sqlBlocks, label: labelRead(postgres), dialect: "postgres"},
		{round: 9, repo: morzeux, commit: morzeuxAt, path: "payload_full.csv", class: "inj-data", rows: typed("attack_type", "sqli"), label: labelSpliced},
		{round: 9, repo: firewall, commit: firewallAt, path: "data/payloads.csv", class: "inj-data", rows: typed("injection_type", "SQL"), label: labelSpliced},
		{round: 9, repo: firewall, commit: firewallAt, path: "data/SQLCollection.txt", class: "inj-list", rows: lines, label: labelSpliced},
		{round: 9, repo: "yogsec/SQL-Injection-Payloads", commit: "b9d837fa7220bfee97084fc00e02bf144fd8e29c", path: "*.txt", class: "inj-list", rows: lines, label: labelSpliced},
		{round: 9, repo: "yogsec/payloads", commit: "c92c3f4518741766dfacf63e68d8dce68cc78676", path: "sqli.md", class: "inj-list", rows: fencedLines, label: labelSpliced},
		{round: 9, repo: "CyberTraceLabs/Advanced-Injection-Payloads", commit: "a1d9d2469f74cb894f1b07a845f82b1577d1a88b", path: "SQLi-*.md", class: "inj-list", rows: fencedLines, label: labelSpliced},
		{round: 9, repo: daffa, commit: daffaAt, path: "SQL Injection.md", class: "inj-list", rows: fencedLines, label: labelSpliced},
		{round: 9, repo: edoverflow, commit: edoverflowAt, path: "cheatsheets/sqli.md", class: "inj-list", rows: fencedLines, label: labelSpliced},
		{round: 9, repo: pentest, commit: pentestAt, path: "enumeration/web/sqli.md", class: "inj-list", rows: fencedLines, label: labelSpliced},
		{round: 9, repo: blaze, commit: blazeAt, path: "testcases/*.black", class: "inj-request", rows: requestValues, label: labelSpliced},
		{round: 9, repo: morzeux, commit: morzeuxAt, path: "payload_full.csv", class: "benign-literal-data", rows: typed("attack_type", "norm"), label: labelValue},
		{round: 9, repo: blaze, commit: blazeAt, path: "testcases/0*.white", class: "benign-literal-request", rows: requestValues, label: labelValue},
		{round: 9, repo: minidev, commit: minidevAt, path: "llm/exp_result/sql_output_kg/*_mysql.json", class: "select-mysql", rows: birdQueries, label: labelRead(mariadb), dialect: "mysql"},
		{round: 9, repo: minidev, commit: minidevAt, path: "llm/exp_result/sql_output_kg/*_postgresql.json", class: "select-postgres", rows: birdQueries, label: labelRead(postgres), dialect: "postgres"},
		{round: 9, repo: minidev, commit: minidevAt, path: "llm/exp_result/sql_output_kg/*_sqlite.json", class: "select-sqlite", rows: birdQueries, label: labelRead(nil), dialect: "sqlite"},
		{round: 9, repo: "questdb/documentation", commit: "3c2e4da883c477478d69391396bfd39e475944c9", path: "documentation/*.md", class: "select-postgres", rows: sqlBlocks, label: labelRead(postgres), dialect: "postgres"},
		{round: 9, repo: "databendlabs/databend-docs", commit: "4727fcf7cd0a7e3392b704db5260ac8db3839b36", path: "docs/en/*.md", class: "select-snowflake", rows: sqlBlocks, label: labelRead(nil), dialect: "snowflake"},
		{round: 9, repo: "GreptimeTeam/docs", commit: "fc8e02ff03c5280822a84059e832301106f38e24", path: "docs/*.md", class: "select-mysql", rows: sqlBlocks, label: labelRead(mariadb), dialect: "mysql"},
	},
}
