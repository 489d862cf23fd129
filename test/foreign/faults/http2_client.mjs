// node:http2, with a session for each transfer that is opened again once it has ended.
import http2 from 'node:http2';
import { sendAll, trailersSeen } from './transfers.mjs';

const { HTTP2_HEADER_STATUS: STATUS } = http2.constants;

await sendAll((base) => {
  let session;
  const connected = () => {
    if (session === undefined || session.destroyed || session.closed) {
      session = http2.connect(base, { rejectUnauthorized: false });
      session.on('error', () => undefined);
    }
    return session;
  };
  return {
    send: ({ path, method, fields, content, limit }, report) =>
      new Promise((resolve, reject) => {
        const current = connected();
        current.once('error', reject);
        let waits = fields.expect !== undefined;
        const head = { ':method': method, ':path': path, ...fields };
        const stream = current.request(head, { endStream: content === undefined, signal: limit });
        stream
          .on('headers', (headers) => report.seen.push(headers[STATUS]))
          .on('response', (headers) => {
            report.status = headers[STATUS];
            // Node leaves it to the program whether it sends the content after all.
            if (waits) stream.close();
          })
          .on('trailers', (headers) => report.seen.push(...trailersSeen(headers)))
          .on('data', ({ length }) => (report.received += length))
          .on('error', reject)
          .on('close', () => {
            if (stream.rstCode === 0 && report.status !== '') resolve();
            else reject({ code: 'closed', message: `code ${stream.rstCode}` });
          });
        stream.on('continue', () => {
          waits = false;
          stream.end(content);
        });
        if (!waits && content !== undefined) stream.end(content);
      }),
    close: () => session?.destroy(),
  };
});
