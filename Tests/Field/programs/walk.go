// The requests that each program of Go sends: it lists the rooms, books a spot in two of them, and looks after each booking.
package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

type step struct{ name, method, path, content, key string }

// walk sends each request with send, which returns the response's content, or the failure that its library tells. A program that met
// an error tells it, waits longer than any Retry-After of the ways, goes on, and ends with 1.
func walk(send func(method, url, content string, fields map[string]string) ([]byte, error)) {
	code := 0
	for _, step := range []step{
		{"list", "GET", "/rooms.json", "", ""},
		{"write", "POST", "/book", `{"name":"Ljerka"}`, ""},
		{"look", "GET", "/rooms.json", "", ""},
		{"write with key", "POST", "/book", `{"name":"Mina"}`, "a-booking"},
		{"look again", "GET", "/rooms.json", "", ""},
	} {
		fields := map[string]string{}
		if step.content != "" {
			fields["Content-Type"] = "application/json"
		}
		if step.key != "" {
			fields["Idempotency-Key"] = step.key
		}
		content, err := send(step.method, os.Getenv("UNDERSTUDY_URL")+step.path, step.content, fields)
		if err == nil {
			fmt.Printf("%s\tok\t%d bytes\n", step.name, len(content))
		} else {
			fmt.Printf("%s\terror\t%s\n", step.name, strings.Join(strings.Fields(err.Error()), " "))
			code = 1
			time.Sleep(1200 * time.Millisecond)
		}
	}
	os.Exit(code)
}
