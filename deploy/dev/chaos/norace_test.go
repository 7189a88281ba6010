//go:build unix && !race

package main

const raceDetector = false
