// TLS with HTTP/1.1 for clients, HTTP/1.1 to the origin.
package main

import (
	"log"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/proxy"
)

func main() {
	app := fiber.New()
	// Balancer of 3.1.0 would respond with 500 to each request of a client with TLS.
	app.Use(proxy.BalancerForward([]string{"http://127.0.0.1:8080"}))
	log.Fatal(app.Listen("127.0.0.1:8443", fiber.ListenConfig{CertFile: "cert.pem", CertKeyFile: "key.pem"}))
}
