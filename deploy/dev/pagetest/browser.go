package pagetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Browser is a Chromium that runs until its context ends.
type Browser struct{ ctx context.Context }

// NewBrowser starts one. The caller calls end.
func NewBrowser(ctx context.Context) (b *Browser, end func(), err error) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return nil, nil, fmt.Errorf("there is no chromium: make test-page installs it: %w", err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.Flag("hide-scrollbars", true), chromedp.Flag("disable-gpu", true),
		chromedp.Flag("font-render-hinting", "none"))
	allocator, endAllocator := chromedp.NewExecAllocator(ctx, options...)
	browser, endBrowser := chromedp.NewContext(allocator, chromedp.WithErrorf(logf))
	end = func() { endBrowser(); endAllocator() }
	if err := chromedp.Run(browser); err != nil {
		end()
		return nil, nil, fmt.Errorf("start chromium: %w", err)
	}
	return &Browser{browser}, end, nil
}

// logf prints what goes wrong between us and the browser. Events that this version of chromedp does not know are none
// of that.
func logf(format string, args ...any) {
	if !strings.HasPrefix(format, "unhandled ") {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}
}

// Look is how a page is looked at.
type Look struct {
	Width, Height int64
	Dark          bool
	Still         bool   // the reader wants no motion
	Before        string // a script that runs before the page's own
}

func (l *Look) window() chromedp.Action { return chromedp.EmulateViewport(l.Width, l.Height) }

func (l *Look) media() chromedp.Action {
	scheme, motion := "light", "no-preference"
	if l.Dark {
		scheme = "dark"
	}
	if l.Still {
		motion = "reduce"
	}
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: motion},
	})
}

// Page is a tab.
type Page struct {
	ctx  context.Context
	End  func()
	mu   sync.Mutex
	said []string // errors of the page: of scripts, of the policy, of what could not be loaded
}

// Open opens an address in a tab of its own.
func (b *Browser) Open(url string, look Look) (*Page, error) {
	ctx, end := chromedp.NewContext(b.ctx)
	p := &Page{ctx: ctx, End: end}
	chromedp.ListenTarget(ctx, p.listen)
	err := chromedp.Run(ctx, network.Enable(), runtime.Enable(), look.window(), look.media(),
		emulation.SetFocusEmulationEnabled(true), // several pages are looked at, at once
		chromedp.ActionFunc(func(ctx context.Context) error {
			if look.Before == "" {
				return nil
			}
			_, err := page.AddScriptToEvaluateOnNewDocument(look.Before).Do(ctx)
			return err
		}),
		chromedp.Navigate(url))
	if err != nil {
		end()
		return nil, fmt.Errorf("open %s: %w", url, err)
	}
	return p, nil
}

func (p *Page) listen(event any) {
	text := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		text = "exception: " + e.ExceptionDetails.Error()
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
			for _, arg := range e.Args {
				text += string(arg.Value) + arg.Description + " "
			}
		}
	}
	if text != "" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.said = append(p.said, text)
	}
}

// Complaints are the errors of the page's scripts so far.
func (p *Page) Complaints() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.said...)
}

// Eval evaluates an expression in the page, waits for its promise, and reads the outcome into out, which may be nil.
func (p *Page) Eval(script string, out any) error {
	err := chromedp.Run(p.ctx, chromedp.Evaluate(script, out, func(e *runtime.EvaluateParams) *runtime.EvaluateParams {
		return e.WithAwaitPromise(true)
	}))
	if err != nil {
		return fmt.Errorf("evaluate %.80s: %w", strings.TrimSpace(script), err)
	}
	return nil
}

// patience is how long is waited for what should come in a moment, on a machine that has other work.
const patience = time.Minute

// Until waits until an expression is true, also in a page that is loaded anew meanwhile.
func (p *Page) Until(expression string) error {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	script := `new Promise((done) => { const look = () => { let yes = false; try { yes = ` + expression +
		`; } catch (e) {} if (yes) done(true); else setTimeout(look, 50); }; look(); })`
	for {
		err := (&Page{ctx: ctx}).Eval(script, nil)
		var wrong *runtime.ExceptionDetails
		switch {
		case err == nil || errors.As(err, &wrong):
			return err
		case ctx.Err() != nil:
			return fmt.Errorf("within %v it does not become true: %s", patience, expression)
		}
	}
}

// LookAt looks at the page in another way, and waits until the plots have the width that they should. Its tab comes
// to the front, because one in the back is drawn once a second.
func (p *Page) LookAt(look Look) error {
	if err := chromedp.Run(p.ctx, page.BringToFront(), look.window(), look.media()); err != nil {
		return err
	}
	return p.Until(fmt.Sprintf(`innerWidth === %d && [...document.querySelectorAll('svg.plot[viewBox]')].every((s) => !s.checkVisibility() ||
		Math.abs(s.viewBox.baseVal.width - s.parentElement.clientWidth) <= 1)`, look.Width))
}

// Picture returns the page as PNG: what is seen, or all of it.
func (p *Page) Picture(whole bool) ([]byte, error) {
	var out []byte
	err := chromedp.Run(p.ctx, chromedp.ActionFunc(func(ctx context.Context) error {
		data, err := page.CaptureScreenshot().WithCaptureBeyondViewport(whole).WithFormat(page.CaptureScreenshotFormatPng).Do(ctx)
		out = data
		return err
	}))
	return out, err
}
