import { gunzipSync } from 'node:zlib';
import { echoesCoded } from './_coded.ts';

// RFC 9110 8.4.1.3.
echoesCoded('/gzip', 'gzip', gunzipSync);
