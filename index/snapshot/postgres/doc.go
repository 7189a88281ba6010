// Package postgres keeps snapshots in PostgreSQL, where all members see them.
//
// Tables, in a schema of their own (see migrations):
//
//	schema_version   which migrations ran
//	segment          (index_name, name) -> sealed bytes, put_at
//	manifest         (index_name, journal_topic, next_offset, leader_epoch) -> sealed body, the names of its segments
//
// Publish and Collect are one transaction each, under one advisory lock per index. A lease is an advisory lock of a
// session. Each lease has a connection of its own outside the pool, which is asked every few seconds whether it still
// lives. So connect directly, or through a pooler in session mode: one that hands a server connection from client to
// client would give one lease to two members. Such a pooler is refused where it can be recognised.
//
// Rights: to create the schema and its tables, CREATE on the database, or a schema that belongs to the user; later
// USAGE on the schema and SELECT, INSERT, UPDATE and DELETE on its tables are enough.
//
// No error shows the URL or the password. The store's clock is PostgreSQL's now.
package postgres
