// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
	"github.com/toolvet/toolvet/internal/lazy"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A deleter is a client of something that lives elsewhere, or longer than the work at hand: a cloud, a cluster, a database, the volumes of containers.
// Some of its words delete there, and no file of the work brings that back.
type deleter struct {
	programs string
	words    *lazyregexp.Regexp // in the words that are no options, joined by blanks
	options  *lazyregexp.Regexp // one of the words
}

// deleters are those that people and agents use.
var deleters = []deleter{
	{"aws", lazyregexp.New(`(^| )((batch-)?(delete|terminate|destroy|purge|deregister|disable|revoke|detach|remove)(-[a-z0-9-]+)?|stop-instances|rb|cancel-[a-z-]+|schedule-key-deletion|empty-[a-z-]+)( |$)`), nil},
	{"restic borg velero zfs zpool btrfs kopia tmutil", lazyregexp.New(`(^| )(forget|prune|delete\w*|destroy|rollback|remove)( |$)`), nil},
	{"aws kubectl oc k gcloud az ip defaults doppler mise firewall-cmd", lazyregexp.New(`(^| )(create (clusterrole|rolebinding|clusterrolebinding)|adm policy|certificate approve|(attach|put|add)-[a-z-]*(policy|role|group)|create-(access-key|login-profile)|authorize-security-group-[a-z]+|rotate-secret|(add|set)-iam-policy(-binding)?|firewall-rules (create|update)|keys create|role assignment create|secrets delete|implode)( |$)|^(r|ro|route|a|addr|address|l|link|ru|rule)[a-z]* (d|del|delete|flush|f)( |$)|^delete( |$)`), nil},
	{"twine pastebinit hf huggingface-cli vsce ovsx docker podman nerdctl helm gem mvn mvnw gradle gradlew cargo-release", lazyregexp.New(`(^| )(upload|publish|push|deploy(:deploy)?|release:perform)( |$)`), nil},
	{"npm poetry uv pdm hatch flit maturin jsr lerna", lazyregexp.New(`^(publish|deprecate|(owner|access|dist-tag|token) (add|rm|set|grant|revoke|create|public|restricted))( |$)`), nil},
	{"az", lazyregexp.New(`(^| )(delete(-[a-z]+)?|purge|remove|deallocate|revoke|reset|disable|export|stop)( |$)`), nil},
	{"gcloud bq", lazyregexp.New(`(^| )(delete|destroy|purge|remove(-[a-z-]+)?|disable|rm|export|drop|abandon|reset|stop)( |$)`), nil},
	{"gsutil", lazyregexp.New(`(^| )rb( |$)|(^| )rm .*\*`), nil},
	{"kubectl oc k", lazyregexp.New(`^([^ ]+ )?(delete|drain|evict)( |$)`), lazyregexp.New(`^(--prune(=true)?|--force|--replicas=0)$`)},
	{"terraform tofu terragrunt cdktf", lazyregexp.New(`(^| )(destroy|destroy-all)( |$)|(^| )workspace delete( |$)`), lazyregexp.New(`^--?destroy(=true)?$`)},
	{"pulumi", lazyregexp.New(`(^| )(stack rm|state delete|destroy|down)( |$)`), nil},
	{"docker podman nerdctl", lazyregexp.New(`(^| )(volume|system|context|swarm|stack|secret|config) (rm|remove|prune|reset|leave)( |$)`), nil},
	{"helm helmfile", lazyregexp.New(`(^| )(uninstall|un|del|delete|destroy)( |$)`), nil},
	{"gh glab hub", lazyregexp.New(`^(repo|release|issue|run|cache|label|workflow|project|codespace|cs|environment|variable|secret|gist|ssh-key|gpg-key|snippet|milestone|mr|schedule) (delete|delete-asset|archive|remove|rename|disable|transfer)( |$)|^([^ ]+/[^ ]+ )?(pr|mr)( [^ ]+/[^ ]+)? (merge|accept)( |$)`), nil},
	{"doctl hcloud linode-cli eksctl civo scw vultr-cli ibmcloud oci aliyun exo upctl ovhai nomad rclone", lazyregexp.New(`(^| )(delete|rm|remove|destroy|terminate|purge|undeploy|stop)( |$)`), nil},
	{"heroku netlify ntl firebase fly flyctl railway render vercel wrangler turso neonctl neon pscale planetscale supabase appwrite convex", lazyregexp.New(`(^| )([\w-]+:)?(delete|destroy|remove|reset|purge|drop)( |$)`), nil},
	{"vagrant multipass lima limactl", lazyregexp.New(`(^| )(destroy|delete|purge)( |$)`), nil},
	{"rabbitmqctl rabbitmqadmin kafka-topics kafka-topics.sh kafka-configs kafka-delete-records kafka-consumer-groups", lazyregexp.New(`(^| )(reset|force_reset|purge_queue|delete_\w+|delete|purge)( |$)`), lazyregexp.New(`^--delete(-offsets)?$`)},
	{"etcdctl consul vault influx mc", lazyregexp.New(`(^| )(del|delete|rm|rb|destroy|bucket delete)( |$)`), nil},
	{"mysqladmin", lazyregexp.New(`(^| )(drop|shutdown|kill)( |$)`), nil},
	{"dropuser", lazyregexp.New(`.`), nil},
	{"mongorestore mongoimport", nil, lazyregexp.New(`^--drop$`)},
	{"pg_restore", nil, lazyregexp.New(`^(--clean|-c)$`)},
	{"rake rails", lazyregexp.New(`(^| )db:(drop|reset|purge|truncate_all|migrate:reset|schema:load)(:[a-z]+)?( |$)`), nil},
	{"mix", lazyregexp.New(`(^| )ecto\.(drop|reset)( |$)`), nil},
	{"prisma", lazyregexp.New(`(^| )migrate reset( |$)`), lazyregexp.New(`^--(force-reset|accept-data-loss)$`)},
	{"sequelize sequelize-cli knex typeorm mikro-orm medusa drizzle-kit", lazyregexp.New(`(^| )(db:drop|db:migrate:undo:all|schema:drop|database:drop|migrate:rollback --all|drop)( |$)`), nil},
	{"diesel sqlx sea-orm-cli dbmate goose migrate flyway liquibase", lazyregexp.New(`(^| )(database (drop|reset)|db drop|fresh|drop|reset|clean|drop-all)( |$)`), nil},
	{"dotnet", lazyregexp.New(`(^| )(ef database drop|nuget (push|delete))( |$)`), nil},
	{"alembic flask", lazyregexp.New(`(^| )downgrade base( |$)`), nil},
}

