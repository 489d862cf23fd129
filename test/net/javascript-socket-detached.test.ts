import { expect, onTestFinished, test } from 'vitest';
import { JavaScriptSocket } from '../../src/net/javascript-socket.ts';
import { socketPair } from './_sockets.ts';

test('what is written together after detach() is dropped', async () => {
  const [client, inner] = await socketPair();
  onTestFinished(() => {
    client.destroy();
    inner.destroy();
  });
  const socket = new JavaScriptSocket(inner);
  socket.detach();
  socket.cork();
  socket.write('one ');
  const written = new Promise((resolve) => {
    socket.write('two', resolve);
  });
  socket.uncork();
  await written;
  expect(inner.bytesWritten).toBe(0);
});
