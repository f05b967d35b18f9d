import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DomainError } from '@vestibule/foundation';
import { hostileUrls } from '@vestibule/testkit';
import { readTrustFile } from './trust-file';

const folder = mkdtempSync(path.join(tmpdir(), 'trust-file-metadata-'));
const file = path.join(folder, 'trust.json');
afterAll(() => rmSync(folder, { recursive: true }));

function read(metadataIssuers: unknown) {
  writeFileSync(file, JSON.stringify({ anchors: [], metadataIssuers }));
  return readTrustFile(file, {
    files: { read: (name) => readFileSync(name), list: () => [] },
    logger: { warn: () => undefined },
    skewSeconds: 60,
  }).metadataIssuers;
}

function faultsOf(metadataIssuers: unknown) {
  try {
    return read(metadataIssuers);
  } catch (error) {
    return error instanceof DomainError ? [error.code, ...error.faults.map((fault) => fault.path)] : error;
  }
}

describe('the issuers of a trust file that are known by their metadata', () => {
  it('VP:L8 VP:Q3 are named once: an entry without types must not stand before the one that restricts it', () => {
    const entry = { issuer: 'https://issuer.example', vcts: ['urn:example:ticket:1'] };
    const repeated = ['trust_file_invalid', 'metadataIssuers[1].issuer'];
    expect(faultsOf([entry.issuer, entry])).toEqual(repeated);
    expect(faultsOf([entry, { ...entry, vcts: ['urn:example:ticket:2'] }])).toEqual(repeated);
    expect(faultsOf([entry, entry.issuer])).toEqual(['trust_file_invalid', 'metadataIssuers[1]']);
  });

  it('VP:L8 are none unless it names some', () => {
    expect(read(undefined)).toEqual([]);
  });

  it('VP:L8 VP:L9 are named alone, or with the types that they may vouch for', () => {
    const scoped = { issuer: 'https://issuer.example/tenant', vcts: ['urn:example:ticket:1'] };
    expect(read(['https://issuer.example', scoped])).toEqual([{ issuer: 'https://issuer.example' }, scoped]);
  });

  it.each<[string, unknown]>([
    ['http', 'http://issuer.example'],
    ['a query', 'https://issuer.example/?a=b'],
    ['a fragment', 'https://issuer.example/#a'],
    ['user information', 'https://user@issuer.example'],
    ['no host', 'https://'],
    ['another spelling', 'https://ISSUER.example'],
    ['no types', { issuer: 'https://issuer.example', vcts: [] }],
    ['a number', 7],
    ...hostileUrls('issuer.example'),
    ['a type whose address has a blank', { issuer: 'https://issuer.example', vcts: ['https://types.example/a b'] }],
    ['a type with a blank behind it', { issuer: 'https://issuer.example', vcts: ['urn:example:ticket:1 '] }],
    [
      'a type whose address is not in its normal form',
      { issuer: 'https://issuer.example', vcts: ['HTTPS://A.example'] },
    ],
  ])('VP:L9 with %s are refused by their place', (_title, entry) => {
    const [code, place] = faultsOf(['https://issuer.example', entry]) as string[];
    expect(code).toBe('trust_file_invalid');
    expect(place).toMatch(/^metadataIssuers\[1\]/);
  });
});
