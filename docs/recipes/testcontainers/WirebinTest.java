import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

class WirebinTest {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private static final GenericContainer<?> WIREBIN =
      new GenericContainer<>(DockerImageName.parse("registry.example/wirebin"))
          .withEnv("WIREBIN_TAP", "true")
          .withExposedPorts(8080)
          .waitingFor(Wait.forHttp("/readyz"));

  @BeforeAll
  static void start() {
    WIREBIN.start();
  }

  @AfterAll
  static void stop() {
    WIREBIN.stop();
  }

  private static HttpResponse<String> send(String path) throws IOException, InterruptedException {
    String origin = "http://" + WIREBIN.getHost() + ":" + WIREBIN.getMappedPort(8080);
    HttpRequest request = HttpRequest.newBuilder(URI.create(origin + path)).build();
    return CLIENT.send(request, BodyHandlers.ofString());
  }

  /** What is tested: a client that retries after 503. */
  private static HttpResponse<String> get(String path) throws IOException, InterruptedException {
    HttpResponse<String> response = send(path);
    return response.statusCode() == 503 ? send(path) : response;
  }

  @Test
  void retriesAfter503() throws Exception {
    assertEquals(200, get("/retry/java?fail=1").statusCode());
    assertTrue(send("/journal/java").body().contains("\"attempts\": 2"));
  }
}
