package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"
)

func main() {
	unecho := flag.String("unecho", "", "the program")
	vegeta := flag.String("vegeta", "vegeta", "the load generator")
	rates := flag.String("rates", "200,500,1000", "documents a second, with commas")
	seconds := flag.Int("seconds", 15, "how long each rate is kept")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *unecho, *vegeta, *rates, time.Duration(*seconds)*time.Second); err != nil {
		fmt.Fprintln(os.Stderr, "bench gateway:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, unecho, vegeta, rates string, each time.Duration) (err error) {
	brokers := os.Getenv("UNECHO_TEST_KAFKA")
	if brokers == "" || unecho == "" {
		return errors.New("needs Kafka and the program: run make bench-gateway")
	}
	dir, err := os.MkdirTemp("", "bench-gateway")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	g, err := newGroup(ctx, unecho, brokers, dir)
	if err != nil {
		return err
	}
	defer g.end()
	a := &attacker{vegeta: vegeta, dir: dir, group: g}
	fmt.Println("| waits for the verdict | rate asked for | answered with success/s | p50 ms | p99 ms | other answers |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: |")
	for _, wait := range []bool{false, true} {
		for _, text := range strings.Split(rates, ",") {
			rate, err := strconv.Atoi(text)
			if err != nil {
				return fmt.Errorf("-rates: %w", err)
			}
			r, err := a.attack(ctx, g.members, wait, rate, each)
			if err != nil {
				return err
			}
			fmt.Printf("| %v | %d | %.0f | %.1f | %.1f | %d |\n", wait, rate, r.Success*float64(r.Requests)/each.Seconds(),
				ms(r.Latencies.P50), ms(r.Latencies.P99), r.others())
		}
	}
	return a.kill(ctx)
}

func ms(ns int64) float64 { return float64(ns) / 1e6 }
