import { inflateSync } from 'node:zlib';
import { echoesCoded } from './_coded.ts';

// RFC 9110 8.4.1.2: the zlib format.
echoesCoded('/deflate', 'deflate', inflateSync);
