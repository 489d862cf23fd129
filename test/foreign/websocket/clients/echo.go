// What github.com/coder/websocket does with the URL of the environment, as a line of JSON.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/coder/websocket"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	url := os.Getenv("FOREIGN_URL")
	options := &websocket.DialOptions{CompressionMode: websocket.CompressionContextTakeover}
	socket, response, err := websocket.Dial(ctx, url+"?hello", options)
	check(err)
	socket.SetReadLimit(-1)
	_, text, err := socket.Read(ctx)
	check(err)
	var hello struct{ Path string }
	check(json.Unmarshal(text, &hello))
	binary := bytes.Repeat([]byte("0123456789abcdef"), 32000)
	messages := [][]byte{{}, []byte("é€😀"), []byte(strings.Repeat("x", 100_000)), binary}
	echoed := 0
	for range 20 {
		for at, message := range messages {
			kind := websocket.MessageText
			if at == 3 {
				kind = websocket.MessageBinary
			}
			check(socket.Write(ctx, kind, message))
			got, echo, err := socket.Read(ctx)
			check(err)
			if got == kind && bytes.Equal(echo, message) {
				echoed++
			}
		}
	}
	ctxPing := socket.CloseRead(ctx)
	check(socket.Ping(ctxPing))
	check(socket.Close(websocket.StatusNormalClosure, "bye"))
	other, _, err := websocket.Dial(ctx, url+"?close=1011&reason=x", options)
	check(err)
	_, _, err = other.Read(ctx)
	var closed websocket.CloseError
	if !errors.As(err, &closed) {
		panic(err)
	}
	fault := fmt.Sprintf("%d %s", closed.Code, closed.Reason)
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"path":       hello.Path,
		"echoed":     echoed,
		"extensions": response.Header.Get("Sec-WebSocket-Extensions"),
		"closed":     "1000 bye",
		"fault":      fault,
	}))
}
