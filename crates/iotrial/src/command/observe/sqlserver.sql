-- Not run against a server by the tests of iotrial: written by Microsoft's documentation of these views.
-- They need VIEW SERVER STATE. Run them before and after the load, and save results with their headers.

-- files: I/Os, bytes and stalls since the start. `iotrial watch before.csv after.csv` reads this one
SELECT DB_NAME(s.database_id) AS database_name, f.physical_name, f.type_desc, s.sample_ms,
       s.num_of_reads, s.num_of_bytes_read, s.io_stall_read_ms,
       s.num_of_writes, s.num_of_bytes_written, s.io_stall_write_ms
FROM sys.dm_io_virtual_file_stats(NULL, NULL) AS s
JOIN sys.master_files AS f ON f.database_id = s.database_id AND f.file_id = s.file_id;

-- batches, transactions and log flushes since the start
SELECT RTRIM(object_name) AS object_name, RTRIM(counter_name) AS counter_name, RTRIM(instance_name) AS instance_name, cntr_value
FROM sys.dm_os_performance_counters
WHERE counter_name IN (N'Batch Requests/sec', N'Transactions/sec', N'Log Flushes/sec', N'Log Bytes Flushed/sec', N'Log Flush Wait Time',
                       N'Page reads/sec', N'Page writes/sec', N'Checkpoint pages/sec', N'Page life expectancy');

-- what sessions waited for since the start: WRITELOG is a commit, PAGEIOLATCH_* a read
SELECT wait_type, waiting_tasks_count, wait_time_ms, signal_wait_time_ms
FROM sys.dm_os_wait_stats
WHERE wait_type IN (N'WRITELOG', N'PAGEIOLATCH_SH', N'PAGEIOLATCH_EX', N'PAGEIOLATCH_UP', N'IO_COMPLETION', N'ASYNC_IO_COMPLETION', N'SOS_SCHEDULER_YIELD');

-- settings that decide what a result means
SELECT name, recovery_model_desc, page_verify_option_desc, delayed_durability_desc, target_recovery_time_in_seconds FROM sys.databases;
SELECT name, value_in_use FROM sys.configurations WHERE name IN (N'max server memory (MB)', N'max degree of parallelism');
