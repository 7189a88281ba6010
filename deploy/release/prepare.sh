#!/usr/bin/env bash
# Makes what a release packs beside the binary, into .cache/release: completions, man pages, the unit of systemd, and the notes, which are the topmost
# released section of CHANGELOG.md. Usage: prepare.sh SECONDS, the time that man pages show.
set -euo pipefail
cd "$(dirname "$0")/../.."

export SOURCE_DATE_EPOCH=$1 GOFLAGS=-trimpath CGO_ENABLED=0
out=.cache/release
rm -rf "$out"
mkdir -p "$out/completions" "$out/man.gz"
go build -buildvcs=true -o "$out/unecho" ./cmd/unecho
for shell in bash zsh fish powershell; do
  "$out/unecho" completion "$shell" >"$out/completions/unecho.${shell/powershell/ps1}"
done
"$out/unecho" man "$out/man"
for page in "$out"/man/*; do
  gzip -9 -n -c "$page" >"$out/man.gz/$(basename "$page").gz"
done
# A package installs the program where the distribution's are.
sed 's|/usr/local/bin/|/usr/bin/|' deploy/systemd/unecho.service >"$out/unecho.service"
awk '/^## /{ if (found) exit; found = /^## [0-9]/; next } found' CHANGELOG.md >"$out/notes.md"
