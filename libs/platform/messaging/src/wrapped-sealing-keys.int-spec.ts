import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSealer, sealingKeyMark } from '@vestibule/crypto';
import { createTestDatabase, type TestDatabase } from '@vestibule/dev-stack';
import { createDatabase, type Database } from '@vestibule/persistence';
import { createLogger } from '@vestibule/process';
import { createProcesses, randomNoun } from './testing/service-process.fixture-spec';

jest.setTimeout(180_000);

// eslint-disable-next-line no-restricted-properties -- the global set-up says where the test broker is
const natsUrl = process.env['TEST_NATS_URL'] ?? '';
const processes = createProcesses(randomNoun());
const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-wrapped-keys-'));
const [oldKey, newKey, lyingKey] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const development = Buffer.concat([Buffer.from('development-', 'base64url'), randomBytes(23)]);
const text = (key: Buffer) => key.toString('base64url');

/** Unwraps by a table: what is wrapped is the name of a key. */
const unwrapped = new Map<string, Buffer>([
  ['old', oldKey],
  ['new', newKey],
  ['lying', lyingKey],
  ['development', development],
]);
const device = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { ciphertext } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { readonly ciphertext: string };
    const key = unwrapped.get(Buffer.from(ciphertext, 'base64').toString('utf8'));
    response.writeHead(key ? 200 : 403).end(JSON.stringify({ plaintext: key?.toString('base64') }));
  });
});

/** What stands in `SEALING_KEYS` for the key of this name. */
function wrapped(name: string, key: Buffer): string {
  const file = path.join(folder, `${name}.json`);
  const url = `http://127.0.0.1:${(device.address() as AddressInfo).port}`;
  const described = { provider: 'https', url, key: 'sealing' };
  const document = { wrapped: Buffer.from(name).toString('base64'), mark: sealingKeyMark(key), device: described };
  writeFileSync(file, JSON.stringify(document));
  return `wrapped:${file}`;
}

let testDatabase: TestDatabase;
let database: Database;
let environment: Record<string, string>;

beforeAll(async () => {
  await new Promise<void>((resolve) => device.listen(0, '127.0.0.1', resolve));
  testDatabase = await createTestDatabase();
  const logger = createLogger({ name: 'test', level: 'silent' });
  const options = { url: testDatabase.adminUrl, schema: 'probe', applicationName: 'probe', migrations: [], logger };
  database = await createDatabase(options);
  environment = { DATABASE_URL: testDatabase.urls.verifier, NATS_URL: natsUrl, GREETING: 'hello' };
});
afterAll(async () => {
  await processes.end();
  await new Promise((resolve) => device.close(resolve));
  await database.close();
  await testDatabase.drop();
  rmSync(folder, { recursive: true });
});

async function run(keys: string, command: string, more: object = {}) {
  const started = processes.start({ ...environment, SEALING_KEYS: keys, ...more }, command);
  const code = await started.exited;
  const shown = [oldKey, newKey, lyingKey, development].filter(
    (key) => started.text().includes(text(key)) || started.text().includes(key.toString('base64')),
  );
  expect(shown).toEqual([]);
  return { code, lines: started.lines(), text: started.text() };
}

const moved = (count: number) =>
  expect.objectContaining({
    msg: 'every sealed record is under the first key: the other keys can be removed',
    moved: count,
  }) as unknown;
const failed = (code: string, detail: RegExp) =>
  expect.objectContaining({
    level: 'error',
    msg: 'a sealing key cannot be unwrapped',
    error: expect.objectContaining({ code, detail: expect.stringMatching(detail) as string }) as unknown,
  }) as unknown;

describe('a store that was sealed with a raw key', () => {
  const context = 'verifier.secret.content/a';
  const opened = async (key: Buffer) => {
    const [row] = await database.query<{ content: Buffer }>('SELECT content FROM verifier.secret');
    return createSealer([key], randomBytes)
      .open(row?.content as Buffer, context)
      .toString('utf8');
  };

  it('opens under the wrapped form of it, and moves to a wrapped key', async () => {
    expect((await run(wrapped('old', oldKey), 'migrate')).code).toBe(0);
    const sealed = createSealer([oldKey], randomBytes).seal(Buffer.from('content'), context);
    await database.query('INSERT INTO verifier.secret VALUES ($1, $2)', ['a', sealed]);

    const same = await run(wrapped('old', oldKey), 'reseal');
    expect([same.code, same.lines]).toEqual([0, expect.arrayContaining([moved(0)])]);
    expect(await opened(oldKey)).toBe('content');

    const list = path.join(folder, 'list');
    writeFileSync(list, `${wrapped('new', newKey)},${wrapped('old', oldKey)}\n`);
    const rotated = await run('', 'reseal', { SEALING_KEYS_FILE: list });
    expect([rotated.code, rotated.lines]).toEqual([0, expect.arrayContaining([moved(1)])]);
    expect(await opened(newKey)).toBe('content');

    const back = await run(`${text(oldKey)},${wrapped('new', newKey)}`, 'reseal');
    expect([back.code, back.lines]).toEqual([0, expect.arrayContaining([moved(1)])]);
    expect(await opened(oldKey)).toBe('content');
  });
});

describe('a process whose sealing key cannot be had', () => {
  it.each<[string, () => string, string, RegExp]>([
    [
      'refuses',
      () => `${text(oldKey)},${wrapped('unknown', newKey)}`,
      'sealing_key_unavailable',
      /^SEALING_KEYS, key 2 \(\/.*unknown\.json\): https sealing does not unwrap it: the device answered 403$/,
    ],
    [
      'returns another key',
      () => wrapped('lying', newKey),
      'sealing_key_wrong',
      /^SEALING_KEYS, key 1 .*https sealing returned has another mark than the file says$/,
    ],
  ])('ends with 1 and says why, when its device %s', async (_what, keys, code, detail) => {
    const ended = await run(keys(), 'reseal');
    expect([ended.code, ended.lines]).toEqual([1, expect.arrayContaining([failed(code, detail)])]);
    const doctor = await run(keys(), 'doctor');
    const found = doctor.text.split('\n').filter((line) => line.includes(code));
    expect([doctor.code, found]).toEqual([1, [expect.stringContaining('docs/keys.md')]]);
  });

  it('ends with 2 when what was unwrapped is a development key, and its address is public', async () => {
    const more = { ADDRESS: 'https://service.example' };
    const ended = await run(wrapped('development', development), 'migrate', more);
    const line = expect.objectContaining({
      variable: 'SEALING_KEYS',
      reason: expect.stringMatching(/^holds a development key/) as string,
    }) as unknown;
    expect([ended.code, ended.lines]).toEqual([2, expect.arrayContaining([line])]);
  });
});
