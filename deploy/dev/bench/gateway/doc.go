// Gateway measures documents sent over HTTP: how many a second, how long an answer takes, and what a member that is
// killed does to open requests.
//
//	make bench-gateway                                rates of 200, 500 and 1,000 documents/s, 15 s each
//	make bench-gateway ARGS='-rates 2000 -seconds 30'
//
// Two members of one group run on this machine, beside real Kafka and the load generator (vegeta). Each rate is kept for
// some seconds, once without waiting and once until the verdict is committed; a request has one document of the feed and
// a key of its own, and the members take turns. Then one member gets requests that wait, and is killed in the middle.
// What it has not answered is sent to the other member with the same keys, and at the end an audit counts.
package main
