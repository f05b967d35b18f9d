import { connect, type Socket } from 'node:net';
import { startGateway, type Gateway } from '../testing/gateway.stage';

const MEBIBYTE = 1_048_576;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ answers: { 'issuer.nonce.issue': { c_nonce: 'a-nonce' } } });
});
afterAll(() => gateway.close());

const head = (framing: string) =>
  `POST /oidc4vci/nonce HTTP/1.1\r\nhost: wallets.example\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`;

function client(): Socket {
  return connect(Number(new URL(gateway.publicUrl).port), '127.0.0.1');
}

/** Sends all of `messages` before it reads a byte, as a proxy may, and returns what it then reads until `until`. */
async function sendThenRead(messages: readonly string[], until: RegExp): Promise<string> {
  const socket = client();
  try {
    for (const message of messages) {
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject);
        socket.write(message, (error) => (error ? reject(error) : resolve()));
      });
    }
    let text = '';
    for await (const chunk of socket) {
      text += String(chunk);
      if (until.test(text)) return text;
    }
    return text;
  } finally {
    socket.destroy();
  }
}

describe('a body that is refused while it still arrives (RFC 9112 §9.6)', () => {
  const large = 'x'.repeat(6 * MEBIBYTE);

  it.each([
    ['an announced one', [head(`content-length: ${large.length}`), large]],
    ['one in chunks', [head('transfer-encoding: chunked'), `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`]],
  ])('is read to its end, so that the client gets the refusal: %s', async (_, messages) => {
    const text = await sendThenRead(messages, /\}$/);
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).not.toMatch(/connection: close/i);
  });

  it('leaves the connection to the next request', async () => {
    const next = head('content-length: 2');
    const text = await sendThenRead([head(`content-length: ${large.length}`), large, `${next}{}`], /a-nonce/);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
  });

  it('is not read without end', async () => {
    const socket = client();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    socket.resume().write(head(`content-length: ${1024 * MEBIBYTE}`));
    let sent = 0;
    const more = (): void => {
      while (!socket.destroyed && sent < 1024) {
        sent += 1;
        if (!socket.write('x'.repeat(MEBIBYTE))) return void socket.once('drain', more);
      }
    };
    more();
    await closed;
    expect(sent).toBeLessThan(256);
  });
});
