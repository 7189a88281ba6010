package pagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/png" // the pictures' format
	"time"
)

// view is a picture of the documents.
type view struct {
	Look
	sideBySide bool // two documents are open
}

// Pictures are those that the documents show, by the names of their files, each with the window in which it is taken.
func Pictures() map[string]Look {
	out := map[string]Look{}
	for name, v := range views() {
		out[name] = v.Look
	}
	return out
}

func views() map[string]view {
	desk, phone := Look{Width: 1440, Height: 900, Still: true}, Look{Width: 390, Height: 844, Still: true}
	dark := func(l Look) Look { l.Dark = true; return l }
	return map[string]view{
		"page-light.png": {Look: desk}, "page-dark.png": {Look: dark(desk)},
		"page-phone-light.png": {Look: phone}, "page-phone-dark.png": {Look: dark(phone)},
		"page-compare-light.png": {Look: desk, sideBySide: true}, "page-compare-dark.png": {Look: dark(desk), sideBySide: true},
	}
}

// mostPicture is how large a picture in the documents may be.
const mostPicture = 200_000

// Take opens the pages of a demo, waits so long that there is something to see, and returns pictures by the names of their files.
func Take(ctx context.Context, b *Browser, url string, long time.Duration) (map[string][]byte, error) {
	pages := map[string]*Page{}
	for name, v := range views() {
		p, err := b.Open(url, v.Look)
		if err != nil {
			return nil, err
		}
		defer p.End()
		pages[name] = p
	}
	select {
	case <-time.After(long):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	out, errs := map[string][]byte{}, []error(nil)
	for name, p := range pages {
		data, err := p.take(views()[name].sideBySide)
		if err == nil && len(data) > mostPicture {
			err = fmt.Errorf("%s has %d bytes, and may have %d", name, len(data), mostPicture)
		}
		out[name] = data
		errs = append(errs, err)
	}
	return out, errors.Join(errs...)
}

// take pictures a page: all of it, or what is seen of it when the first duplicate that is no exact copy is open.
func (p *Page) take(sideBySide bool) ([]byte, error) {
	const edited = `[...document.querySelectorAll('.copy')].find((b) => b.textContent < '0.95')`
	if err := p.Until(`document.body.dataset.phase === 'live' && ` + edited); err != nil {
		return nil, err
	}
	if sideBySide {
		if err := errors.Join(p.Eval(edited+`.click()`, nil), p.Until(`document.querySelector('dialog[open] ins, dialog[open] del')`)); err != nil {
			return nil, err
		}
	}
	data, err := p.Picture(!sideBySide)
	if err != nil {
		return nil, err
	}
	return small(data)
}

// sizeOf is how large a picture is, in pixels.
func sizeOf(data []byte) (wide, high int64, err error) {
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	return int64(c.Width), int64(c.Height), err
}
