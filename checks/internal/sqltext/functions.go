// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/lazy"
	"github.com/toolvet/toolvet/internal/wordset"
)

// A denial is a set of functions that no statement may call, of any kind.
type denial struct {
	why   string // what they do
	names string // *: all whose names begin so; a dot: those of a package
}

var denials = []denial{
	{"reads files of the database's host", `
		pg_logdir_ls pg_read_file* pg_read_binary_file pg_stat_file pg_ls_* pg_hba_file_rules pg_ident_file_mappings pg_show_all_file_settings
		pg_get_wal_record* pg_get_wal_block_info get_raw_page bt_page_* brin_page_* gist_page_* hash_page_* heap_page_* gin_page_*
		load_file readfile lsdir bfilename dbms_lob.fileexists
		fn_xe_file_target_read_file fn_get_audit_file fn_trace_gettable`},
	{"writes files or large objects", `
		lo_* loread lowrite writefile edit fsdir importshp exportshp blobfromfile blobtofile pg_file_* pg_rotate_logfile* pg_logfile_rotate autoprewarm_*
		dbms_xslprocessor.* utl_file.*`},
	{"reaches other hosts or programs", `
		dblink dblink_* openrowset openquery opendatasource httpuritype dburitype xdburitype urifactory.* sys_exec sys_eval sys_set sys_get
		aws_lambda.* aws_s3.* external_query utl_http.* utl_tcp.* utl_smtp.* utl_mail.* utl_inaddr.* dbms_ldap.* http_get http_head http_post http_put
		http_patch http_delete memcache_* run_command_on_* master_run_on_worker azure_storage.* azure_openai.* azure_ai.* google_ml.*
		xp_* sp_oa* sp_send_dbmail`},
	{"runs a text as SQL", `
		query_to_xml* cursor_to_xml* table_to_xml* schema_to_xml* database_to_xml*
		cron.schedule* cron.alter_job ts_stat xpath_table spider_* mroonga_command pgroonga_command* json_execute_serialized_sql sha1_query sha3_query crosstab* connectby pgr_* _pgr_* pg_background_* oracle_execute replicate_ddl_command sp_executesql sp_execute_external_script
		dbms_sql.* dbms_xmlquery.* dbms_xmlgen.* dbms_utility.exec_ddl_statement dbms_utility.sqlid_to_sqlhash
		dbms_scheduler.* dbms_job.* dbms_java.* dbms_export_extension.*`},
	{"keeps the database busy for as long as the caller likes", `
		pg_sleep* sleep sleepeachrow benchmark master_pos_wait master_gtid_wait source_pos_wait
		wait_for_executed_gtid_set wait_until_sql_thread_after_gtids
		dbms_lock.* dbms_alert.* dbms_session.* dbms_pipe.* user_lock.*`},
	{"takes locks that other sessions wait for", `
		pg_advisory_* pg_try_advisory_* bt_index_parent_check get_lock release_lock release_all_locks sp_getapplock`},
	{"works on a sequence, which no rollback undoes", `nextval setval currval`},
	{"changes the session or the server", `
		set_config txid_* postgres_fdw_disconnect* group_replication_* asynchronous_connection_failover_* keyring_key_* audit_log_* optimize
		pg_stop_making_pinned_objects pg_extension_config_dump pg_log_standby_snapshot pg_sync_replication_slots
		pg_set_* pg_stat_reset* pg_stat_statements_reset pg_reload_conf pg_switch_wal pg_promote
		pg_create_* pg_drop_* pg_copy_* pg_wal_replay_* pg_backup_* pg_start_backup pg_stop_backup pg_export_snapshot
		pg_restore_* pg_clear_* pg_nextoid binary_upgrade_* gin_clean_pending_list
		pg_truncate_visibility_map heap_force_* pg_buffercache_evict*
		pg_notify pg_logical_* pg_replication_*
		pg_import_system_collations pg_prewarm fts3_tokenizer`},
	{"changes tables or extensions", `
		addgeometry* dropgeometry* updategeometry* populate_geometry_* addraster* dropraster* addoverview* dropoverview* updateraster*
		createtopology droptopology addtopo* droptopo* postgis_extensions_* create_hypertable drop_chunks hypopg_* pgtle.* repack.*`},
	{"ends other sessions", `pg_terminate_backend pg_cancel_backend system$cancel_* system$abort_*`},
	{"loads or calls code that is no SQL", `load_extension java_method reflect try_reflect`},
}

// A tableDenial is a set of functions behind FROM in some dialects. Other databases have tables of the same names.
type tableDenial struct {
	denial
	dialects []string
}

const reaches = "reaches files or other hosts"

