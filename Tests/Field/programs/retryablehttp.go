// The client of go-retryablehttp with its defaults: four retries after waits of 1, 2, 4 and 8 s. The waits are a tenth of that here.
package main

import (
	"fmt"
	"io"
	"time"

	retryable "github.com/hashicorp/go-retryablehttp"
)

func main() {
	client := retryable.NewClient()
	client.Logger = nil
	client.RetryWaitMin = 100 * time.Millisecond
	walk(func(method, url, content string, fields map[string]string) ([]byte, error) {
		request, err := retryable.NewRequest(method, url, []byte(content))
		if err != nil {
			return nil, err
		}
		for name, value := range fields {
			request.Header.Set(name, value)
		}
		response, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		if response.StatusCode >= 400 {
			return nil, fmt.Errorf("status %d", response.StatusCode)
		}
		return io.ReadAll(response.Body)
	})
}
