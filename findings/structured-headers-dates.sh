#!/usr/bin/env bash
# structured-headers 2.1.0, which supports RFC 9651: values that are read, written and read again, beside http-sf
# 1.5.0.
#
# A guess: a Date and a Display String (RFC 9651 3.3.7, 3.3.8) come back wherever a value may be, and the library can
# read every value that it writes.
# Found: a Date is read only at the end of the field. If a parameter, another member or the end of an inner list
# follows it, the whole field is refused. A Decimal that rounds to a whole number is written as `1.`, and an octet
# below 0x10 in a Display String with one digit, as `%a`; neither is valid (4.1.5, 4.1.11), and the library itself
# refuses both. So a quality of 0.9996, or a title with a line break, makes the recipient lose the whole field.
#
# Fails if that changes. Needs Node 20 or later, npm and Python 3.10 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts structured-headers@2.1.0 >>npm.log 2>&1
python3 -m venv python
python/bin/pip install --quiet http-sf==1.5.0
cat >run.mjs <<'JS'
import { DisplayString, parseItem, parseList, serializeItem, serializeList } from 'structured-headers';

const attempt = (run) => {
  try {
    return run();
  } catch ({ message }) {
    return message;
  }
};
for (const field of ['@0', '1, @0', '1;a=@0', '@0, 1', '@0;a', '(1 @0)', '%"a", 1']) {
  console.log(`read ${field} | ${attempt(() => serializeList(parseList(field)))}`);
}
for (const value of [0.9994, 0.9996, new DisplayString('a b'), new DisplayString('a\nb')]) {
  const field = serializeItem(value);
  console.log(`write ${field} | ${attempt(() => serializeItem(parseItem(field)))}`);
}
JS
cat >run.py <<'PY'
import sys

import http_sf

for line in sys.stdin:
    action, field = line.split(" | ")[0].split(" ", 1)
    try:
        http_sf.parse(field.encode(), tltype="list")
        print(f"http-sf reads {field}")
    except ValueError:
        print(f"http-sf refuses {field}")
PY
node run.mjs >fields.txt
python/bin/python run.py <fields.txt | cat fields.txt - | tee out.txt
diff out.txt - <<'TEXT'
read @0 | @0
read 1, @0 | 1, @0
read 1;a=@0 | 1;a=@0
read @0, 1 | Parse error: Expected a digit (0-9), whitespace or EOL at offset 3
read @0;a | Parse error: Expected a digit (0-9), whitespace or EOL at offset 3
read (1 @0) | Parse error: Expected a digit (0-9), whitespace or EOL at offset 6
read %"a", 1 | %"a", 1
write 0.999 | 0.999
write 1. | Parse error: Decimal cannot end on a period at offset 2
write %"a b" | %"a b"
write %"a%ab" | Parse error: Fatal error decoding UTF-8 sequence in Display String at offset 7
http-sf reads @0
http-sf reads 1, @0
http-sf reads 1;a=@0
http-sf reads @0, 1
http-sf reads @0;a
http-sf reads (1 @0)
http-sf reads %"a", 1
http-sf reads 0.999
http-sf refuses 1.
http-sf reads %"a b"
http-sf refuses %"a%ab"
TEXT
