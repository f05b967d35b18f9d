import { createHash } from 'node:crypto';
import { createCertificateAuthority, toPem } from '@vestibule/dev-pki';
import { until } from '@vestibule/testkit';
import { createFolder, createMemoryLogger, faultOf, type Folder } from '../../testing/key-files.fixture-spec';
import { openListedVerifier } from '../../testing/listed-verifier.fixture-spec';
import { createListHost, followingLists, type ListHost } from '../../testing/trusted-lists.fixture-spec';
import { createWorld, NOW, VCT, type World } from '../../testing/verifier.fixture-spec';
import { trackFiles } from '@vestibule/keys';
import { readTrustFile } from '../keys/trust-file';
import { createListedTrust } from './listed-trust';

const PID = 'urn:eudi:pid:1';
const NATIONAL = 'urn:eudi:pid:de:1';
const URL = 'https://types.example/pid-de.json';
const integrityOf = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`;
const BASE = JSON.stringify({ vct: PID });
const DOCUMENT = JSON.stringify({ vct: NATIONAL, extends: PID, 'extends#integrity': integrityOf(BASE) });

let world: World;
let files: Folder;
let host: ListHost;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  world = await createWorld();
});
beforeEach(() => {
  files = createFolder();
  files.write('root.pem', toPem(world.pki.root.certificate));
  files.write('pid.json', BASE);
  host = createListHost();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  files.remove();
});

const read = (typeMetadata: readonly unknown[], logger = createMemoryLogger()) => {
  const file = files.write('trust.json', JSON.stringify({ anchors: [{ file: 'root.pem' }], typeMetadata }));
  return readTrustFile(file, { files: trackFiles(), logger, skewSeconds: 60 });
};

function open(typeMetadata: readonly unknown[], folder?: string) {
  const logger = createMemoryLogger();
  const trust = read(typeMetadata, logger);
  const options = followingLists(host, folder === undefined ? {} : { folder });
  const listed = createListedTrust(() => trust, { ...options, clock: () => NOW, logger, skewSeconds: 60 });
  closing.push(() => listed.close());
  listed.follow();
  return { ...listed, logger, tried: () => until(() => listed.isTried()), subtypes: () => listed.trust().subtypes };
}

const hosted = { url: URL, integrity: integrityOf(DOCUMENT) };

describe('18.7 Type Metadata on a host', () => {
  it('EU:P2 makes a subtype once its exact bytes were fetched, with the document of the type that it extends', async () => {
    host.serve(DOCUMENT, { url: URL });
    const { tried, subtypes, trust } = open(['pid.json', hosted]);
    expect([...(subtypes() ?? [])]).toEqual([]);
    await tried();
    expect([...(subtypes() ?? [])]).toEqual([[NATIONAL, new Set([PID])]]);
    expect(Buffer.from(trust().typeDocuments?.get(NATIONAL) ?? '').toString()).toBe(DOCUMENT);
  });

  it('makes none with other bytes, and says so', async () => {
    host.serve(DOCUMENT.replace(PID, 'urn:eudi:pid:2'), { url: URL });
    const { tried, subtypes, logger } = open(['pid.json', hosted]);
    await tried();
    expect([...(subtypes() ?? [])]).toEqual([]);
    expect(logger.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        fields: expect.objectContaining({ error: expect.objectContaining({ code: 'egress_integrity' }) }),
      }),
    );
  });

  it('makes none without the document of the type that it extends', async () => {
    host.serve(DOCUMENT, { url: URL });
    const { tried, subtypes, logger } = open([hosted]);
    await tried();
    expect([...(subtypes() ?? [])]).toEqual([]);
    expect(logger.lines.some(({ message }) => message.startsWith('Type Metadata cannot be used'))).toBe(true);
  });

  it('is kept for the next start', async () => {
    host.serve(DOCUMENT, { url: URL });
    const folder = files.fileOf('kept');
    const first = open(['pid.json', hosted], folder);
    await first.tried();
    host.serve(undefined, { url: URL });
    const second = open(['pid.json', hosted], folder);
    await second.tried();
    expect([...(second.subtypes() ?? [])]).toEqual([[NATIONAL, new Set([PID])]]);
  });

  it.each<[string, (document: string) => string | undefined, readonly unknown[]]>([
    ['there', (document) => document, ['VERIFICATION_FAILED', 'untrusted_issuer']],
    ['away', () => undefined, ['PROCESSING_ERROR', 'trusted_list_unavailable']],
    ['changed', (document) => `${document} `, ['PROCESSING_ERROR', 'trusted_list_unavailable']],
  ])('VP:D7 EU:P2 that is %s lets no stranger answer for the type that it may extend', async (_, served, ending) => {
    const other = await createCertificateAuthority({ name: 'Other', now: NOW });
    files.write('other.pem', toPem(other.certificate));
    const document = JSON.stringify({ vct: NATIONAL, extends: VCT });
    host.serve(served(document), { url: URL });
    const typeMetadata = ['pid.json', { url: URL, integrity: integrityOf(document) }];
    const anchors = [{ file: 'other.pem', vcts: [NATIONAL] }];
    const surroundings = { world, files, host, begin: NOW };
    const verifier = openListedVerifier(surroundings, { anchors, typeMetadata }, {});
    closing.push(verifier.close);
    expect([verifier.isFollowing(), verifier.isTried()]).toEqual([true, false]);
    expect(verifier.trust().covered).toContainEqual({ purposes: ['credential'], missing: 'types' });
    await verifier.tried();
    expect(await verifier.outcome()).toEqual(ending);
    await verifier.change({ anchors: [...anchors, { file: 'root.pem', vcts: [VCT] }], typeMetadata });
    expect(await verifier.outcome()).toEqual(['FULFILLED', undefined]);
  });

  it('is waited for only where the trust file names one', () => {
    expect([open(['pid.json']).isFollowing(), open(['pid.json', hosted]).isFollowing()]).toEqual([false, true]);
  });

  it.each([
    ['no hash', { url: URL }],
    ['a hash of another kind', { url: URL, integrity: 'md5-AAAA' }],
    ['no URL', { integrity: hosted.integrity }],
    ['an address that is never requested', { ...hosted, url: 'http://types.example/pid-de.json' }],
    ['another scheme', { ...hosted, url: 'file:///etc/types.json' }],
  ])('is refused with %s', (_, entry) => {
    const fault = faultOf(() => read([entry]));
    expect(fault.code).toBe('trust_file_invalid');
    expect(fault.faults[0]?.path).toMatch(/^typeMetadata\[0\]/);
  });
});
