// The default client of net/http.
package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

func main() {
	walk(func(method, url, content string, fields map[string]string) ([]byte, error) {
		request, err := http.NewRequest(method, url, strings.NewReader(content))
		if err != nil {
			return nil, err
		}
		for name, value := range fields {
			request.Header.Set(name, value)
		}
		response, err := http.DefaultClient.Do(request)
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
