-- Not run against a server by the tests of iotrial: written by Oracle's Database Reference of these views.
-- Licence: V$SYSSTAT, V$SYSTEM_EVENT and V$PARAMETER belong to the database. AWR, ASH and every DBA_HIST_ view need the Diagnostics Pack:
-- iotrial does not query them; `iotrial awr` reads reports that you are entitled to make.
-- Run them before and after the load, with SELECT_CATALOG_ROLE or as a DBA.

-- work and I/O since the start
SELECT name, value FROM v$sysstat
WHERE name IN ('user commits', 'user rollbacks', 'execute count', 'DB time', 'CPU used by this session',
               'physical read total IO requests', 'physical read total bytes', 'physical write total IO requests', 'physical write total bytes',
               'session logical reads', 'physical reads', 'redo size', 'redo writes', 'redo write time');

-- what sessions waited for since the start: `log file sync` is a commit, `db file sequential read` a read of one block
SELECT event, total_waits, time_waited_micro FROM v$system_event
WHERE event IN ('log file sync', 'log file parallel write', 'db file sequential read', 'db file scattered read', 'direct path read',
                'db file parallel write', 'cell single block physical read', 'log file switch (checkpoint incomplete)');

-- settings that decide what a result means
SELECT name, value FROM v$parameter
WHERE name IN ('db_block_size', 'sga_target', 'db_cache_size', 'commit_logging', 'commit_wait', 'filesystemio_options', 'disk_asynch_io');
SELECT group#, bytes, members, status FROM v$log;
