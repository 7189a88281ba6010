//go:build unix

// Servers starts the real Apache Kafka and PostgreSQL that the tests and benchmarks run against, on free ports of
// 127.0.0.1, and stops them again.
//
//	servers                     start both, print the variables to export, run until interrupted
//	servers -- COMMAND ARGS...  start both, run the command with these variables set, stop them, exit as it did
//
// The variables are UNECHO_TEST_KAFKA (host:port) and UNECHO_TEST_POSTGRES (a URL). One that is set already names a
// server that runs already, and none is started in its place. Of one that was started here there is also its process,
// by the same name with _PID, for those who measure what it takes; of Kafka also the _CLASSPATH, for those who run its
// tools.
//
// What package testbed needs and misses is installed on Debian when run as root, and elsewhere named with the command
// that installs it. Data lives in a temporary directory; after a failed command the servers' logs are kept in the cache
// directory.
package main
