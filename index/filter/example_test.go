package filter_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/unecho/unecho/index/filter"
)

const (
	bridge = "The harbour bridge was closed on Monday after inspectors found cracks in two of its cables."
	again  = "The Harbour Bridge was closed on Monday, after inspectors found cracks in two of its MAIN cables!"
	other  = "The harbour bridge was closed on Monday after inspectors found cracks in three of its cables."
)

func Example() {
	f, err := filter.New(filter.DefaultParams())
	if err != nil {
		fmt.Println(err)
		return
	}
	for id, text := range []string{bridge, again, other} {
		v, err := f.Judge(filter.Document{ID: fmt.Sprint("news-", id), Text: []byte(text), Time: time.Now()})
		if err != nil {
			fmt.Println(err)
			return
		}
		if v.Unique() {
			fmt.Printf("news-%d: unique\n", id)
		} else {
			fmt.Printf("news-%d: %.4f of %s (%s), copy %d\n", id, v.Similarity, v.Of.ID, v.Method, v.Ordinal)
		}
	}
	// Output:
	// news-0: unique
	// news-1: 0.8125 of news-0 (jaccard), copy 2
	// news-2: unique
}

// A lower threshold, and a window of 48 hours, of a million documents at most.
func ExampleNew() {
	p := filter.DefaultParams()
	p.Duplicates.Threshold = 0.6
	p.Duplicates.Remember.Age, p.Duplicates.Remember.Documents = 48*time.Hour, 1_000_000
	f, err := filter.New(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	day := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	for _, seen := range []time.Time{day, day.Add(47 * time.Hour), day.Add(49 * time.Hour)} {
		v, err := f.Judge(filter.Document{Text: []byte(bridge), Time: seen})
		fmt.Println(v.Copy, v.Of.Number, err)
	}

	p.Duplicates.Threshold, p.Duplicates.Remember.Age = 80, -time.Hour
	_, err = filter.New(p)
	fmt.Println(err)
	// Output:
	// false 0 <nil>
	// true 0 <nil>
	// false 0 <nil>
	// make filter: settings that cannot be used:
	//     duplicates.threshold: 80: is not a similarity; write a number above 0, up to 1, such as 0.8
	//     duplicates.remember.age: -1h0m0s: is negative; write a duration such as 24h, or 0 for no bound by age
}

// A program that was stopped goes on with its snapshot.
func ExampleOpen() {
	before, err := filter.New(filter.DefaultParams())
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := before.Judge(filter.Document{ID: "old", Text: []byte(bridge)}); err != nil {
		fmt.Println(err)
		return
	}
	data, err := before.Snapshot()
	if err != nil {
		fmt.Println(err)
		return
	}

	f, err := filter.Open(filter.DefaultParams(), data)
	if errors.Is(err, filter.ErrSnapshot) || errors.Is(err, filter.ErrVersion) { // what it remembered is lost
		f, err = filter.New(filter.DefaultParams())
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := f.Judge(filter.Document{ID: "new", Text: []byte(again)})
	fmt.Println(v.Copy, v.Of.ID, v.Number, err)
	// Output:
	// true old 1 <nil>
}

// Documents are compared within their scope.
func ExampleDocument() {
	f, err := filter.New(filter.DefaultParams())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tenant := range []string{"acme", "globex", "acme"} {
		v, err := f.Judge(filter.Document{Text: []byte(bridge), Scope: tenant})
		fmt.Println(tenant, v.Copy, err)
	}
	// Output:
	// acme false <nil>
	// globex false <nil>
	// acme true <nil>
}