// frameworkPrograms start scripts of a project by which a framework runs its commands, and frameworks are such commands.
const frameworkPrograms = "php python python3 manage.py artisan console"

var frameworks = lazyregexp.New(`(^| )((\./)?manage\.py (flush|reset_db|sqlflush)|(\./)?artisan (migrate:(fresh|reset|refresh)|db:wipe)|(\./)?bin/console doctrine:(database|schema):drop)( |$)`)

const deletesElsewhere = "deletes, stops, opens or publishes what lives longer than the work at hand"

// judgeDeletes judges clients that delete elsewhere. A server that lists such a client means it to. A finding of the table of options is enough.
func judgeDeletes(j *judge, s simple, r *grammar.Reading) {
	if !j.inside || s.excused(r) || slices.ContainsFunc(r.Uses, func(use grammar.Use) bool { return use.Kind == grammar.Wipes && use.Class == "" }) || anyWord(s.words[1:], func(w string) bool {
		return among(w, "--help -h help --dry-run --dry-run=client --dry-run=server --dryrun --what-if")
	}) {
		return
	}
	program := s.program()
	if among(program, launcherNames) {
		for i, w := range s.words[1:] {
			if name := packageProgram(w); clientNames()[name] && name != program && !among(name, launcherNames) {
				program, s.words, s.offset = name, s.words[i+1:], s.offset+i+1
				break
			}
		}
	}
	var b builder
	for _, w := range s.words[1:] {
		if w != "" && w[0] != '-' && !strings.ContainsAny(w, " \t\n") {
			b.putByte(' ')
			b.put(w)
		}
	}
	line := trimPrefix(b.String(), " ")
	for _, one := range deleters {
		if !among(program, one.programs) {
			continue
		}
		if one.words != nil && one.words.MatchString(line) || one.options != nil && anyWord(s.words[1:], one.options.MatchString) {
			j.refuse(-1, wipe, deletesElsewhere)
		}
	}
	if among(program, frameworkPrograms) && frameworks.MatchString(strings.Join([]string{program, line}, " ")) {
		j.refuse(-1, wipe, deletesElsewhere)
	}
}

// clientNames are the programs that judgeDeletes looks at: those of the table, and those that start them or the commands of frameworks.
var clientNames = lazy.Value(func() map[string]bool {
	names := map[string]bool{}
	add := func(programs string) {
		for _, name := range strings.Fields(programs) {
			names[name] = true
		}
	}
	for _, one := range deleters {
		add(one.programs)
	}
	add(frameworkPrograms)
	add(launcherNames)
	return names
})
