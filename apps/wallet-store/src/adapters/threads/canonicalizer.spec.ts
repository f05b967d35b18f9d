import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { JsonObject, JsonValue } from '@vestibule/foundation';
import type { Logger } from '@vestibule/process';
import { canonicalize, type CredentialRequest } from '@vestibule/vcdm';
import { createCanonicalizer, type Canonicalizer, type CanonicalizerOptions } from './canonicalizer';

jest.setTimeout(120_000);

const root = path.resolve(__dirname, '../../../../..');
const lines: string[] = [];
const log = (message: string) => void lines.push(message);
const logger: Logger = { debug: log, info: log, warn: log, error: log };
const code = (expected: string) => expect.objectContaining({ code: expected });

const SUITE = { type: 'DataIntegrityProof', cryptosuite: 'ecdsa-rdfc-2019' } as const;
const request = (subject: JsonValue = { given_name: 'Ada' }): CredentialRequest => ({
  kind: 'credential',
  document: {
    '@context': ['https://www.w3.org/ns/credentials/v2', 'https://www.w3.org/ns/credentials/undefined-terms/v2'],
    type: ['VerifiableCredential'],
    issuer: 'did:example:issuer',
    credentialSubject: subject,
  },
  proof: { ...SUITE, proofPurpose: 'assertionMethod', verificationMethod: 'did:example:issuer#key' },
  contexts: new Map<string, JsonObject>(),
});

let folder: string;
const opened: Canonicalizer[] = [];
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'threads-'));
  execFileSync(process.execPath, [path.join(root, 'tools/build.cjs')]);
});
afterEach(async () => {
  lines.length = 0;
  await Promise.all(opened.splice(0).map((canonicalizer) => canonicalizer.close()));
});
afterAll(() => rm(folder, { recursive: true }));

/** The thread as it is built for production. */
const built = path.join(root, 'dist/apps/wallet-store/src/adapters/threads/canonicalization-thread.js');

function open(options: Partial<CanonicalizerOptions> = {}): Canonicalizer {
  const canonicalizer = createCanonicalizer({ logger, threadFile: built, ...options });
  opened.push(canonicalizer);
  return canonicalizer;
}

/** A thread that does what a claim of the document says: `wait` keeps it until the file is there, `milliseconds` so long. */
const OBEDIENT = `
  const { parentPort, threadId } = require('node:worker_threads');
  const { existsSync } = require('node:fs');
  parentPort.on('message', ({ document: { credentialSubject: { order, file, milliseconds } } }) => {
    if (order === 'loop') for (;;);
    if (order === 'throw') throw new Error('secret of a person');
    if (order === 'exit') process.exit(1);
    if (order === 'memory') { const all = []; for (;;) all.push(Array.from({ length: 500000 }, (_, i) => ({ i }))); }
    if (order === 'nonsense') return parentPort.postMessage({ failure: { code: 'toString', detail: 'x' } });
    if (order === 'unexpected') return parentPort.postMessage({ unexpected: 'TypeError' });
    while (order === 'wait' && !existsSync(file));
    setTimeout(() => parentPort.postMessage({ signed: { graph: threadId } }), milliseconds ?? 0);
  });
  parentPort.postMessage('ready');`;

/** How many documents one call gets done before it is refused with this code. */
async function doneUntil(refusal: string, canonicalizer: Canonicalizer, subject?: JsonValue): Promise<number> {
  const inThread = canonicalizer.canonicalizeFor('one');
  let done = 0;
  const call = async () => {
    for (; done < 100; done += 1) await inThread(request(subject));
  };
  await expect(call()).rejects.toThrow(code(refusal));
  return done;
}

async function program(text: string): Promise<string> {
  const file = path.join(folder, `${Math.random()}.cjs`);
  await writeFile(file, text);
  return file;
}
const openObedient = async (options: Partial<CanonicalizerOptions> = {}) =>
  open({ threadFile: await program(OBEDIENT), ...options });
