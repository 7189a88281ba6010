package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func kept(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../..", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func keptRun(t *testing.T) cast {
	t.Helper()
	c, err := decode(kept(t, castFile))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The picture is the one that the program draws of the recorded run.
func TestPictureIsOfTheRun(t *testing.T) {
	c := keptRun(t)
	if c.Command != command {
		t.Errorf("the run is of %q, and the program records %q", c.Command, command)
	}
	if got := string(picture(c)); got != string(kept(t, svgFile)) {
		t.Errorf("%s is not drawn from %s; run: go run ./deploy/dev/screenshot", svgFile, castFile)
	}
	if text := string(c.encode()); text != string(kept(t, castFile)) {
		t.Errorf("%s is not as the program writes it", castFile)
	}
}

// The recorded run says what the demo says today: the same documents, the same number of verdicts, and the same words
// around them. The demo is repeated at full speed. So the times differ. Of two similar documents another one may come
// first, and some lines differ because of that.
func TestRunIsOfTheDemo(t *testing.T) {
	if _, err := exec.LookPath("script"); err != nil || runtime.GOOS != "linux" {
		t.Skipf("a run is recorded on Linux, by script: %v", err)
	}
	again, err := demo(t.Context(), command+" --pace 0")
	if err != nil {
		t.Fatal(err)
	}
	kept, today := taken(keptRun(t)), taken(again)
	const mend = "run: go run ./deploy/dev/screenshot -record"
	if !slices.Equal(kept.outlets, today.outlets) || len(kept.outlets) != 240 {
		t.Errorf("%d documents are shown, and today %d, or others; %s", len(kept.outlets), len(today.outlets), mend)
	}
	if kept.words != today.words {
		t.Errorf("the kept run says\n%s\nand today it is\n%s\n%s", kept.words, today.words, mend)
	}
	if d := kept.duplicates - today.duplicates; d < -3 || d > 3 {
		t.Errorf("%d duplicates are shown, and today there are %d; %s", kept.duplicates, today.duplicates, mend)
	}
}

// facts are the parts of a run that are the same in each run.
type facts struct {
	outlets    []string // of the documents, sorted
	duplicates int
	words      string // everything without verdicts and figures
}

func taken(c cast) (f facts) {
	verdict := regexp.MustCompile(`^[0-9:]{8} (unique|duplicate) +(?:[█▉▊▋▌▍▎▏]+ +[01]\.[0-9]{2} )?(.{20}) .+$`)
	warning := regexp.MustCompile(`^[0-9:.]{8,} (WRN|ERR) `) // written by a machine that is busy
	figure := regexp.MustCompile(`/tmp/.*|[█▉▊▋▌▍▎▏]+| *[0-9][0-9.,]*`)
	_, lines := c.frames()
	for _, l := range lines {
		text := l.text()
		if m := verdict.FindStringSubmatch(text); m != nil {
			f.outlets = append(f.outlets, m[2])
			if m[1] == "duplicate" {
				f.duplicates++
			}
			continue
		}
		if warning.MatchString(text) {
			continue
		}
		f.words += strings.TrimRight(figure.ReplaceAllString(text, "#"), " #") + "\n"
	}
	slices.Sort(f.outlets)
	return f
}

func TestScreen(t *testing.T) {
	var s screen
	for _, piece := range []string{"one\r\n\x1b[3", "2mtwo\x1b[0m status", "\r\x1b[Kthree\r\nst"} {
		s.write(piece)
	}
	if len(s.done) != 2 || s.done[0].text() != "one" || s.done[1].text() != "three" || s.current.text() != "st" {
		t.Errorf("the screen has the lines %q and then %q; want one, three and then st", s.done, s.current)
	}
	s.write("\r\x1b[33mw\x1b[0m")
	if s.current.text() != "wt" || s.current[0].style != "33" || s.current[1].style != "" {
		t.Errorf("the last line is %q; want a yellow w, and a t without a style", s.current)
	}
}
