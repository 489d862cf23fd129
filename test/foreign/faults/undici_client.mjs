// undici's `request`, of the package in FOREIGN_MODULES.
import { createRequire } from 'node:module';
import { isHttp2, sendAll, trailersSeen } from './transfers.mjs';

const { Agent, request } = createRequire(process.env.FOREIGN_MODULES)('undici');

await sendAll(() => {
  const dispatcher = new Agent({ allowH2: isHttp2, connect: { rejectUnauthorized: false } });
  return {
    async send({ url, method, fields: headers, content: body, limit: signal }, report) {
      const onInfo = ({ statusCode }) => report.seen.push(statusCode);
      const options = { method, headers, body, signal, dispatcher, onInfo };
      const response = await request(url, options);
      report.status = response.statusCode;
      for await (const piece of response.body) report.received += piece.length;
      report.seen.push(...trailersSeen(response.trailers));
    },
    close: () => void dispatcher.destroy(),
  };
});
