//go:build unix

// Package testbed starts real servers on free ports of 127.0.0.1: Apache Kafka, one node or several, PostgreSQL, and a
// registry of schemas, Apicurio. Each server is a process that can be killed, stopped and started again on the same
// data and the same port.
//
// Kafka and Apicurio come from Maven (see deploy/dev/pom.xml and registry.xml) into a cache directory. PostgreSQL is the
// installed one. Missing programs are installed on Debian when run as root. Elsewhere the error names the command that
// installs them.
package testbed
