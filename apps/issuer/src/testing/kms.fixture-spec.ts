import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RemoteKey } from '../adapters/keys/issuer-key';

/** What the key management service does with a request. */
export type KmsMood = 'signs' | 'waits for all' | 'hangs' | 'fails' | 'signs with another key' | 'answers nonsense';

async function bodyOf(request: IncomingMessage): Promise<{ message: string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as { message: string };
}

/** R and S of a DER signature (RFC 3279 §2.2.3), 32 bytes each. */
export function rawOf(der: Uint8Array): Buffer {
  const integerAt = (at: number): [Buffer, number] => {
    const end = at + 2 + (der[at + 1] as number);
    return [Buffer.from(der.slice(at + 2, end)), end];
  };
  const [r, after] = integerAt(2);
  const [s] = integerAt(after);
  return Buffer.concat([r, s].map((part) => Buffer.concat([Buffer.alloc(32), part]).subarray(-32)));
}

/**
 * A key management service on the loopback interface, shaped like those of clouds and like PKCS#11 with ECDSA-SHA256: it gets
 * a message and answers a DER signature, sometimes late, wrongly or not at all. The moods come one after the other; the last one stays.
 */
export async function startKms(privateKey: KeyObject) {
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  let moods: KmsMood[] = ['signs'];
  let requests = 0;
  /** Those who wait until as many requests are there as are awaited. */
  let awaited = 0;
  let goOn: (() => void)[] = [];
  async function untilAllAreThere(): Promise<void> {
    if (requests < awaited) return new Promise((resolve) => goOn.push(resolve));
    for (const one of goOn.splice(0)) one();
  }
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests += 1;
    const mood = (moods.length > 1 ? moods.shift() : moods[0]) as KmsMood;
    const message = Buffer.from((await bodyOf(request)).message, 'base64');
    if (mood === 'hangs') return;
    if (mood === 'fails') return void response.writeHead(500).end('token=secret of the device');
    if (mood === 'waits for all') await untilAllAreThere();
    const der = sign('sha256', message, mood === 'signs with another key' ? stranger : privateKey);
    response.end(mood === 'answers nonsense' ? '{' : JSON.stringify({ signature: der.toString('base64') }));
  }
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** The adapter that a user of this service writes. */
  const remoteKey = (convert: (der: Uint8Array) => Uint8Array = rawOf): RemoteKey => ({
    publicKey: createPublicKey(privateKey),
    async sign(input, signal) {
      const message = Buffer.from(input).toString('base64');
      const response = await fetch(url, { method: 'POST', body: JSON.stringify({ message }), signal });
      if (!response.ok) throw new Error(`the service answered ${response.status}: ${await response.text()}`);
      const { signature } = (await response.json()) as { signature: string };
      return convert(Buffer.from(signature, 'base64'));
    },
  });
  return {
    remoteKey,
    be(...next: KmsMood[]) {
      moods = next;
      requests = 0;
    },
    /** Answers nobody before so many have asked. */
    waitForAll(count: number) {
      moods = ['waits for all'];
      requests = 0;
      awaited = count;
      goOn = [];
    },
    requests: () => requests,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type Kms = Awaited<ReturnType<typeof startKms>>;
