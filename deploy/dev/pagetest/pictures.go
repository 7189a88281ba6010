package pagetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Documented are the pictures that the documents show, by the names of their files.
func Documented() []string {
	return []string{
		"top-desk-light.png", "page-desk-dark.png", "compare-desk-light.png", "compare-tablet-dark.png",
		"compare-phone-dark.png", "lookup-phone-light.png", "lost-tablet-light.png",
	}
}

// views are the windows in which each state is pictured.
func views() map[string]Look {
	all := map[string]Look{}
	for name, look := range map[string]Look{"desk": {Width: 1440, Height: 900}, "tablet": {Width: 768, Height: 1024}, "phone": {Width: 390, Height: 844}} {
		all[name+"-light"] = look
		look.Dark = true
		all[name+"-dark"] = look
	}
	return all
}

// mostPicture is how large a picture in the documents may be.
const mostPicture = 150_000

// scene is a state of the page, and how it comes about.
type scene struct {
	name  string
	whole bool // the whole page is pictured, and not only what is seen of it
	reach func(*Page) error
}

// Taker says what pictures are taken.
type Taker struct {
	Browser *Browser
	Demo    *Program                                // it is ended: the last pictures are of a page that gets no answer
	For     time.Duration                           // how long the page is open before, so that there is something to see
	All     bool                                    // each state in each window, not only what the documents show
	Keep    func(name string, picture []byte) error // gets them, with the names of their files
}

// Take takes them.
func (t *Taker) Take(ctx context.Context) error {
	p, err := t.Browser.Open(t.Demo.URL, views()["desk-light"])
	if err != nil {
		return err
	}
	defer p.End()
	select {
	case <-time.After(t.For):
	case <-ctx.Done():
		return ctx.Err()
	}
	lost := func(p *Page) error {
		return errors.Join(t.Demo.Stop(), p.Until(`document.body.dataset.phase === 'lost'`), p.top())
	}
	for _, s := range []scene{
		{"compare", false, (*Page).compare},
		{"top", false, (*Page).lookUp},
		{"page", true, (*Page).read},
		{"lookup", false, (*Page).answer},
		{"lost", false, lost},
	} {
		if err := s.reach(p); err != nil {
			return fmt.Errorf("reach %s: %w", s.name, err)
		}
		if err := t.picture(p, &s); err != nil {
			return err
		}
	}
	return nil
}

// picture takes the pictures of a state.
func (t *Taker) picture(p *Page, s *scene) error {
	for view, look := range views() {
		name := s.name + "-" + view + ".png"
		documented := slices.Contains(Documented(), name)
		if !documented && !t.All {
			continue
		}
		if err := p.LookAt(look); err != nil {
			return err
		}
		if s.name == "lookup" {
			if err := p.answer(); err != nil {
				return err
			}
		}
		data, err := p.Picture(s.whole)
		if err != nil {
			return err
		}
		if data, err = small(data); err == nil && documented && len(data) > mostPicture {
			err = fmt.Errorf("%s has %d bytes, and may have %d", name, len(data), mostPicture)
		}
		if err := errors.Join(err, t.Keep(name, data)); err != nil {
			return err
		}
	}
	return nil
}

// compare opens a duplicate that is no exact copy beside its original.
func (p *Page) compare() error {
	const edited = `[...document.querySelectorAll('.copy')].find((b) => parseInt(b.textContent) < 97)`
	return errors.Join(p.Until(`document.body.dataset.phase === 'live' && `+edited), p.Eval(edited+`.click()`, nil),
		p.Until(`document.querySelector('dialog[open] ins, dialog[open] del')`), p.Eval(`document.activeElement.blur()`, nil))
}

// lookUp closes the documents that are open side by side, and looks up the original with some words less.
func (p *Page) lookUp() error {
	return errors.Join(p.Eval(`{
		for (const b of document.querySelectorAll('dialog .fold')) if (b.isConnected) b.click();
		const text = document.querySelector('dialog .text').textContent.split(' ');
		document.querySelector('dialog').close();
		document.activeElement.blur();
		document.getElementById('lookup-text').value = text.slice(0, -6).join(' ');
		document.querySelector('#lookup form').requestSubmit();
	}`, nil), p.Until(`document.querySelector('#lookup .matches')`), p.top())
}

// read lets the list stand still, so that its rows show how the texts begin.
func (p *Page) read() error {
	return errors.Join(p.Eval(`document.querySelector('#recent [aria-pressed]').click(); document.querySelector('.copies').scrollIntoView()`, nil),
		p.Until(`document.querySelectorAll('.copies li[data-read]').length > 10`), p.top())
}

func (p *Page) top() error { return p.Eval(`scrollTo(0, 0)`, nil) }

// answer brings the answer of the lookup into view.
func (p *Page) answer() error {
	return p.Eval(`scrollTo(0, document.getElementById('lookup').getBoundingClientRect().top + scrollY - 16)`, nil)
}
