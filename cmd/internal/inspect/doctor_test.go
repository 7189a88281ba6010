package inspect

import (
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/consumer/certificate/certificatetest"
	"github.com/unecho/unecho/index/entry"
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

// The report claims no more than was checked, and says of what it was not.
func TestAuditSaysWhatItCouldNotCheck(t *testing.T) {
	part := audit.Unjudged{PartitionName: entry.Name("news", 3), First: 17, Last: 4711}
	many := make([]audit.Unjudged, 12)
	const decided, delivered, any = "as the journal decided\n", "in order; not checked: what the journal decided, of any\n",
		"not checked: whether 2 in no output had to be in one\n"
	for name, c := range map[string]struct {
		report    audit.Report
		says, not []string
	}{
		"all":           {audit.Report{Records: 9}, []string{decided}, []string{"unjudged", "absent", "not checked"}},
		"no verdict":    {audit.Report{Records: 9, Unjudged: 9}, []string{delivered}, []string{"absent", decided}},
		"some verdicts": {audit.Report{Records: 9, Unjudged: 4}, []string{"5 of 9 in its topic", "of the other 4\n"}, []string{"absent", any}},
		"some, and some in no output": {
			audit.Report{Records: 9, Unjudged: 6, Absent: 2, UnjudgedIn: []audit.Unjudged{part}},
			[]string{"5 of 9 in its topic", "of the other 4\n", any, "unjudged: news/3 from 17 to 4711\n"},
			nil,
		},
		"all verdicts of what is in an output": {audit.Report{Records: 9, Unjudged: 2, Absent: 2}, []string{decided, any}, []string{"the other 0"}},
		"nothing but what is in no output":     {audit.Report{Unjudged: 2, Absent: 2}, []string{"nothing to check", any}, []string{"proven"}},
		"many partitions":                      {audit.Report{Records: 9, Unjudged: 9, UnjudgedIn: many}, []string{"and in 2 more partitions"}, nil},
		"a topic that nobody reads":            {audit.Report{Records: 9, Untaken: []string{"xx"}}, []string{"xx is not read", decided}, nil},
	} {
		said := NewAuditLine("journal", &c.report).Text()
		for _, text := range c.says {
			if !strings.Contains(said, text) {
				t.Errorf("%s: the report should say %q, and says\n%s", name, text, said)
			}
		}
		for _, text := range c.not {
			if strings.Contains(said, text) {
				t.Errorf("%s: the report should not say %q, and says\n%s", name, text, said)
			}
		}
	}
}
