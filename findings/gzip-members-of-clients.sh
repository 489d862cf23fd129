#!/usr/bin/env bash
# Content with Content-Encoding: gzip that has two members (RFC 1952 2.2), as logs that are appended to, or responses
# that are joined from compressed parts, read by requests 2.34.2 and httpx 0.28.1 of Python, and by OkHttp 5.5.1 and
# Apache HttpClient 5.6.5 of Java; sent at once, and with a pause between the members.
#
# A guess: all decode all of it, except OkHttp, which ends with an error after the first member.
# Found: httpx returns the first member without an error. So does HttpClient if the second one comes later, so that its
# content depends on the network. If the first member is empty, there is no content. OkHttp ends with an error, as
# guessed; requests decodes all.
#
# Fails if that changes. Needs Python 3.10 or later with pip and venv, Java 17 or later and Maven.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet requests==2.34.2 httpx==0.28.1
cat >pom.xml <<'XML'
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId><artifactId>finding</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>com.squareup.okhttp3</groupId><artifactId>okhttp-jvm</artifactId><version>5.5.1</version>
    </dependency>
    <dependency>
      <groupId>org.apache.httpcomponents.client5</groupId><artifactId>httpclient5</artifactId><version>5.6.5</version>
    </dependency>
  </dependencies>
</project>
XML
mvn --quiet --batch-mode dependency:copy-dependencies -DoutputDirectory=lib >maven.log 2>&1
cat >Client.java <<'JAVA'
import java.util.*;
import okhttp3.*;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.*;
import org.apache.hc.core5.http.io.entity.EntityUtils;

class Client {
  interface Get {
    int length(String url) throws Exception;
  }

  public static void main(String[] urls) throws Exception {
    OkHttpClient okHttp = new OkHttpClient();
    CloseableHttpClient apache = HttpClients.createDefault();
    Map<String, Get> clients = new LinkedHashMap<>();
    clients.put("OkHttp", url -> {
      try (Response response = okHttp.newCall(new Request.Builder().url(url).build()).execute()) {
        return response.body().bytes().length;
      }
    });
    clients.put("HttpClient", url ->
      apache.execute(new HttpGet(url), response -> EntityUtils.toByteArray(response.getEntity()).length));
    for (String name : clients.keySet()) {
      List<String> results = new ArrayList<>();
      for (String url : urls) {
        try {
          results.add("" + clients.get(name).length(url));
        } catch (Exception error) {
          results.add(error.getClass().getSimpleName());
        }
      }
      System.out.println(name + ": " + String.join(", ", results));
    }
    System.exit(0);
  }
}
JAVA
cat >run.py <<'PY'
import gzip
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import requests

FIRST, SECOND = b"first\n" * 1000, b"second\n" * 1000
CONTENTS = {"/one": [FIRST + SECOND], "/two": [FIRST, SECOND], "/empty": [b"", FIRST, SECOND]}


class Server(BaseHTTPRequestHandler):
    def do_GET(self):
        path, _, slow = self.path.partition("?")
        self.send_response(200)
        self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        members = [gzip.compress(part) for part in CONTENTS[path]]
        for part in members if slow else [b"".join(members)]:
            self.wfile.write(part)
            time.sleep(0.2)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
server.handle_error = lambda *_: None  # OkHttp closes early.
threading.Thread(target=server.serve_forever, daemon=True).start()
urls = [f"http://127.0.0.1:{server.server_port}{path}" for path in ("/one", "/two", "/two?slow", "/empty?slow")]
print("one member, two at once, two with a pause, an empty one and two with pauses")
for library in (requests, httpx):
    print(f"{library.__name__}: {', '.join(str(len(library.get(url).content)) for url in urls)}", flush=True)
subprocess.run(["java", "-cp", "lib/*", "Client.java", *urls], stderr=subprocess.DEVNULL, check=True)
PY
python/bin/python run.py | tee out.txt
diff out.txt - <<'TEXT'
one member, two at once, two with a pause, an empty one and two with pauses
requests: 13000, 13000, 13000, 13000
httpx: 13000, 6000, 6000, 0
OkHttp: 13000, IOException, IOException, IOException
HttpClient: 13000, 13000, 6000, 0
TEXT
