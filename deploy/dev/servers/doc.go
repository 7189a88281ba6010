//go:build unix

// Servers starts the real Apache Kafka and PostgreSQL that the tests and benchmarks run against, on free ports of
// 127.0.0.1, and stops them again.
//
//	servers                     start both, print the variables to export, run until interrupted
//	servers -- COMMAND ARGS...  start both, run the command with these variables set, stop them, exit as it did
//
// With -registry it starts a registry of schemas, too: Apicurio, with its storage in memory. With -s3 it starts a store that
// speaks S3: versitygw.
//
// The variables are UNECHO_TEST_KAFKA (host:port), UNECHO_TEST_POSTGRES (a URL), UNECHO_TEST_REGISTRY (a URL) and
// UNECHO_TEST_S3 (a URL). A variable that is set already names a running server, and no other is started in its place. For
// each server that was started there is also the variable with _PID, its process, for measurements; for Kafka there is
// also _CLASSPATH, for running its tools, and for the store _PROGRAM, for starting others.
//
// If something is missing that package testbed needs, it is installed on Debian when run as root. Elsewhere the error
// names the command that installs it. Data lives in a temporary directory. After a failed command the servers' logs are
// kept in the cache directory.
package main
