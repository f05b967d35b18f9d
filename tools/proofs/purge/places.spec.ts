import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { addresses } from './places';

/** A server that keeps connections, and closes them soon after an answer; in a thread, so that this one can be busy. */
const SERVER = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:net').createServer((socket) => socket.on('error', () => undefined).on('data', () => {
    socket.write('HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\nKeep-Alive: timeout=5\\r\\n\\r\\nmore');
    setTimeout(() => socket.destroy(), 50);
  }));
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

function stayBusy(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

it('what a process returns is read although the search before took longer than its connections are kept', async () => {
  const worker = new Worker(SERVER, { eval: true });
  try {
    const port = await new Promise<number>((resolve) => worker.once('message', resolve));
    const place = addresses('metrics', [`http://127.0.0.1:${port}/metrics`]);
    for (let look = 0; look < 4; look += 1) {
      const [specimen] = await place.read();
      expect(String(specimen?.bytes)).toBe('more');
      await setTimeout(10);
      stayBusy(300);
    }
  } finally {
    await worker.terminate();
  }
});