const order = (canonicalizer: Canonicalizer, subject: JsonObject = {}, tenant = 'one'): Promise<number> =>
  canonicalizer
    .canonicalizeFor(tenant)(request(subject))
    .then(({ graph }) => graph as unknown as number);

describe('the thread that is built', () => {
  it('canonicalizes as the library does, and refuses with the same codes', async () => {
    const inThread = open().canonicalizeFor('one');
    const [own, others] = [await canonicalize(request()), await inThread(request())];
    expect({ ...others, hashes: Buffer.from(others.hashes) }).toEqual({ ...own, hashes: Buffer.from(own.hashes) });
    await expect(inThread(request({ given_name: null }))).rejects.toThrow(code('vc_member_unsigned'));
    await expect(inThread({ ...request(), document: {} })).rejects.toThrow(code('vc_term_undefined'));
  });

  it('is refused a document that keeps it too long, and is replaced', async () => {
    const pool = open({ threads: 1, milliseconds: 3_000, waitMilliseconds: 60_000 });
    const inThread = (given: CredentialRequest) => pool.canonicalizeFor('one')(given);
    const slow = { x: Array.from({ length: 2 }, () => ({ c: Array.from({ length: 2_000 }, (_, v) => ({ v })) })) };
    const endless = Array.from({ length: 200 }, (_, name) => ({
      [`n${name}`]: Array.from({ length: 2_000 }, (_x, v) => v),
    }));
    await inThread(request());
    await expect(inThread(request({ ...slow, all: endless } as JsonObject))).rejects.toThrow(code('vc_too_complex'));
    expect(lines).toEqual(['a W3C document took too long']);
    await expect(inThread(request())).resolves.toBeDefined();
  });
});

describe('a thread that ends under a document', () => {
  it.each([
    ['throw', 'canonicalizer_failed'],
    ['exit', 'canonicalizer_failed'],
    ['memory', 'vc_too_complex'],
    ['loop', 'vc_too_complex'],
  ])('by "%s" fails that document with %s; the next one gets a new thread', async (what, expected) => {
    const milliseconds = what === 'loop' ? 2_000 : 60_000;
    const canonicalizer = await openObedient({ threads: 1, milliseconds, waitMilliseconds: 60_000 });
    const before = await order(canonicalizer);
    const [bad, next] = [order(canonicalizer, { order: what }), order(canonicalizer)];
    await expect(bad).rejects.toThrow(code(expected));
    expect(await next).toBeGreaterThan(before);
    expect(lines.join()).not.toContain('secret');
  });

  it.each(['nonsense', 'unexpected'])('not, but answers %s, fails it too', async (what) => {
    const canonicalizer = await openObedient({ threads: 1 });
    await expect(order(canonicalizer, { order: what })).rejects.toThrow(code('canonicalizer_failed'));
    expect(await order(canonicalizer)).toBeGreaterThan(0);
  });
});

