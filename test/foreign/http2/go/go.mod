module http2client

go 1.26

require golang.org/x/net v0.62.0
