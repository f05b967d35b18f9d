import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import workers from 'node:worker_threads';
import type { Logger } from '@vestibule/process';
import { until } from '@vestibule/testkit';
import type { CredentialRequest } from '@vestibule/vcdm';
import { createCanonicalizer, type Canonicalizer, type CanonicalizerOptions } from './canonicalizer';

const ANSWERING = `
  const { parentPort, threadId } = require('node:worker_threads');
  parentPort.on('message', ({ document: { isLast } }) => {
    if (isLast) process.exit(1);
    parentPort.postMessage({ signed: { graph: threadId } });
  });
  parentPort.postMessage('ready');`;
const lines: string[] = [];
const log = (message: string) => void lines.push(message);
const logger: Logger = { debug: log, info: log, warn: log, error: log };
const FAILED = expect.objectContaining({ code: 'canonicalizer_failed' });

let folder: string;
let threadFile: string;
const opened: Canonicalizer[] = [];
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'creation-'));
  threadFile = path.join(folder, 'thread.cjs');
  await writeFile(threadFile, ANSWERING);
});
afterEach(async () => {
  jest.restoreAllMocks();
  lines.length = 0;
  await Promise.all(opened.splice(0).map((one) => one.close()));
});
afterAll(() => rm(folder, { recursive: true }));

function open(options: Partial<CanonicalizerOptions> = {}): Canonicalizer {
  const canonicalizer = createCanonicalizer({ logger, threadFile, ...options });
  opened.push(canonicalizer);
  return canonicalizer;
}
const order = (canonicalizer: Canonicalizer, document: object = {}, tenant = 'one'): Promise<number> =>
  canonicalizer
    .canonicalizeFor(tenant)({ kind: 'credential', document } as unknown as CredentialRequest)
    .then(({ graph }) => graph as unknown as number);

/** As Node.js does where the system gives a process no more threads: it throws at once. */
function exhaust(): jest.SpyInstance {
  return jest.spyOn(workers, 'Worker').mockImplementation(() => {
    throw Object.assign(new Error('EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' });
  });
}

describe('where the system gives a process no threads', () => {
  it('the start fails, each document fails at once, and the service is ready again when there is one', async () => {
    const system = exhaust();
    const canonicalizer = open();
    await expect(canonicalizer.start()).rejects.toThrow(FAILED);
    await expect(order(canonicalizer)).rejects.toThrow(FAILED);
    expect(await canonicalizer.isReady()).toBe(false);
    system.mockRestore();
    expect(await canonicalizer.isReady()).toBe(true);
    expect(await order(canonicalizer)).toBeGreaterThan(0);
    expect(new Set(lines)).toEqual(new Set(['a thread could not be created']));
  });

  it('the one that a tenant has goes on, and takes what waits for another', async () => {
    const canonicalizer = open({ waitMilliseconds: 60_000 });
    await canonicalizer.start();
    exhaust();
    const threads = await Promise.all([order(canonicalizer), order(canonicalizer, {}, 'other')]);
    expect(new Set(threads).size).toBe(1);
    expect(await canonicalizer.isReady()).toBe(true);
  });

  it('the end of the last thread ends its document, not the process', async () => {
    const canonicalizer = open({ waitMilliseconds: 60_000 });
    await canonicalizer.start();
    exhaust();
    const [last, next] = [order(canonicalizer, { isLast: true }), order(canonicalizer)];
    await expect(last).rejects.toThrow(FAILED);
    await expect(next).rejects.toThrow(FAILED);
    expect(await canonicalizer.isReady()).toBe(false);
  });
});

describe('a document that is being read while the process stands still', () => {
  /** Timers come first after it, and then what the thread has said meanwhile. */
  const stall = (milliseconds: number) =>
    setImmediate(() => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds));

  it('is not refused for the time that was lost, nor is the next one of the same call', async () => {
    const canonicalizer = open({ milliseconds: 500, callMilliseconds: 1_500 });
    await canonicalizer.start();
    const canonicalize = canonicalizer.canonicalizeFor('one');
    const read = canonicalize({ kind: 'credential', document: {} } as unknown as CredentialRequest);
    stall(2_000);
    expect(await read).toEqual({ graph: expect.any(Number) });
    const next = canonicalize({ kind: 'credential', document: {} } as unknown as CredentialRequest);
    expect(await next).toEqual(await read);
  });

  it('is refused if it takes too long all the same, however often the process stands still', async () => {
    const silent = path.join(folder, 'silent.cjs');
    await writeFile(silent, `require('node:worker_threads').parentPort.on('message', () => {}).postMessage('ready');`);
    const canonicalizer = open({ milliseconds: 100, threadFile: silent });
    await canonicalizer.start();
    let stalls = 0;
    const lag = () => {
      stalls += 1;
      stall(500);
      if (stalls < 8) setImmediate(lag);
    };
    lag();
    await expect(order(canonicalizer)).rejects.toThrow(expect.objectContaining({ code: 'vc_too_complex' }));
    expect(stalls).toBeLessThan(8);
  });
});

describe('the last thread that has had a document', () => {
  it('stays longer than one that has had none', async () => {
    const [begun, ready] = [path.join(folder, 'begun'), path.join(folder, 'ready')];
    const late = path.join(folder, 'late.cjs');
    const wait = `const { existsSync, writeFileSync } = require('node:fs');
      if (existsSync('${begun}')) while (!existsSync('${ready}'));
      writeFileSync('${begun}', '');`;
    await writeFile(late, wait + ANSWERING);
    const ended: number[] = [];
    const end = Reflect.get(workers.Worker.prototype, 'terminate') as () => Promise<number>;
    jest.spyOn(workers.Worker.prototype, 'terminate').mockImplementation(function (this: workers.Worker) {
      ended.push(this.threadId);
      return end.call(this);
    });
    const pace = { restMilliseconds: 50, lastRestMilliseconds: 60_000, waitMilliseconds: 60_000 };
    const canonicalizer = open({ ...pace, threadFile: late });
    const first = await order(canonicalizer);
    // Another one is started for the second document, which the first one takes when it is done.
    const both = await Promise.all([order(canonicalizer), order(canonicalizer)]);
    expect(both).toEqual([first, first]);
    await writeFile(ready, '');
    await until(() => ended.length > 0);
    expect(ended).not.toContain(first);
    expect(await order(canonicalizer)).toBe(first);
  });
});
