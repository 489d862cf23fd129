#!/usr/bin/env bash
# multipart/form-data in forms that MIME allows and browsers do not write (RFC 2046 5.1.1, RFC 7578 4), as mail
# libraries produce them, read by Response.formData() of Node 20.20.2 and 24.21.0, by formidable 3.5.4, and by Python's
# python-multipart 0.0.34, which FastAPI uses.
#
# A guess: all find the field `a` with its value in each form.
# Found: Node 24 does. Node 20 requires the name to be quoted and to follow `; `, and nothing before the first boundary
# or after the last. python-multipart accepts no preamble. formidable returns a file in place of a field whose part has
# the type text/plain. A form that one server accepts is refused by the next, or its field is missing.
#
# Fails if that changes. Needs Node 20 or later, npm and Python 3.10 or later, on Linux or macOS.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
platform=$(node -p '`${process.platform}-${process.arch}`')
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts --before=2026-11-30 "node-20.20.2@npm:node-$platform@20.20.2" \
  "node-24.21.0@npm:node-$platform@24.21.0" formidable@3.5.4 >>npm.log 2>&1
python3 -m venv python
python/bin/pip install --quiet python-multipart==0.0.34
cat >write.py <<'PY'
import json


def form(before="", disposition='form-data; name="a"', field="", after="\r\n"):
    return f"{before}--edge\r\nContent-Disposition: {disposition}\r\n{field}\r\nvalue\r\n--edge--{after}"


forms = {
    "plain": form(),
    "preamble": form(before="A message in MIME format.\r\n"),
    "epilogue": form(after="\r\nThe end.\r\n"),
    "token": form(disposition="form-data; name=a"),
    "no space": form(disposition='form-data;name="a"'),
    "text/plain": form(field="Content-Type: text/plain\r\n"),
}
print(json.dumps(forms))
PY
cat >run.mjs <<'JS'
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import formidable from 'formidable';

const headers = { 'content-type': 'multipart/form-data; boundary=edge' };
const forms = JSON.parse(readFileSync('forms.json', 'utf8'));
const server = createServer(async (request, response) => {
  const [fields, files] = await formidable({ uploadDir: '.' }).parse(request);
  response.end(fields.a?.[0] ?? (files.a ? 'file' : 'none'));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;

const readers = {
  formData: (body) => new Response(body, { headers }).formData().then((form) => form.get('a'), () => 'refused'),
  formidable: async (body) => (await fetch(url, { method: 'POST', headers, body })).text(),
};
for (const name of process.argv.slice(2)) {
  const outcomes = [];
  for (const [form, body] of Object.entries(forms)) outcomes.push(`${form}: ${await readers[name](body)}`);
  console.log(`${name}, ${process.version}; ${outcomes.join('; ')}`);
}
process.exit();
JS
cat >run.py <<'PY'
import json

from python_multipart import create_form_parser
from python_multipart.exceptions import FormParserError


def read(body):
    found = []
    headers = {"Content-Type": b"multipart/form-data; boundary=edge"}
    parser = create_form_parser(headers, found.append, found.append)
    try:
        parser.write(body)
        parser.finalize()
    except FormParserError:
        return "refused"
    return found[0].value.decode()


forms = json.load(open("forms.json")).items()
print("; ".join(["python-multipart", *(f"{form}: {read(body.encode())}" for form, body in forms)]))
PY
python3 write.py >forms.json
{
  node_modules/node-20.20.2/bin/node run.mjs formData
  node_modules/node-24.21.0/bin/node run.mjs formData formidable
  python/bin/python run.py 2>python.log
} | tee out.txt
diff out.txt - <<'TEXT'
formData, v20.20.2; plain: value; preamble: refused; epilogue: refused; token: refused; no space: refused; text/plain: value
formData, v24.21.0; plain: value; preamble: value; epilogue: value; token: value; no space: value; text/plain: value
formidable, v24.21.0; plain: value; preamble: value; epilogue: value; token: value; no space: value; text/plain: file
python-multipart; plain: value; preamble: refused; epilogue: value; token: value; no space: value; text/plain: value
TEXT
