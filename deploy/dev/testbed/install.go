//go:build unix

package testbed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// javaAtLeast is the oldest Java that Kafka 4's broker runs on.
const javaAtLeast = 17

// pythonAtLeast is the oldest Python 3 that the packages of deploy/dev/joins are for.
const pythonAtLeast = 11

// missing is a program that a machine lacks, and how it is installed.
type missing struct {
	what   string // for people
	debian string // package
	brew   string // formula
}

// install adds the package on Debian if we are root. Elsewhere its error names the commands.
func (m missing) install(ctx context.Context) error {
	apt, err := exec.LookPath("apt-get")
	if err != nil || os.Geteuid() != 0 {
		return fmt.Errorf("%s is missing: `sudo apt-get install %s` on Debian and Ubuntu, `brew install %s` on macOS; or "+
			"name running servers in UNECHO_TEST_KAFKA and UNECHO_TEST_POSTGRES",
			m.what, m.debian, m.brew)
	}
	fmt.Fprintf(os.Stderr, "%s is missing: installing %s\n", m.what, m.debian)
	for _, args := range [][]string{{"update", "-qq"}, {"install", "-y", "-qq", "--no-install-recommends", m.debian}} {
		cmd := exec.CommandContext(ctx, apt, args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}

// find looks, installs where that fails, and looks again.
func find(ctx context.Context, m missing, look func() (string, bool)) (string, error) {
	if path, ok := look(); ok {
		return path, nil
	}
	if err := m.install(ctx); err != nil {
		return "", err
	}
	if path, ok := look(); ok {
		return path, nil
	}
	return "", errors.New(m.what + " is still missing after " + m.debian + " was installed")
}

func findJava(ctx context.Context) (string, error) {
	return findOfJava(ctx, "java", missing{fmt.Sprintf("Java %d or newer", javaAtLeast), "default-jre-headless", "openjdk"})
}

// findOfJava returns a program of a Java that is new enough.
func findOfJava(ctx context.Context, program string, m missing) (string, error) {
	return find(ctx, m, func() (string, bool) {
		for _, path := range []string{filepath.Join(os.Getenv("JAVA_HOME"), "bin", program), program} {
			out, err := exec.CommandContext(ctx, path, "-version").CombinedOutput()
			if err == nil && javaMajor(string(out)) >= javaAtLeast {
				return path, true
			}
		}
		return "", false
	})
}

// JDK returns a Java that runs programs, and its compiler.
func JDK(ctx context.Context) (java, javac string, err error) {
	javac, err = findOfJava(ctx, "javac",
		missing{fmt.Sprintf("a Java compiler, version %d or newer", javaAtLeast), "default-jdk-headless", "openjdk"})
	if err != nil {
		return "", "", err
	}
	java, err = findJava(ctx)
	return java, javac, err
}

// javaMajor reads the output of java -version: `openjdk version "17.0.15" 2025-04-15`, or for old versions
// `"1.8.0_402"`. That of javac is `javac 17.0.15`.
func javaMajor(version string) int {
	found := regexp.MustCompile(`(?:version "|^javac )(?:1\.)?(\d+)`).FindStringSubmatch(version)
	if found == nil {
		return 0
	}
	major, _ := strconv.Atoi(found[1]) // the expression matches digits; with too many of them it is no Java
	return major
}

func findMaven(ctx context.Context) (string, error) {
	return find(ctx, missing{"Maven", "maven", "maven"}, func() (string, bool) {
		mvn, err := exec.LookPath("mvn")
		return mvn, err == nil
	})
}

// findPython returns the version of python3, if that is new enough and has pip.
func findPython(ctx context.Context) (string, error) {
	m := missing{fmt.Sprintf("Python 3.%d or newer with pip", pythonAtLeast), "python3-pip", "python"}
	return find(ctx, m, func() (string, bool) {
		out, err := exec.CommandContext(ctx, "python3", "-m", "pip", "--version").Output()
		minor := pythonMinor(string(out))
		return fmt.Sprintf("3.%d", minor), err == nil && minor >= pythonAtLeast
	})
}

// pythonMinor reads the output of pip: `pip 23.0.1 from /usr/lib/python3/dist-packages/pip (python 3.11)`.
func pythonMinor(version string) int {
	found := regexp.MustCompile(`\(python 3\.(\d+)\)`).FindStringSubmatch(version)
	if found == nil {
		return 0
	}
	minor, _ := strconv.Atoi(found[1]) // the expression matches digits; with too many of them it is no Python
	return minor
}

// findPostgres returns the directory of PostgreSQL's server programs, which Debian keeps out of the PATH.
func findPostgres(ctx context.Context) (string, error) {
	return find(ctx, missing{"PostgreSQL", "postgresql", "postgresql"}, func() (string, bool) {
		for _, dir := range postgresDirs(ctx) {
			if isFile(filepath.Join(dir, "initdb")) && isFile(filepath.Join(dir, "postgres")) &&
				isFile(filepath.Join(dir, "pg_isready")) {
				return dir, true
			}
		}
		return "", false
	})
}

// postgresDirs are the places to look in, newest version first.
func postgresDirs(ctx context.Context) []string {
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is well formed
	slices.SortFunc(dirs, func(a, b string) int { return postgresMajor(b) - postgresMajor(a) })
	if initdb, err := exec.LookPath("initdb"); err == nil {
		dirs = append(dirs, filepath.Dir(initdb))
	}
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	return dirs
}

// postgresMajor returns 15 for /usr/lib/postgresql/15/bin, and 0 if the path has no number.
func postgresMajor(dir string) int {
	major, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
	return major
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
