// axios of the package in FOREIGN_MODULES, with its adapter for node:http.
import http from 'node:http';
import https from 'node:https';
import { createRequire } from 'node:module';
import { isHttp2, sendAll } from './transfers.mjs';

const axios = createRequire(process.env.FOREIGN_MODULES)('axios');

let opened = 0;

await sendAll(() => {
  // Sessions of HTTP/2 are shared by all requests with the same options.
  const http2Options = { rejectUnauthorized: false, transfer: ++opened };
  const httpAgent = new http.Agent({ keepAlive: true });
  const httpsAgent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });
  return {
    async send({ url, method, fields: headers, content: data, limit: signal }, report) {
      const response = await axios.request({
        url,
        method,
        headers,
        data,
        signal,
        httpAgent,
        httpsAgent,
        ...(isHttp2 && { httpVersion: 2, http2Options }),
        responseType: 'stream',
        validateStatus: () => true,
      });
      report.status = response.status;
      for await (const piece of response.data) report.received += piece.length;
    },
    close() {
      httpAgent.destroy();
      httpsAgent.destroy();
    },
  };
});
