// Screenshot makes the moving picture of the README from a run of the demo.
//
//	go run ./deploy/dev/screenshot -record    run the demo on its own terminal, keep the output, and draw it (Linux)
//	go run ./deploy/dev/screenshot            draw what was kept
//
// What the terminal got is kept in deploy/docs/demo.cast, in the format of asciinema, version 2. The picture is
// deploy/docs/demo.svg.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const (
	castFile = "deploy/docs/demo.cast"
	svgFile  = "deploy/docs/demo.svg"
	command  = "unecho demo --documents 240" // four seconds at the demo's pace
)

func main() {
	anew := flag.Bool("record", false, "run the demo anew")
	flag.Parse()
	if err := draw(*anew); err != nil {
		fmt.Fprintln(os.Stderr, "screenshot:", err)
		os.Exit(1)
	}
}

// draw writes the picture of the recorded run, or of a new one.
func draw(anew bool) error {
	if anew {
		c, err := demo(context.Background(), command)
		if err != nil {
			return err
		}
		if err := os.WriteFile(castFile, c.encode(), 0o644); err != nil {
			return fmt.Errorf("keep the run: %w", err)
		}
	}
	text, err := os.ReadFile(castFile)
	if err != nil {
		return fmt.Errorf("read the run: %w", err)
	}
	c, err := decode(text)
	if err != nil {
		return err
	}
	if err := os.WriteFile(svgFile, picture(c), 0o644); err != nil {
		return fmt.Errorf("write the picture: %w", err)
	}
	return nil
}

// demo builds the program, runs a command of it on a terminal, and returns its output.
func demo(ctx context.Context, command string) (cast, error) {
	bin, err := os.MkdirTemp("", "unecho-screenshot-")
	if err != nil {
		return cast{}, fmt.Errorf("make a directory: %w", err)
	}
	defer os.RemoveAll(bin)
	program := filepath.Join(bin, "unecho")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "github.com/unecho/unecho/cmd/unecho")
	if out, err := build.CombinedOutput(); err != nil {
		return cast{}, fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return record(ctx, program, command, bin)
}
