// The WebSocket of Node 22 and later, and of browsers: what it does with a URL, as an object.

/** @param {string} url of the echo */
export async function echo(url) {
  const texts = ['', 'é€😀', 'x'.repeat(100_000)];
  const bytes = new Uint8Array(512_000).map((_, at) => at % 256);
  const socket = new WebSocket(`${url}?hello`);
  socket.binaryType = 'arraybuffer';
  const received = reader(socket);
  const hello = JSON.parse(await received());
  let echoed = 0;
  for (let round = 0; round < 20; round++) {
    for (const text of texts) {
      socket.send(text);
      echoed += (await received()) === text;
    }
    socket.send(bytes);
    const copy = new Uint8Array(await received());
    echoed += copy.length === bytes.length && copy.every((byte, at) => byte === bytes[at]);
  }
  const { extensions } = socket;
  socket.close(1000, 'bye');
  const closed = await ended(socket);
  const other = new WebSocket(`${url}?close=1011&reason=x&after=1`);
  const ending = ended(other);
  await new Promise((resolve) => other.addEventListener('open', resolve));
  other.send('a');
  return { path: hello.path, echoed, extensions, closed, fault: await ending };
}

function reader(socket) {
  const waiting = [];
  const messages = [];
  let isClosed = false;
  socket.addEventListener('close', () => {
    isClosed = true;
    for (const next of waiting) next();
  });
  socket.addEventListener('message', ({ data }) => {
    const next = waiting.shift();
    if (next) next(data);
    else messages.push(data);
  });
  return () =>
    messages.length > 0 || isClosed
      ? Promise.resolve(messages.shift())
      : new Promise((resolve) => waiting.push(resolve));
}

function ended(socket) {
  return new Promise((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => resolve(`${code} ${reason}`));
  });
}
