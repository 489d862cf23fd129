// Node's fetch, which is undici, with a pool of connections for each transfer.
import { isHttp2, sendAll } from './transfers.mjs';

// The first one sets the global dispatcher, whose class is not exported. With Node 26 the second symbol has it.
await fetch('data:,');
const symbols = [2, 1].map((version) => Symbol.for(`undici.globalDispatcher.${version}`));
const { constructor: Agent } = symbols.map((symbol) => globalThis[symbol]).find(Boolean);

await sendAll(() => {
  const dispatcher = new Agent({ allowH2: isHttp2, connect: { rejectUnauthorized: false } });
  return {
    async send({ url, method, fields: headers, content: body, limit: signal }, report) {
      const options = { method, headers, signal, body, dispatcher };
      const response = await fetch(url, options);
      report.status = response.status;
      for await (const piece of response.body ?? []) report.received += piece.length;
    },
    close: () => void dispatcher.destroy(),
  };
});
