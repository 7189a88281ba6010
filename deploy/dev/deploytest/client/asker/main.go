// The asker is a program of somebody else: it knows unecho by a client that was generated from its description. It
// asks everything once, and ends with an error if an answer is not what was asked for.
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"example.com/asker/client"
)

func main() {
	log.SetFlags(0)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	url := os.Getenv("ASKER_URL")
	stranger := must(client.NewClientWithResponses(url))
	if refused := must(stranger.StatusWithResponse(ctx)); refused.JSON401 == nil || refused.JSON401.Remedy == "" {
		log.Fatalf("a stranger is answered %s", refused.Body)
	}
	is("openapi for a stranger", must(stranger.OpenapiWithResponse(ctx)).JSON200 != nil)
	c := must(client.NewClientWithResponses(url,
		client.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+os.Getenv("ASKER_TOKEN"))
			return nil
		})))

	event(ctx, c) // the service has only just begun
	copies := must(c.RecentWithResponse(ctx, &client.RecentParams{Limit: new(5)})).JSON200
	is("recent", copies != nil && len(copies.Copies) > 0 && copies.Count > 0 && copies.Copies[0].Match.Similarity > 0)
	forgets(ctx, c, copies.Copies[0].Match)
}

// forgets asks about a document that others are copies of, sends it, and has it forgotten.
func forgets(ctx context.Context, c *client.ClientWithResponses, original client.Match) {
	document := must(c.DocumentWithResponse(ctx, original.Topic, original.Partition, original.Offset,
		&client.DocumentParams{Text: new(true)})).JSON200
	is("document", document != nil && document.InWindow && document.Verdict == "unique" && document.Copies > 0 &&
		document.Text != nil && document.Text.Text != "")
	is("no document", must(c.DocumentWithResponse(ctx, "nosuch", 0, 0, nil)).JSON404 != nil)

	question := client.Question{Text: &document.Text.Text}
	found := must(c.LookupWithResponse(ctx, question)).JSON200
	is("lookup", found != nil && found.Results[0].Duplicate && found.Results[0].Matches[0].Offset == original.Offset &&
		found.Results[0].Matches[0].Method == "identical")
	is("a lookup of nothing", must(c.LookupWithResponse(ctx, client.Question{})).JSON400 != nil)

	status := must(c.StatusWithResponse(ctx)).JSON200
	is("status", status != nil && status.Group != "" && status.Documents.Unique > 0 && status.Window.Documents > 0 &&
		status.Members != nil && len(status.Settings) > 0)
	is("history", must(c.HistoryWithResponse(ctx)).JSON200 != nil)
	settings := must(c.ConfigWithResponse(ctx)).JSON200
	is("config", settings != nil && len(settings.Settings) > 0 &&
		!strings.Contains(fmt.Sprint(settings), os.Getenv("ASKER_TOKEN")))

	sends(ctx, c, document.Text.Text)

	name := fmt.Sprintf("%s/%d/%d", original.Topic, original.Partition, original.Offset)
	order := client.Order{Documents: []string{name, "nobody"}, DryRun: new(true)}
	removal := must(c.ForgetWithResponse(ctx, order)).JSON200
	is("a dry run of forget", removal != nil && removal.DryRun && len(removal.Documents) == 1 &&
		len(removal.Unknown) == 1 && removal.JournalOffset == nil)
	order.DryRun = nil
	removal = must(c.ForgetWithResponse(ctx, order)).JSON200
	is("forget", removal != nil && !removal.DryRun && removal.Documents[0].Coordinates == name &&
		removal.JournalOffset != nil)
	found = must(c.LookupWithResponse(ctx, question)).JSON200
	is("a lookup of what was forgotten", found != nil &&
		(!found.Results[0].Duplicate || found.Results[0].Matches[0].Offset != original.Offset))
}

// sends sends a document, then two, and then a text.
func sends(ctx context.Context, c *client.ClientWithResponses, text string) {
	wait := client.SendParamsWait("verdict")
	params := &client.SendParams{Wait: &wait, IdempotencyKey: new("a-key")}
	sent := must(c.SendWithResponse(ctx, params, client.NewDocument{"text": text})).JSON200
	is("send", sent != nil && len(*sent.Documents) == 1 && (*sent.Documents)[0].Verdict != nil &&
		(*sent.Documents)[0].Offset != nil)
	two := strings.NewReader("{\"text\": \"a text\"}\n{\"text\": \"another text\"}\n")
	accepted := must(c.SendWithBodyWithResponse(ctx, nil, "application/x-ndjson", two)).JSON202
	is("send of two", accepted != nil && len(*accepted.Documents) == 2)
	accepted = must(c.SendWithTextBodyWithResponse(ctx, nil, text)).JSON202
	is("send of a text", accepted != nil && len(*accepted.Documents) == 1)
}

// event reads the first event there is.
func event(ctx context.Context, c *client.ClientWithResponses) {
	resp := must(c.Events(ctx, &client.EventsParams{After: new("0")}))
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "data: {") {
			return
		}
	}
	log.Fatalf("events end: %s, %v", resp.Status, lines.Err())
}

func is(what string, ok bool) {
	if !ok {
		log.Fatalf("%s is answered otherwise", what)
	}
	fmt.Println(what)
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
