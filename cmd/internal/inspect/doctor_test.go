package inspect

import (
	"slices"
	"testing"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/certificate/certificatetest"
)

// The doctor looks at each certificate that a service shows, and at none that it does not.
func TestDoctorLooksAtCertificates(t *testing.T) {
	ca := certificatetest.New(t)
	cert, _ := ca.Sign("client", certificatetest.OfClient())
	c := config.Default()
	if all := certificatesOf(c); len(all) > 0 {
		t.Errorf("by default the doctor looks at %d certificates, want none", len(all))
	}
	c.HTTP.TLS.CertFile, c.HTTP.TLS.KeyFile = ca.Path("client.pem"), ca.Path("client.key")
	c.Kafka.TLS.CertFile, c.Kafka.TLS.KeyFile = ca.Path("client.pem"), ca.Path("client.key")
	var of []string
	for _, one := range certificatesOf(c) {
		of = append(of, one.Of)
		if life, err := one.Life(); err != nil || !life.Ends.Equal(cert.NotAfter) {
			t.Errorf("that of %s ends on %v, error %v; want %v", one.Of, life.Ends, err, cert.NotAfter)
		}
	}
	if want := []string{"http.listen", "kafka.tls"}; !slices.Equal(of, want) {
		t.Errorf("the doctor looks at the certificates of %v, want %v", of, want)
	}
}
