package certificate

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"sync"
	"time"
)

// soon is the part of a certificate's life that must be left. Who renews one at two thirds of its life, as most
// programs do, is far from it.
const soon = 0.1

// Life is when a certificate is valid.
type Life struct{ Begins, Ends time.Time }

// ReadLife reads when a certificate is valid, with those that lead to its authority, from PEM files.
func ReadLife(cert, key string) (Life, error) {
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return Life{}, err
	}
	return LifeOf(&pair)
}

// LifeOf returns when a certificate is valid, with those that lead to its authority.
func LifeOf(c *tls.Certificate) (life Life, err error) {
	for i, der := range c.Certificate {
		one, err := x509.ParseCertificate(der)
		if err != nil {
			return Life{}, fmt.Errorf("certificate %d of the file: %w", i+1, err)
		}
		if i == 0 || one.NotBefore.After(life.Begins) {
			life.Begins = one.NotBefore
		}
		if i == 0 || one.NotAfter.Before(life.Ends) {
			life.Ends = one.NotAfter
		}
	}
	return life, nil
}

// Left is the part of the life that is left at a moment: 1 when it begins, 0 while it is not valid.
func (l Life) Left(now time.Time) float64 {
	if now.Before(l.Begins) || !now.Before(l.Ends) {
		return 0
	}
	return l.Ends.Sub(now).Seconds() / l.Ends.Sub(l.Begins).Seconds()
}

// Trouble says what is wrong with the life at a moment; empty: nothing is.
func (l Life) Trouble(now time.Time) string {
	const minute = "2006-01-02 15:04 UTC"
	switch {
	case !now.Before(l.Ends):
		return "has expired, on " + l.Ends.UTC().Format(minute)
	case now.Before(l.Begins):
		return "is not valid before " + l.Begins.UTC().Format(minute)
	case l.Left(now) < soon:
		return "expires on " + l.Ends.UTC().Format(minute) + ", and less than a tenth of its life is left"
	}
	return ""
}

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
	trouble := TroubleOf(w.cert, now)
	if trouble != "" && trouble != w.told {
		f.logger.Warn().Str("settings", f.params.Section).Str("file", f.params.CertFile).Str("because", "it "+trouble).
			Msg("servers refuse our certificate, or soon will: renew it")
	}
	w.told = trouble
}
