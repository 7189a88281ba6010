package pagetest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// world is what all tests share: the program, a member that serves the page to the stages, and a browser.
type world struct {
	program string
	member  *Program
	browser *Browser
	axe     string // the script of axe-core
}

var shared world

func TestMain(m *testing.M) {
	code, err := within(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "pagetest:", err)
		code = 1
	}
	os.Exit(code)
}

func within(m *testing.M) (code int, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	dir, err := os.MkdirTemp("", "unecho-page-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	if shared.program, err = Build(ctx, ".", dir); err != nil {
		return 1, err
	}
	script, err := os.ReadFile(os.Getenv("UNECHO_TEST_AXE"))
	if err != nil {
		return 1, fmt.Errorf("UNECHO_TEST_AXE must name the script of axe-core: run make test-page, which fetches it: %w", err)
	}
	shared.axe = string(script)
	if shared.member, err = member(ctx, "127.0.0.1:0", "/dev/null"); err != nil {
		return 1, err
	}
	defer func() { _ = shared.member.Stop() }()
	browser, end, err := NewBrowser(ctx)
	if err != nil {
		return 1, err
	}
	defer end()
	shared.browser = browser
	return m.Run(), nil
}

// member starts a member on a broker of its own, which reads the documents of a file.
func member(ctx context.Context, listen, file string) (*Program, error) {
	return Start(ctx, shared.program, "demo", "--page", "--input", file, "--set", "http.listen="+listen)
}

// desk is a usual window, phone a small one.
func desk() Look  { return Look{Width: 1440, Height: 900} }
func phone() Look { return Look{Width: 390, Height: 844} }

// watching notes what the policy forbade.
const watching = `window.forbidden = []; document.addEventListener('securitypolicyviolation', (e) => forbidden.push(e.violatedDirective + ' ' + e.blockedURI));`

// open opens a page that must not complain about anything until the test is over.
func open(t *testing.T, url string, look Look) *tab {
	t.Helper()
	look.Before += watching
	p, err := shared.browser.Open(url, look)
	if err != nil {
		t.Fatal(err)
	}
	x := &tab{t, p}
	t.Cleanup(func() {
		for _, said := range p.Complaints() {
			t.Errorf("the page complains: %s", said)
		}
		if got := ask[[]string](x, `forbidden`); len(got) > 0 {
			t.Errorf("the policy forbade %v", got)
		}
		p.End()
	})
	return x
}

// stage starts a stage with the answers of a member that has all there is to show, and opens its page.
func stage(t *testing.T, look Look, change ...func(*Stage)) (*Stage, *tab) {
	t.Helper()
	s, err := NewStage(shared.member.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for _, c := range change {
		s.Set(c)
	}
	return s, open(t, s.URL, look)
}

// tab is a page of a test: what fails ends the test.
type tab struct {
	t *testing.T
	*Page
}

// until waits until an expression is true.
func (x *tab) until(expression string) {
	x.t.Helper()
	if err := x.Until(expression); err != nil {
		x.t.Fatalf("%v\nthe page says:\n%s", err, ask[string](x, `document.body.innerText.slice(0, 1500)`))
	}
}

func (x *tab) live() {
	x.t.Helper()
	x.until(`document.body.dataset.phase === 'live'`)
}

func (x *tab) click(selector string) {
	x.t.Helper()
	x.until(`document.querySelector('` + selector + `')`)
	if err := x.Click(selector); err != nil {
		x.t.Fatalf("click %s: %v", selector, err)
	}
}

func (x *tab) press(keys string) {
	x.t.Helper()
	if err := x.Press(keys); err != nil {
		x.t.Fatal(err)
	}
}

// write puts a text into a field as a person would.
func (x *tab) write(selector, text string) {
	x.t.Helper()
	x.run(fmt.Sprintf(`{ const f = document.querySelector(%q); f.focus(); f.value = %q; f.dispatchEvent(new Event('input', {bubbles: true})); f.dispatchEvent(new Event('change', {bubbles: true})); }`, selector, text))
}

func (x *tab) run(script string) {
	x.t.Helper()
	if err := x.Eval(script, nil); err != nil {
		x.t.Fatal(err)
	}
}

// says waits until what a selector finds is shown and contains a text.
func (x *tab) says(selector, text string) {
	x.t.Helper()
	x.until(fmt.Sprintf(`((e) => e.checkVisibility() && e.textContent.replace(/\s+/gu, ' ').includes(%q))(document.querySelector(%q))`, strings.Join(strings.Fields(text), " "), selector))
}

// ask evaluates an expression.
func ask[T any](x *tab, expression string) (out T) {
	x.t.Helper()
	if err := x.Eval(expression, &out); err != nil {
		x.t.Fatal(err)
	}
	return out
}

// Press sends keys, such as those of package kb.
func (p *Page) Press(keys string) error { return chromedp.Run(p.ctx, chromedp.KeyEvent(keys)) }

// Click clicks what a selector finds, when a person could: it can be seen, and nothing lies over it. It goes by no coordinates,
// because a busy machine draws a tab in the back so late that something else stands there by then.
func (p *Page) Click(selector string) error {
	err := p.Until(fmt.Sprintf(`(() => {
		const e = document.querySelector(%q);
		e.scrollIntoView({block: 'center', behavior: 'instant'});
		const at = e.getBoundingClientRect();
		return e.checkVisibility() && e.contains(document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2));
	})()`, selector))
	if err != nil {
		return err
	}
	click := fmt.Sprintf(`{ const e = document.querySelector(%q); e.focus({preventScroll: true}); e.click(); }`, selector)
	return chromedp.Run(p.ctx, chromedp.Evaluate(click, nil, func(e *runtime.EvaluateParams) *runtime.EvaluateParams {
		return e.WithUserGesture(true)
	}))
}
