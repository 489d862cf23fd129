#!/usr/bin/env bash
# Java-WebSocket 1.6.0 with its PerMessageDeflateExtension: a compressed text whose DEFLATE block has BFINAL set (RFC 7692
# 7.2.3.4), and one in two fragments with a ping between them (RFC 6455 5.4).
#
# A guess: both texts come back, as other valid forms of them do, in one block or several, and in empty fragments.
# Found: the text with BFINAL comes twice in one message: behind the block an octet is left, as the RFC has it, and the library
# inflates the whole payload once more. After the ping the second fragment is not inflated, and the connection is closed
# with 1007 (invalid UTF-8). So a server reads an order as two, without an error, and loses who sends piece by piece.
#
# Fails if that changes. Needs Java 17 or later and Maven.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >pom.xml <<'XML'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>server</groupId><artifactId>server</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.java-websocket</groupId><artifactId>Java-WebSocket</artifactId><version>1.6.0</version></dependency>
  </dependencies>
</project>
XML
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath -Dmdep.outputFile=classpath.txt >mvn.log
cat >Run.java <<'JAVA'
import java.io.ByteArrayOutputStream;
import java.net.*;
import java.util.*;
import java.util.concurrent.CountDownLatch;
import java.util.zip.Deflater;
import org.java_websocket.WebSocket;
import org.java_websocket.drafts.Draft_6455;
import org.java_websocket.extensions.permessage_deflate.PerMessageDeflateExtension;
import org.java_websocket.handshake.ClientHandshake;
import org.java_websocket.server.WebSocketServer;

public class Run {
  static final int TEXT = 1, COMPRESSED = 0x40, FINAL = 0x80, PING = 9, CONTINUATION = 0;

  /** A frame from octet `from` to `to` of the content, masked with zeros. */
  static byte[] frame(int first, byte[] content, int from, int to) {
    var frame = new ByteArrayOutputStream();
    frame.writeBytes(new byte[] {(byte) first, (byte) (0x80 | to - from), 0, 0, 0, 0});
    frame.write(content, from, to - from);
    return frame.toByteArray();
  }

  /** With BFINAL and an octet of zeros, or with a flush whose last four octets are left out. */
  static byte[] deflate(String text, boolean last) {
    var deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
    deflater.setInput(text.getBytes());
    if (last) deflater.finish();
    var space = new byte[100];
    int length = deflater.deflate(space, 0, 100, last ? Deflater.NO_FLUSH : Deflater.SYNC_FLUSH);
    return Arrays.copyOf(space, last ? length + 1 : length - 4);
  }

  static void send(int port, byte[]... frames) throws Exception {
    try (var socket = new Socket("127.0.0.1", port)) {
      socket.getOutputStream().write(("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
          + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
          + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n").getBytes());
      Thread.sleep(300);
      for (var frame : frames) socket.getOutputStream().write(frame);
      Thread.sleep(300);
    }
  }

  public static void main(String[] arguments) throws Exception {
    var started = new CountDownLatch(1);
    var draft = new Draft_6455(List.of(new PerMessageDeflateExtension()));
    var server = new WebSocketServer(new InetSocketAddress("127.0.0.1", 0), List.of(draft)) {
      public void onStart() { started.countDown(); }
      public void onOpen(WebSocket socket, ClientHandshake handshake) {}
      public void onMessage(WebSocket socket, String text) { System.out.println("text: " + text); }
      public void onError(WebSocket socket, Exception error) {}
      public void onClose(WebSocket socket, int code, String reason, boolean remote) {
        if (!remote) System.out.println("close " + code);
      }
    };
    server.start();
    started.await();
    byte[] flushed = deflate("flushed", false), ended = deflate("with BFINAL", true);
    int port = server.getPort(), first = TEXT | COMPRESSED, length = flushed.length;
    send(port, frame(FINAL | first, flushed, 0, length));
    send(port, frame(first, flushed, 0, 4), frame(FINAL | CONTINUATION, flushed, 4, length));
    send(port, frame(FINAL | first, ended, 0, ended.length));
    send(port, frame(first, flushed, 0, 4), frame(FINAL | PING, flushed, 0, 0), frame(FINAL, flushed, 4, length));
    System.exit(0);
  }
}
JAVA
java -cp "$(cat classpath.txt)" Run.java 2>java.log | tee out.txt
diff out.txt - <<'TEXT'
text: flushed
text: flushed
text: with BFINALwith BFINAL
close 1007
TEXT
