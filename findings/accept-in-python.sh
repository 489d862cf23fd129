#!/usr/bin/env bash
# Accept (RFC 9110 12.5.1) in Python: Werkzeug 3.1.9, which Flask uses, Litestar 2.25.0, WebOb 1.8.11, which Pyramid
# uses, and python-mimeparse 2.0.0 choose between text/html and text/plain.
#
# A guess: all choose what the field prefers, even with a comma in a quoted string and with weights of three digits.
# Found: Werkzeug and WebOb do. Litestar sends text/html to a client that accepts any text but HTML (q=0), since the
# range with the higher weight comes first. With a comma in a quoted parameter, Litestar ignores the client's
# preference, and mimeparse raises an error. mimeparse also finds nothing for a type in capitals, though types are
# case-insensitive (8.3.1).
#
# Fails if that changes. Needs Python 3.10 or later with pip and venv.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet werkzeug==3.1.9 litestar==2.25.0 webob==1.8.11 python-mimeparse==2.0.0
cat >run.py <<'PY'
import mimeparse
from litestar.datastructures.headers import Accept
from webob.acceptparse import create_accept_header
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

OFFERS = ["text/html", "text/plain"]
FIELDS = [
    "text/plain;q=0.501, text/html;q=0.5",
    "text/plain, text/html;q=0",
    "text/*;q=0.5, text/html;q=0",
    'text/plain;title="a,b";q=0.1, text/html;q=0.5',
    "TEXT/PLAIN",
]
LIBRARIES = {
    "Werkzeug": lambda field: parse_accept_header(field, MIMEAccept).best_match(OFFERS),
    "Litestar": lambda field: Accept(field).best_match(OFFERS),
    "WebOb": lambda field: next(iter(create_accept_header(field).acceptable_offers(OFFERS)), [None])[0],
    "mimeparse": lambda field: mimeparse.best_match(OFFERS, field) or None,
}
for field in FIELDS:
    results = []
    for name, choose in LIBRARIES.items():
        try:
            result = choose(field)
        except Exception as error:
            result = type(error).__name__
        results.append(f"{name} {result}")
    print(f"{field}: {', '.join(results)}")
PY
python/bin/python run.py | tee out.txt
diff out.txt - <<'TEXT'
text/plain;q=0.501, text/html;q=0.5: Werkzeug text/plain, Litestar text/plain, WebOb text/plain, mimeparse text/plain
text/plain, text/html;q=0: Werkzeug text/plain, Litestar text/plain, WebOb text/plain, mimeparse text/plain
text/*;q=0.5, text/html;q=0: Werkzeug text/plain, Litestar text/html, WebOb text/plain, mimeparse text/plain
text/plain;title="a,b";q=0.1, text/html;q=0.5: Werkzeug text/html, Litestar text/plain, WebOb text/html, mimeparse MimeTypeParseException
TEXT/PLAIN: Werkzeug text/plain, Litestar text/plain, WebOb text/plain, mimeparse None
TEXT
