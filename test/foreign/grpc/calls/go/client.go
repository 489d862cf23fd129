// Makes the calls on standard input by grpc-go, each on a channel of its own, and prints a line for each.
// test/foreign/grpc/calls/_program.ts has the format of both.
package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// raw is a codec of messages that are bytes.
type raw struct{}

func (raw) Marshal(message any) ([]byte, error) { return *message.(*[]byte), nil }

func (raw) Unmarshal(data []byte, message any) error {
	*message.(*[]byte) = append([]byte(nil), data...)
	return nil
}

func (raw) Name() string { return "proto" }

var _ encoding.Codec = raw{}

func seen(heads ...metadata.MD) string {
	var values []string
	for _, head := range heads {
		for _, value := range head.Get("a-bin") {
			values = append(values, hex.EncodeToString([]byte(value)))
		}
	}
	return strings.Join(values, ", ")
}

func call(cells []string) (messages int, values string, err error) {
	channel, err := grpc.NewClient(cells[1], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return 0, "", err
	}
	defer channel.Close()
	request, _ := hex.DecodeString(cells[4])
	timeout, _ := strconv.Atoi(cells[6])
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(timeout)*time.Millisecond)
	defer cancel()
	ctx = withMetadata(ctx, cells[5])
	codec := grpc.ForceCodec(raw{})
	if cells[3] == "unary" {
		var response []byte
		var head, trailer metadata.MD
		err = channel.Invoke(ctx, cells[2], &request, &response, codec, grpc.Header(&head), grpc.Trailer(&trailer))
		if err == nil {
			messages = 1
		}
		return messages, seen(head, trailer), err
	}
	stream, err := channel.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, cells[2], codec)
	if err != nil {
		return 0, "", err
	}
	if err = stream.SendMsg(&request); err != nil && err != io.EOF {
		return 0, "", err
	}
	stream.CloseSend()
	for {
		var response []byte
		if err = stream.RecvMsg(&response); err != nil {
			break
		}
		messages++
	}
	head, _ := stream.Header()
	if err == io.EOF {
		err = nil
	}
	return messages, seen(head, stream.Trailer()), err
}

func withMetadata(ctx context.Context, lines string) context.Context {
	for _, line := range strings.Split(lines, ", ") {
		if name, value, found := strings.Cut(line, ": "); found {
			ctx = metadata.AppendToOutgoingContext(ctx, name, value)
		}
	}
	return ctx
}

func main() {
	var all sync.WaitGroup
	var printing sync.Mutex
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		cells := strings.Split(lines.Text(), "\t")
		all.Add(1)
		go func() {
			defer all.Done()
			messages, values, err := call(cells)
			found := status.Convert(err)
			text := strings.Join(strings.Fields(found.Message()), " ")
			printing.Lock()
			defer printing.Unlock()
			fmt.Printf("%s\t%d\t%d\t%s\t%s\n", cells[0], found.Code(), messages, text, values)
		}()
	}
	all.Wait()
}
