import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { until } from '@vestibule/testkit';
import { createBench, type OwnBench } from './checklist-bench';
import { TYPE, type Members } from './handmade-credential';
import { startStatusHost, type StatusHost } from './status-host';

const SUBTYPE = 'urn:example:card:national';
const LIMIT = 1_048_576;
/** Where the verifier keeps copies. */
const kept = mkdtempSync(path.join(tmpdir(), 'vestibule-types-'));
let host: StatusHost;
let bench: OwnBench;
/** What the trust file has besides. */
let anchors: Members;

const bytesOf = (document: Members) => Buffer.from(JSON.stringify(document));
const integrityOf = (bytes: Uint8Array) => `sha256-${createHash('sha256').update(bytes).digest('base64')}`;

const BASE = bytesOf({ vct: TYPE, name: 'Card' });
const NATIONAL = bytesOf({
  vct: SUBTYPE,
  name: 'National card',
  extends: TYPE,
  'extends#integrity': integrityOf(BASE),
});

const serving =
  (body: Uint8Array, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);
const away: RequestListener = (_request, response) => response.destroy();

beforeAll(async () => {
  host = await startStatusHost();
  bench = await createBench({
    environment: { EGRESS_DEVELOPMENT_HOSTS: host.host, RELOAD_SECONDS: '1', TRUSTED_LISTS_FOLDER: kept },
  });
  anchors = JSON.parse(readFileSync(bench.pki.trustFile, 'utf8')) as Members;
});
afterAll(async () => {
  await bench?.stop();
  await host?.stop();
  rmSync(kept, { recursive: true, force: true });
});

const LOADED = 'a Type Metadata document was loaded';
const FAILED = 'a Type Metadata document could not be loaded or kept';
const logSince = (from: number, ...words: readonly string[]) =>
  bench.stage
    .readLog()
    .slice(from)
    .filter((line) => words.every((word) => line.includes(word))).length;

/** Writes the trust file with these documents; resolves when each has been tried, and the log has `words`. */
async function trust(documents: readonly { url: string; integrity: string }[], ...words: readonly string[]) {
  const before = bench.stage.readLog().length;
  writeFileSync(`${bench.pki.trustFile}.new`, JSON.stringify({ ...anchors, typeMetadata: documents }));
  renameSync(`${bench.pki.trustFile}.new`, bench.pki.trustFile);
  await until(() => logSince(before, LOADED) + logSince(before, FAILED) >= documents.length);
  await until(() => logSince(before, ...words) > 0);
}

let paths = 0;
/** Both documents at new addresses; the national one as the host gives it. */
const documents = (national: RequestListener, bytes: Uint8Array = NATIONAL) => {
  paths += 1;
  return [
    { url: host.at(`/national-${paths}.json`, national), integrity: integrityOf(bytes) },
    { url: host.at(`/base-${paths}.json`, serving(BASE)), integrity: integrityOf(BASE) },
  ];
};

/** How a presentation of the national card for the query of the card ends. */
async function outcome() {
  const { status, codes } = await bench.attempt({
    credential: ({ payload }) => ({ payload: { ...payload, vct: SUBTYPE } }),
  });
  return [status, ...codes];
}
const COUNTS = ['FULFILLED'];
const COUNTS_NOT = ['VERIFICATION_FAILED', 'vct_not_requested'];

describe('18.7 Type Metadata on hosts', () => {
  it('EU:P2 counts nothing until the operator names it', async () => {
    expect(await outcome()).toEqual(COUNTS_NOT);
  });

  it('EU:P2 makes a type count for the one that it extends, with the hashes that the operator and the document name', async () => {
    await trust(documents(serving(NATIONAL)), LOADED);
    expect(await outcome()).toEqual(COUNTS);
    await trust(documents(serving(gzipSync(NATIONAL), { 'content-encoding': 'gzip' })), LOADED);
    expect(await outcome()).toEqual(COUNTS);
  });

  it.each<[string, () => RequestListener, string]>([
    ['gives other bytes', () => serving(Buffer.concat([NATIONAL, Buffer.from('\n')])), 'egress_integrity'],
    ['says something else', () => serving(bytesOf({ vct: SUBTYPE, extends: TYPE })), 'egress_integrity'],
    ['gives the document of another type', () => serving(BASE), 'egress_integrity'],
    ['is away', () => away, 'egress_failed'],
    ['has nothing there', () => (_request, response) => response.writeHead(404).end(), 'egress_status'],
    ['gives too much', () => serving(Buffer.alloc(LIMIT + 1, ' ')), 'egress_too_large'],
    [
      'gives little that unpacks to too much',
      () => serving(gzipSync(Buffer.alloc(16 * LIMIT)), { 'content-encoding': 'gzip' }),
      'egress_too_large',
    ],
    [
      'sends elsewhere, to an address that is not public',
      () => (_request, response) => response.writeHead(302, { location: 'https://127.0.0.1/national.json' }).end(),
      'egress_refused_address',
    ],
    [
      'sends in circles',
      () => (request, response) => response.writeHead(307, { location: request.url }).end(),
      'egress_redirects',
    ],
  ])('EU:P2 makes nothing count where the host %s', async (_, answer, code) => {
    await trust(documents(answer()), FAILED, code);
    expect(await outcome()).toEqual(COUNTS_NOT);
  });

  it('EU:P2 makes nothing count where the extended document is another than the one that was meant', async () => {
    const wrong = bytesOf({ vct: SUBTYPE, extends: TYPE, 'extends#integrity': integrityOf(NATIONAL) });
    await trust(documents(serving(wrong), wrong), 'none of the documents counts');
    expect(await outcome()).toEqual(COUNTS_NOT);
  });

  it('begins with its copy after kill -9, while the host is away, lies, or has changed the document', async () => {
    const named = documents(serving(NATIONAL));
    const [national] = named;
    const at = new URL(national?.url ?? '').pathname;
    await trust(named, LOADED);
    expect(await outcome()).toEqual(COUNTS);
    const changed = bytesOf({ vct: SUBTYPE, name: 'Card of 2027', extends: 'urn:example:else' });
    const verifier = bench.stage.stack.process('verifier');
    for (const answer of [away, serving(changed)]) {
      host.at(at, answer);
      await verifier.kill('SIGKILL');
      await verifier.restart();
      const { body } = await bench.stage.management('GET', '/health/ready');
      expect(body).toMatchObject({ services: { verifier: { checks: { trustedLists: true } } } });
      expect(await outcome()).toEqual(COUNTS);
    }
    // The operator takes the changed document: it says now what the type extends.
    await trust([{ url: host.at(at, serving(changed)), integrity: integrityOf(changed) }], LOADED);
    expect(await outcome()).toEqual(COUNTS_NOT);
  });
});
