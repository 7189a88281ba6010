package text

import (
	"strings"
	"testing"
)

func TestParamsAreValidated(t *testing.T) {
	if wrong := DefaultParams().Validate(); len(wrong) > 0 {
		t.Errorf("mistakes in the defaults: %v", wrong)
	}
	for want, change := range map[string]func(*Params){
		"html: yes: is not one of the choices; write keep or strip":        func(p *Params) { p.HTML = "yes" },
		"urls: is not one of the choices; write keep, mask or drop":        func(p *Params) { p.URLs = "" },
		"accents: drop: is not one of the choices; write keep or strip":    func(p *Params) { p.Accents = "drop" },
		"digits: roman: is not one of the choices; write keep or mask":     func(p *Params) { p.Digits = "roman" },
		"punctuation: strip: is not one of the choices; write space, keep": func(p *Params) { p.Punctuation = "strip" },
		"space: keep: is not one of the choices; write collapse or drop":   func(p *Params) { p.Space = "keep" },
		"max_bytes: -1: is negative":                                       func(p *Params) { p.MaxBytes = -1 },
	} {
		p := DefaultParams()
		change(&p)
		if wrong := p.Validate(); len(wrong) != 1 || !strings.HasPrefix(wrong[0].String(), want) {
			t.Errorf("got %q, want one mistake: %s", wrong, want)
		}
	}
}
