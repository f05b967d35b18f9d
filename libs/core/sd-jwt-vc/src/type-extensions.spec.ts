import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { matchesIntegrity, readTypeExtensions } from './index';

const PID = 'urn:eudi:pid:1';
const NATIONAL = 'urn:eudi:pid:de:1';
const bytesOf = (document: unknown) => Buffer.from(typeof document === 'string' ? document : JSON.stringify(document));
const hashOf = (document: unknown, hash = 'sha256') =>
  `${hash}-${createHash(hash).update(bytesOf(document)).digest('base64')}`;
const read = (...documents: unknown[]) =>
  readTypeExtensions(
    documents.map((document, index) => ({ place: `typeMetadata[${index}]`, bytes: bytesOf(document) })),
  );
const pathsOf = (...documents: unknown[]) => read(...documents).faults.map(({ path }) => path);

const pid = { vct: PID, name: 'PID' };
const national = { vct: NATIONAL, extends: PID, 'extends#integrity': hashOf(pid) };

describe('EU:P2 what Type Metadata say of extends', () => {
  it('is the type above each, and the exact bytes of all', () => {
    const { parents, documents, faults } = read(pid, national);
    expect(faults).toEqual([]);
    expect(parents).toEqual(new Map([[NATIONAL, PID]]));
    expect(documents).toEqual(
      new Map([
        [PID, bytesOf(pid)],
        [NATIONAL, bytesOf(national)],
      ]),
    );
  });

  it('needs no document of the type above without a hash', () => {
    expect(read({ vct: NATIONAL, extends: PID })).toMatchObject({ parents: new Map([[NATIONAL, PID]]), faults: [] });
  });

  it.each<readonly [string, readonly unknown[], readonly string[]]>([
    ['a document that is not JSON', ['{'], ['typeMetadata[0]']],
    ['an array', [[]], ['typeMetadata[0]']],
    ['a member twice', ['{"vct":"urn:a","vct":"urn:b"}'], ['typeMetadata[0]']],
    ['no type', [{}], ['typeMetadata[0]: vct']],
    ['an empty type', [{ vct: '' }], ['typeMetadata[0]: vct']],
    ['a broken address', [{ vct: 'https://a.example/ b' }], ['typeMetadata[0]: vct']],
    ['two types above', [{ vct: NATIONAL, extends: [PID] }], ['typeMetadata[0]: extends']],
    ['one type twice', [pid, pid], ['typeMetadata[1]: vct']],
    ['a hash without the document', [national], ['typeMetadata[0]: extends#integrity']],
    ['a hash of another document', [national, { ...pid, name: 'x' }], ['typeMetadata[0]: extends#integrity']],
    ['a hash that is no text', [{ ...national, 'extends#integrity': 1 }], ['typeMetadata[0]: extends#integrity']],
    [
      'an unknown hash',
      [pid, { ...national, 'extends#integrity': 'md5-AAAA' }],
      ['typeMetadata[1]: extends#integrity'],
    ],
  ])('is refused with %s', (_what, documents, paths) => {
    expect(pathsOf(...documents)).toEqual(paths);
  });

  it('never throws, whatever the documents are', () => {
    const document = fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 3 }), fc.constant(national));
    fc.assert(
      fc.property(fc.array(document, { maxLength: 4 }), (documents) => {
        expect(Array.isArray(read(...documents).faults)).toBe(true);
      }),
    );
  });
});

describe('the integrity of a document', () => {
  it.each<readonly [string, string, boolean]>([
    ['sha256', hashOf(pid), true],
    ['sha512', hashOf(pid, 'sha512'), true],
    ['one of several of the strongest', `${hashOf('x', 'sha384')} ${hashOf(pid, 'sha384')}`, true],
    ['an option', `${hashOf(pid)}?ct=x`, true],
    ['a weaker one beside a wrong stronger one', `${hashOf(pid)} ${hashOf('x', 'sha512')}`, false],
    ['the strongest beside a wrong weaker one', `${hashOf('x')} ${hashOf(pid, 'sha512')}`, true],
    ['SHA-384 beside a wrong SHA-512', `${hashOf(pid, 'sha384')} ${hashOf('x', 'sha512')}`, false],
    ['SHA-256 beside a wrong SHA-384', `${hashOf(pid)} ${hashOf('x', 'sha384')}`, false],
    ['another document', hashOf('x'), false],
    ['nothing', '', false],
    ['base64url', hashOf(pid).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''), false],
  ])('is judged by %s', (_what, integrity, matches) => {
    expect(matchesIntegrity(integrity, bytesOf(pid))).toBe(matches);
  });
});