describe('threads', () => {
  it('are as many as were asked for, whatever comes; the rest waits its turn', async () => {
    const canonicalizer = await openObedient({ threads: 2, maxWaiting: 100, waitMilliseconds: 60_000 });
    await canonicalizer.start();
    const ids = await Promise.all(Array.from({ length: 30 }, () => order(canonicalizer, { milliseconds: 5 })));
    expect(new Set(ids).size).toBeLessThanOrEqual(2);
  });

  it('that are all busy let a bounded number of documents wait, and none of them too long', async () => {
    const patience = { milliseconds: 60_000, waitMilliseconds: 200 };
    const canonicalizer = await openObedient({ threads: 1, maxWaiting: 2, ...patience });
    await canonicalizer.start();
    const file = path.join(folder, 'go');
    const long = order(canonicalizer, { order: 'wait', file });
    const waiting = [order(canonicalizer), order(canonicalizer)];
    await expect(order(canonicalizer)).rejects.toThrow(code('canonicalizer_busy'));
    for (const one of waiting) await expect(one).rejects.toThrow(code('canonicalizer_busy'));
    await writeFile(file, '');
    expect(await long).toBe(await order(canonicalizer));
  });

  it('of one tenant are all but one, whatever it sends: another one gets its turn at once', async () => {
    const patience = { milliseconds: 60_000, waitMilliseconds: 60_000, maxWaiting: 200 };
    const canonicalizer = await openObedient(patience);
    await canonicalizer.start();
    const hostile = Array.from({ length: 100 }, () => order(canonicalizer, { order: 'loop' }, 'hostile'));
    const failures = Promise.all(hostile.map((one) => expect(one).rejects.toThrow(code('canonicalizer_failed'))));
    const thread = await order(canonicalizer, {}, 'other');
    const others = Array.from({ length: 40 }, (_, tenant) => order(canonicalizer, {}, `tenant ${tenant % 4}`));
    expect(new Set(await Promise.all(others))).toEqual(new Set([thread]));
    await canonicalizer.close();
    await failures;
  });

  it('are all used by one tenant but for the last, which is not even started for it', async () => {
    const canonicalizer = await openObedient({ waitMilliseconds: 60_000 });
    await canonicalizer.start();
    const used = new Set<unknown>();
    const send = async () => used.add(await order(canonicalizer, { milliseconds: 5 }));
    do await Promise.all(Array.from({ length: 50 }, send));
    while (used.size < 2);
    expect(used.size).toBe(2);
  });

  it('end when they have rested, but for the only one; a later document gets a new one', async () => {
    const canonicalizer = await openObedient({ restMilliseconds: 1, waitMilliseconds: 60_000 });
    await canonicalizer.start();
    const useTwo = async () => {
      const file = path.join(folder, `${Math.random()}`);
      const held = order(canonicalizer, { order: 'wait', file });
      const second = await order(canonicalizer);
      await writeFile(file, '');
      return { first: await held, second };
    };
    const before = await useTwo();
    let after = await useTwo();
    while (after.second === before.second) after = await useTwo();
    expect(after.first).toBe(before.first);
    expect(lines).toEqual([]);
  });

  it('all end in the end; the next document gets a new one', async () => {
    const canonicalizer = await openObedient({ restMilliseconds: 1, lastRestMilliseconds: 1 });
    const before = await order(canonicalizer);
    const file = path.join(folder, 'a while');
    for (let after = before; after === before; after = await order(canonicalizer)) await writeFile(file, '');
    expect(lines).toEqual([]);
  });

  it('end soon if there are no documents at all', async () => {
    const starts = path.join(folder, 'starts');
    const note = `require('node:fs').appendFileSync(${JSON.stringify(starts)}, 'x');`;
    const canonicalizer = open({ threadFile: await program(note + OBEDIENT), restMilliseconds: 1 });
    do await canonicalizer.start();
    while ((await readFile(starts, 'utf8')).length < 3);
  });

  it('are given to the tenants in turn: who comes with one document is not behind the ninety of another', async () => {
    const canonicalizer = await openObedient({ threads: 1, waitMilliseconds: 60_000, maxWaiting: 200 });
    await canonicalizer.start();
    const served: string[] = [];
    const send = (tenant: string) => order(canonicalizer, {}, tenant).then(() => void served.push(tenant));
    const all = [...Array.from({ length: 90 }, () => 'many'), 'few', 'few', 'single'].map(send);
    await Promise.all(all);
    expect(served.slice(0, 6)).toEqual(['many', 'many', 'few', 'single', 'many', 'few']);
    expect(served).toHaveLength(93);
  });

  it('have room for who waits with little: the tenant with most waiting documents gives way', async () => {
    const canonicalizer = await openObedient({ threads: 1, waitMilliseconds: 60_000, maxWaiting: 4 });
    await canonicalizer.start();
    const file = path.join(folder, 'go on');
    const long = order(canonicalizer, { order: 'wait', file }, 'many');
    const many = Array.from({ length: 4 }, () => order(canonicalizer, {}, 'many'));
    const refused = order(canonicalizer, {}, 'many');
    await expect(refused).rejects.toThrow(code('canonicalizer_busy'));
    const few = [order(canonicalizer, {}, 'few'), order(canonicalizer, {}, 'few')];
    for (const last of many.splice(2)) await expect(last).rejects.toThrow(code('canonicalizer_busy'));
    await writeFile(file, '');
    await expect(Promise.all([long, ...many, ...few])).resolves.toHaveLength(5);
  });

  it('work for one call a bounded time, however many documents it brings', async () => {
    const pool = await openObedient({ threads: 1, callMilliseconds: 400, milliseconds: 60_000 });
    await pool.start();
    expect(await doneUntil('vc_too_complex', pool, { milliseconds: 50 })).toBeLessThan(9);
    // Another call of the same tenant is another matter.
    expect(await order(pool)).toBeGreaterThan(0);
    await expect(order(pool, { order: 'loop' })).rejects.toThrow(code('vc_too_complex'));
  });

  it('are waited for by one call a bounded time, however many documents it brings', async () => {
    const pool = await openObedient({ threads: 1, waitMilliseconds: 300, milliseconds: 60_000 });
    await pool.start();
    // Another tenant always has a document that is being processed, and one that waits.
    let isOver = false;
    const hold = async () => {
      while (!isOver) await order(pool, { milliseconds: 100 }, 'other').catch(() => 0);
    };
    const held = Promise.all([hold(), hold(), hold()]);
    expect(await doneUntil('canonicalizer_busy', pool).finally(() => (isOver = true))).toBeLessThan(9);
    await held;
  });

  it('that cannot be started fail the start, and each document, without being tried for ever', async () => {
    for (const text of ['throw new Error("no")', 'process.exit(0)', 'syntax error']) {
      const canonicalizer = open({ threadFile: await program(text) });
      await expect(canonicalizer.start()).rejects.toThrow(code('canonicalizer_failed'));
      await expect(canonicalizer.canonicalizeFor('one')(request())).rejects.toThrow(code('canonicalizer_failed'));
    }
    const mute = open({ threadFile: await program('setInterval(() => {}, 1000)'), startMilliseconds: 100 });
    await expect(mute.start()).rejects.toThrow(code('canonicalizer_failed'));
  });

  it('make the service not ready while none can be started, and ready when one can, without any document', async () => {
    const repaired = path.join(folder, 'repaired');
    const needed = `if (!require('node:fs').existsSync(${JSON.stringify(repaired)})) throw new Error('no');`;
    const canonicalizer = open({ threadFile: await program(needed + OBEDIENT) });
    await expect(order(canonicalizer)).rejects.toThrow(code('canonicalizer_failed'));
    expect(await canonicalizer.isReady()).toBe(false);
    await writeFile(repaired, '');
    expect(await canonicalizer.isReady()).toBe(true);
  });

  it('end when they are closed, and with them what waits or is worked on', async () => {
    const canonicalizer = await openObedient({ threads: 1, milliseconds: 60_000, waitMilliseconds: 60_000 });
    await canonicalizer.start();
    const open = [order(canonicalizer, { order: 'loop' }), order(canonicalizer)];
    const failures = Promise.all(open.map((one) => expect(one).rejects.toThrow(code('canonicalizer_failed'))));
    await canonicalizer.close();
    await failures;
    await expect(order(canonicalizer)).rejects.toThrow(code('canonicalizer_failed'));
    await expect(canonicalizer.start()).rejects.toThrow(code('canonicalizer_failed'));
    expect(lines).toEqual([]);
  });

  it('see nothing of the environment', async () => {
    const text = `const { parentPort } = require('node:worker_threads');
      parentPort.on('message', () => parentPort.postMessage({ signed: { graph: Object.keys(process.env).length } }));
      parentPort.postMessage('ready');`;
    expect(await order(open({ threadFile: await program(text) }))).toBe(0);
  });
});
