#!/usr/bin/env bash
# https.Agent of Node 20.20.2, 24.21.0 and 26.10.0, and ssl of Python, as clients of a Python server that loads another
# certificate into its context while it runs, as at a renewal. Each sends a request, two more on connections that resume
# the session, one before and one after the change, and one with a new agent.
#
# A guess: session tickets outlive the certificate, and a client that resumes sees the old one for as long.
# Found: Python does. Node resumes as well, but getPeerCertificate() and getPeerX509Certificate() return nothing on any
# resumed connection, even before the change. Code that watches the expiry or the fingerprint of the certificate after
# each request sees it once, then nothing, and does not notice the renewal.
#
# Fails if that changes. Needs Node 20 or later, npm, Python 3.10 or later and openssl, on Linux or macOS.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
platform=$(node -p '`${process.platform}-${process.arch}`')
npm init --yes >npm.log
for version in 20.20.2 24.21.0 26.10.0; do
  npm install --no-audit --no-fund --ignore-scripts "node-$version@npm:node-$platform@$version" >>npm.log 2>&1
done
for name in old new; do
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $name.key -out $name.pem -subj /CN=$name \
    -days 2 2>>openssl.log
done
cat >client.mjs <<'JS'
import { once } from 'node:events';
import { Agent, request } from 'node:https';

const port = Number(process.argv[2]);
const agent = new Agent();
for (const [path, by] of [['/', agent], ['/', agent], ['/change', agent], ['/', agent], ['/', new Agent()]]) {
  const sent = request({ port, path, agent: by, rejectUnauthorized: false }).end();
  const [response] = await once(sent, 'response');
  const { socket } = response;
  const kind = socket.isSessionReused() ? 'resumed' : 'new session';
  const names = [socket.getPeerCertificate().subject?.CN, socket.getPeerX509Certificate()?.subject.slice(3)];
  const [plain, x509] = names.map((name) => name ?? 'none');
  if (path === '/') console.log(`Node ${process.version}: ${kind}, certificate ${plain}, X509Certificate ${x509}`);
  response.resume();
  await once(socket, 'close');
}
JS
cat >run.py <<'PY'
import socket
import ssl
import subprocess
import threading

RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
NAMES = {ssl.PEM_cert_to_DER_cert(open(f"{name}.pem").read()): name for name in ("old", "new")}


def start():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("old.pem", "old.key")
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            with context.wrap_socket(listener.accept()[0], server_side=True) as connection:
                if b"/change" in connection.recv(4096):
                    context.load_cert_chain("new.pem", "new.key")
                connection.sendall(RESPONSE)
                connection.unwrap()

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1]


def get(context, port, path, session):
    with context.wrap_socket(socket.create_connection(("127.0.0.1", port)), session=session) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        connection.recv(4096)
        if path == "/":
            kind = "resumed" if connection.session_reused else "new session"
            print(f"Python: {kind}, certificate {NAMES[connection.getpeercert(binary_form=True)]}", flush=True)
        session = connection.session
        connection.unwrap()
        return session


for version in ("20.20.2", "24.21.0", "26.10.0"):
    subprocess.run([f"node_modules/node-{version}/bin/node", "client.mjs", str(start())], timeout=60, check=True)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
port, session = start(), None
for path in ("/", "/", "/change", "/"):
    session = get(context, port, path, session)
get(context, port, "/", None)
PY
python3 run.py | tee out.txt
diff out.txt - <<'TEXT'
Node v20.20.2: new session, certificate old, X509Certificate old
Node v20.20.2: resumed, certificate none, X509Certificate none
Node v20.20.2: resumed, certificate none, X509Certificate none
Node v20.20.2: new session, certificate new, X509Certificate new
Node v24.21.0: new session, certificate old, X509Certificate old
Node v24.21.0: resumed, certificate none, X509Certificate none
Node v24.21.0: resumed, certificate none, X509Certificate none
Node v24.21.0: new session, certificate new, X509Certificate new
Node v26.10.0: new session, certificate old, X509Certificate old
Node v26.10.0: resumed, certificate none, X509Certificate none
Node v26.10.0: resumed, certificate none, X509Certificate none
Node v26.10.0: new session, certificate new, X509Certificate new
Python: new session, certificate old
Python: resumed, certificate old
Python: resumed, certificate old
Python: new session, certificate new
TEXT
