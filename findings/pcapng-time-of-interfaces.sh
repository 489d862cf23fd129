#!/usr/bin/env bash
# pcapng with interfaces that have different clocks, as merged captures have: scapy 2.8.0, python-pcapng 2.1.1 and dpkt
# 1.9.8 of Python and gopacket 1.7.7 of Go read packets that were all captured 1,700,000,000.25 s after 1970, in units
# that are powers of ten and of two (if_tsresol; one of them in whole seconds) and relative to a time other than 1970
# (if_tsoffset).
#
# A guess: all four show this time for each packet, as the two options are all that the format has about it.
# Found: none does. scapy and python-pcapng ignore if_tsoffset, and show 1970. dpkt takes the clock of the first
# interface for all of them. gopacket multiplies the fraction by a rounded unit, which turns .25 into .268 at 2^-32,
# and takes seconds for microseconds. Captures of a client and a server, put side by side, appear in an order that
# never was.
#
# Fails if that changes. Needs Python 3.10 or later and Go 1.25 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet scapy==2.8.0 python-pcapng==2.1.1 dpkt==1.9.8
go mod init read >go.log 2>&1
go get github.com/gopacket/gopacket@v1.7.7 >>go.log 2>&1
cat >write.py <<'PY'
"""A section with an interface and a packet for each clock: options of the interface, and the time in its units."""
from struct import pack

SECONDS = 1_700_000_000
CLOCKS = [
    (b"", SECONDS * 10**6 + 250_000),
    (pack("<HHB3x", 9, 1, 9), SECONDS * 10**9 + 250_000_000),
    (pack("<HHB3x", 9, 1, 0), SECONDS),
    (pack("<HHB3x", 9, 1, 0x80 | 10), SECONDS * 2**10 + 2**8),
    (pack("<HHB3x", 9, 1, 0x80 | 32), SECONDS * 2**32 + 2**30),
    (pack("<HHq", 14, 8, SECONDS), 250_000),
]


def block(kind, body):
    return pack("<II", kind, len(body) + 12) + body + pack("<I", len(body) + 12)


frame = bytes(60)
content = block(0x0A0D0D0A, pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
for options, _ in CLOCKS:
    content += block(1, pack("<HHI", 1, 0, 65535) + (options + bytes(4) if options else b""))
for number, (_, time) in enumerate(CLOCKS):
    content += block(6, pack("<IIIII", number, time >> 32, time & 0xFFFFFFFF, 60, 60) + frame)
open("capture.pcapng", "wb").write(content)
PY
cat >read.py <<'PY'
import dpkt
from pcapng import FileScanner
from pcapng.blocks import EnhancedPacket
from scapy.utils import PcapNgReader

readers = {
    "scapy": lambda file: [packet.time for packet in PcapNgReader(file)],
    "python-pcapng": lambda file: [at.timestamp for at in FileScanner(file) if isinstance(at, EnhancedPacket)],
    "dpkt": lambda file: [time for time, _ in dpkt.pcapng.Reader(file)],
}
for name, read in readers.items():
    with open("capture.pcapng", "rb") as file:
        print(f"{name}: {' '.join(f'{time:.3f}' for time in read(file))}")
PY
cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"

	"github.com/gopacket/gopacket/pcapgo"
)

func main() {
	file, _ := os.Open("capture.pcapng")
	reader, err := pcapgo.NewNgReader(file, pcapgo.DefaultNgReaderOptions)
	fmt.Print("gopacket:")
	for err == nil {
		_, info, failure := reader.ReadPacketData()
		if err = failure; err == nil {
			fmt.Printf(" %d.%03d", info.Timestamp.Unix(), info.Timestamp.Nanosecond()/1e6)
		}
	}
	fmt.Println()
}
GO
go mod tidy >>go.log 2>&1
python/bin/python write.py
{ python/bin/python read.py; go run .; } | tee out.txt
diff out.txt - <<'TEXT'
scapy: 1700000000.250 1700000000.250 1700000000.000 1700000000.250 1700000000.250 0.250
python-pcapng: 1700000000.250 1700000000.250 1700000000.000 1700000000.250 1700000000.250 0.250
dpkt: 1700000000.250 1700000000250.000 1700.000 1740800.000 7301444404273.742 0.250
gopacket: 1700000000.250 1700000000.250 1700.000 1700000000.249 1700000000.268 1700000000.250
TEXT