// tableDenials are functions of ClickHouse and DuckDB, and of SQLite's extensions.
var tableDenials = []tableDenial{{denial{reaches, `
	file url s3 gcs oss cosn hdfs hive remote remotesecure executable odbc jdbc mysql postgresql mongodb redis sqlite
	filecluster urlcluster s3cluster hdfscluster cluster clusterallreplicas azureblobstorage* deltalake* hudi*
	read_csv* read_json* read_ndjson read_parquet read_text read_blob glob parquet_scan
	sqlite_scan postgres_scan mysql_scan postgres_query mysql_query query query_table
	loop iceberg* paimon* arrowflight ytsaurus prometheusquery*`}, []string{"generic", "clickhouse"}},
	{denial{reaches, "zipfile csv vsv statement"}, []string{"generic", "sqlite"}},
}

// dialectDenials are functions of some dialects, wherever they stand: those of PostgreSQL's extensions http and pgTAP, and those with
// names that others may give to a function of their own.
var dialectDenials = []tableDenial{
	{denial{reaches, "http"}, []string{"generic", "postgres"}},
	{denial{"runs a text as SQL", `lives_ok throws_* performs_*
		results_* set_eq set_ne set_has set_hasnt bag_* row_eq is_empty isnt_empty runtests do_tap`}, []string{"postgres"}},
	{denial{"runs a text as SQL", "eval query raw_query"}, []string{"sqlite", "trino"}},
	{denial{reaches, "file loop catboostevaluate"}, []string{"clickhouse"}},
}

// columnCalls are the functions among those of denials that PostgreSQL calls with one argument. It also does so by the name of a
// column: ('/etc/passwd'::text).pg_read_file.
const columnCalls = `pg_* dblink* binary_upgrade_* lo_close lo_creat lo_create lo_get lo_import lo_tell lo_tell64 lo_unlink
	ts_stat crosstab* http http_get http_head http_delete gin_clean_pending_list postgres_fdw_disconnect bt_index_parent_check
	dropgeometrytable populate_geometry_columns droptopology createtopology runtests`

// tableModules are the modules of SQLite whose virtual tables hold only what is put into them. Others read files, or whatever they like.
var tableModules = wordset.New("fts3 fts3aux fts4 fts4aux fts5 fts5vocab rtree rtree_i32 geopoly")

// fileTables are tables that read files, or raw pages of the database, as soon as somebody selects from them: those of SQLite's
// extensions, and PostgreSQL's views of its settings.
var fileTables = map[string]*wordset.Set{
	"sqlite":   wordset.New("fsdir sqlite_dbpage"),
	"postgres": wordset.New("pg_file_settings pg_hba_file_rules pg_ident_file_mappings"),
	"generic":  wordset.New("fsdir sqlite_dbpage pg_file_settings pg_hba_file_rules pg_ident_file_mappings"),
}

// secretTables hold passwords and keys of the database itself, by their last name.
var secretTables = wordset.New(`pg_authid pg_shadow pg_user_mapping pg_user_mappings user_mapping_options pg_subscription
	global_priv sql_logins syslogins dba_users user$`)

// A denyList finds out why a function is refused.
type denyList struct {
	names    map[string]string
	prefixes []denial
}

var (
	alwaysDenied = lazy.Value(func() *denyList { return newDenyList(denials...) })
	columnCalled = lazy.Value(func() *denyList { return newDenyList(denial{"is called", columnCalls}) })
	tableDenied  = lazy.Value(func() map[string]*denyList { return denyLists(tableDenials) })
	// dialectDenied are those that are refused wherever they stand.
	dialectDenied = lazy.Value(func() map[string]*denyList { return denyLists(dialectDenials) })
)

func denyLists(list []tableDenial) map[string]*denyList {
	all := make(map[string]*denyList)
	for dialect, denials := range tableDenialsOf(list) {
		all[dialect] = newDenyList(denials...)
	}
	return all
}

func tableDenialsOf(list []tableDenial) map[string][]denial {
	of := make(map[string][]denial)
	for _, d := range list {
		for _, dialect := range d.dialects {
			of[dialect] = append(of[dialect], d.denial)
		}
	}
	return of
}

func newDenyList(denials ...denial) *denyList {
	l := &denyList{names: make(map[string]string)}
	for _, d := range denials {
		for name := range strings.FieldsSeq(d.names) {
			if prefix, family := strings.CutSuffix(name, "*"); family {
				l.prefixes = append(l.prefixes, denial{d.why, prefix})
			} else {
				l.names[name] = d.why
			}
		}
	}
	return l
}

// reason says why the function of a name in lower case is refused, or "". No list refuses nothing.
func (l *denyList) reason(name []byte) string {
	if l == nil {
		return ""
	}
	if why, ok := l.names[string(name)]; ok {
		return why
	}
	i := slices.IndexFunc(l.prefixes, func(d denial) bool {
		return len(name) >= len(d.names) && string(name[:len(d.names)]) == d.names
	})
	if i < 0 {
		return ""
	}
	return l.prefixes[i].why
}
