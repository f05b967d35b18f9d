import fc from 'fast-check';
import { VerificationFailure, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { describeWithVectors, hostileUrls, readVector } from '@vestibule/testkit';
import { parseStatusListReference, parseStatusReference } from './index';

const uri = 'https://example.com/statuslists/1';
const code = expect.objectContaining({ code: 'status_reference_malformed' });
const withList = (list: JsonValue): JsonObject => ({ status: { status_list: list } });

describe('status reference', () => {
  it('VP:O2 is the idx and the uri as they are written', () => {
    expect(parseStatusReference(withList({ idx: 0, uri }))).toEqual({ uri, idx: 0 });
    expect(parseStatusListReference({ idx: 7, uri, more: true })).toEqual({ uri, idx: 7 });
    const unusual = 'https://example.com:8443//b?x=%2f&y=/?#';
    expect(parseStatusReference(withList({ idx: 1, uri: unusual }))?.uri).toBe(unusual);
  });

  it('VP:O21 is absent when the credential has no status', () => {
    expect(parseStatusReference({})).toBeUndefined();
    expect(parseStatusReference(Object.create({ status: 1 }) as JsonObject)).toBeUndefined();
  });

  const entry = { type: 'BitstringStatusListEntry', statusListIndex: '7', statusListCredential: uri };

  it.each<[string, JsonValue]>([
    ['an entry', entry],
    ['several entries', [entry, { ...entry, statusPurpose: 'suspension' }]],
    ['an entry of several types', { type: ['a', 'b'] }],
    ['an entry among others', [null, 1, {}, entry]],
  ])('a credentialStatus with %s and no status is refused', (_, credentialStatus) => {
    const refused = expect.objectContaining({ code: 'status_mechanism_not_supported' });
    expect(() => parseStatusReference({ credentialStatus })).toThrow(refused);
    const both = { ...withList({ idx: 3, uri }), credentialStatus };
    expect(parseStatusReference(both)).toEqual({ uri, idx: 3 });
  });

  it.each<[string, JsonValue]>([
    ['a text', 'active'],
    ['null', null],
    ['an object without a type', { since: 2020 }],
    ['a list of texts', ['active']],
    ['an empty list', []],
  ])('a credentialStatus that is %s is a claim like any other', (_, credentialStatus) => {
    expect(parseStatusReference({ credentialStatus })).toBeUndefined();
  });

  it.each<[string, JsonValue]>([
    ['null', null],
    ['a string', 'status_list'],
    ['an array', []],
    ['without status_list', { foo: {} }],
    ['with a status_list that is null', { status_list: null }],
    ['with a status_list that is an array', { status_list: [0, uri] }],
  ])('VP:L12 a status that is %s is refused', (_, status) => {
    expect(() => parseStatusReference({ status })).toThrow(code);
  });

  it.each<[string, JsonValue]>([
    ['sl:sl-idx-negative', -1],
    ['sl:sl-idx-float', 0.5],
    ['sl:sl-idx-string', '0'],
    ['sl:sl-idx-missing', null],
    ['sl:sl-idx-unsafe', 2 ** 53],
    ['sl:sl-idx-boolean', true],
  ])('VP:O2 an idx that is no non-negative integer is refused (%s)', (_, idx) => {
    expect(() => parseStatusReference(withList({ idx, uri }))).toThrow(code);
  });

  it.each<[string, JsonValue]>([
    ['missing', null],
    ['empty', ''],
    ['a number', 1],
    ['relative', '/statuslists/1'],
    ['padded with white space', ` ${uri}`],
    ['broken by a new line', 'https://example.com/\nstatuslists/1'],
    ['longer than 2048 characters', `${uri}?${'a'.repeat(2048)}`],
    ...hostileUrls('example.com').map(([what, text]) => [`one with ${what}`, text] as [string, JsonValue]),
  ])('VP:O2 a uri that is %s is refused', (_, value) => {
    expect(() => parseStatusReference(withList({ idx: 0, uri: value }))).toThrow(code);
  });

  it('meets any claims with a reference or a typed error', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (status) => {
        try {
          parseStatusReference({ status: status as JsonValue });
          parseStatusReference(withList(status as JsonValue));
        } catch (error) {
          expect(error).toBeInstanceOf(VerificationFailure);
        }
      }),
    );
  });
});

describeWithVectors('the published credential of TSL §6.2', () => {
  it('VP:O2 refers to entry 0', () => {
    const jwt = readVector('verifier/token-status-list/referenced_sd_jwt.txt').split('~')[0] ?? '';
    const payload = Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8');
    expect(parseStatusReference(JSON.parse(payload) as JsonObject)).toEqual({ idx: 0, uri });
  });
});
