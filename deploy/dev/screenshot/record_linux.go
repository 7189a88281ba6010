package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// This is the size of the terminal: wide enough for outlets and originals, and no wider than a page.
const (
	width  = 112
	height = 24
)

// record runs a command on a terminal of its own.
func record(run *exec.Cmd, command string) (cast, error) {
	ours, theirs, err := terminal()
	if err != nil {
		return cast{}, fmt.Errorf("open a terminal: %w", err)
	}
	defer ours.Close()
	run.Stdin, run.Stdout, run.Stderr = theirs, theirs, theirs
	run.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	began := time.Now()
	err = run.Start()
	theirs.Close()
	if err != nil {
		return cast{}, fmt.Errorf("start the demo: %w", err)
	}
	c := cast{header: header{Version: 2, Width: width, Height: height, Command: command}}
	var rest []byte // of a character that is not complete yet
	for buffer := make([]byte, 64<<10); ; {
		n, err := ours.Read(buffer)
		text := append(rest, buffer[:n]...)
		whole := len(text)
		for whole > 0 && whole > len(text)-utf8.UTFMax && !utf8.Valid(text[:whole]) {
			whole--
		}
		rest = append([]byte(nil), text[whole:]...)
		if whole > 0 {
			c.events = append(c.events, event{time.Since(began), string(text[:whole])})
		}
		if err != nil { // EIO: the other end is closed
			break
		}
	}
	if err := run.Wait(); err != nil {
		return cast{}, fmt.Errorf("run the demo: %w", err)
	}
	return c, nil
}

// terminal opens a pseudo-terminal: what is written to theirs can be read from ours.
func terminal() (ours, theirs *os.File, err error) {
	ours, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	fd := int(ours.Fd())
	if err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: height, Col: width})
	}
	number := 0
	if err == nil {
		number, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
	}
	if err == nil {
		theirs, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		ours.Close()
		return nil, nil, err
	}
	return ours, theirs, nil
}
