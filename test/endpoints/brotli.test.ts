import { brotliDecompressSync } from 'node:zlib';
import { echoesCoded } from './_coded.ts';

// RFC 7932.
echoesCoded('/brotli', 'br', brotliDecompressSync);
