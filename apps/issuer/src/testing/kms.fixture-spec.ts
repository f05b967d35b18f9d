import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the key management service does with a request. */
export type KmsMood = 'signs' | 'waits for all' | 'hangs' | 'fails' | 'signs with another key' | 'answers nonsense';

async function bodyOf(request: IncomingMessage): Promise<{ message: string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as { message: string };
}

/**
 * A signing service of docs/keys.md on the loopback interface: it gets a message and answers R and S, sometimes late,
 * wrongly or not at all. The moods come one after the other; the last one stays.
 */
export async function startKms(privateKey: KeyObject) {
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  let moods: KmsMood[] = ['signs'];
  let convert = (raw: Buffer): Uint8Array => raw;
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
    const key = mood === 'signs with another key' ? stranger : privateKey;
    const raw = sign('sha256', message, { key, dsaEncoding: 'ieee-p1363' });
    const signature = Buffer.from(convert(raw)).toString('base64');
    response.end(mood === 'answers nonsense' ? '{' : JSON.stringify({ signature }));
  }
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    /** How the service is configured in place of a private key. */
    describe: (limits: object = {}) => JSON.stringify({ provider: 'https', url, key: 'issuer', ...limits }),
    /** Answers something else than R and S from now on. */
    answerAs(how: (raw: Buffer) => Uint8Array) {
      convert = how;
    },
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
