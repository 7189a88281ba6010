// Package certificate reads the files by which two sides of a TLS connection know each other, and reads them again when
// they change: what was renewed is used from the next connection on, without a restart.
//
//   - Files are our side of connections to servers: the authorities that we trust, and our own certificate.
//   - Life says when a certificate is valid, and when somebody should renew it.
package certificate
