package certificate

import (
	"crypto/tls"
	"sync"
	"time"
)

// lookEvery is how often the life of a certificate that is in use is looked at.
const lookEvery = time.Minute

// watched is our certificate. It may expire while nobody renews it, long after its files were read.
type watched struct {
	mu   sync.Mutex
	cert *tls.Certificate // nil: we show none
	next time.Time        // it is not looked at before
	told string           // its trouble, as it was told last
}

// renewed notes what is shown from now on. Files that hold no certificate have none.
func (f *Files) renewed(certs []tls.Certificate) {
	w := &f.watched
	w.mu.Lock()
	w.cert, w.told = nil, ""
	if len(certs) > 0 {
		w.cert = &certs[0]
	}
	w.mu.Unlock()
	f.logTrouble(time.Now())
}

// look tells of trouble with the life of our certificate. It is called wherever a connection is made or read from. Where no
// connection is made, nobody else notices that the files were renewed: that is looked at before.
func (f *Files) look(now time.Time) {
	if f.watched.due(now) {
		f.now.Get()
		f.logTrouble(now)
	}
}

func (w *watched) due(now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cert == nil || now.Before(w.next) {
		return false
	}
	w.next = now.Add(lookEvery)
	return true
}

// logTrouble tells once of each trouble.
func (f *Files) logTrouble(now time.Time) {
	w := &f.watched
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cert == nil {
		return
	}
	trouble := troubleOf(w.cert, now)
	if trouble != "" && trouble != w.told {
		f.logger.Warn().Str("settings", f.params.Section).Str("file", f.params.CertFile).Str("because", "it "+trouble).
			Msg("servers refuse our certificate, or soon will: renew it")
	}
	w.told = trouble
}
