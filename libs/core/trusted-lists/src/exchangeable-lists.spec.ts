import type { Certificate } from '@vestibule/x509-trust';
import { exchangeableLists, keyOfList, type ListAmongOthers } from './exchangeable-lists';
import type { ListProfile } from './list-profile';

const certificate = (fingerprint: string, isCa = false) => ({ fingerprint, isCa }) as Certificate;
const TYPE = 'https://scheme.example/list';
const profileOf = (type: string) => ({ type }) as ListProfile;
const item = {
  url: 'https://lists.example/1',
  type: TYPE,
  services: { issuing: ['credential' as const] },
  statuses: ['granted'],
  operator: 'Scheme',
  schemeName: 'PID',
};

describe('two uses of a list', () => {
  const key = keyOfList(item, [certificate('a')]);

  it('are one list where all that it is verified by is the same', () => {
    expect(keyOfList({ ...item }, [certificate('a')])).toBe(key);
  });

  it.each<[string, Partial<typeof item> | { readonly services: { issuing: [] } }]>([
    ['address', { url: 'https://lists.example/2' }],
    ['type', { type: 'https://scheme.example/other' }],
    ['services', { services: { issuing: [] } }],
    ['statuses', { statuses: [] }],
    ['operator', { operator: 'Other' }],
  ])('are two lists where the %s is another', (_what, change) => {
    expect(keyOfList({ ...item, ...change }, [certificate('a')])).not.toBe(key);
  });

  it('are two lists where the scheme or a signer is another', () => {
    const others = [
      keyOfList({ ...item, schemeName: 'Other' }, [certificate('a')]),
      keyOfList({ ...item, schemeName: undefined }, [certificate('a')]),
      keyOfList(item, [certificate('b')]),
      keyOfList(item, [certificate('a'), certificate('b')]),
    ];
    expect(new Set([key, ...others]).size).toBe(5);
  });
});

describe('lists that a host could exchange', () => {
  const list = (id: string, change: Partial<ListAmongOthers> = {}): ListAmongOthers => ({
    id,
    key: id,
    trustedFor: id,
    url: `https://lists.example/${id}`,
    profile: profileOf(TYPE),
    signers: [certificate('a')],
    ...change,
  });
  const found = (one: Partial<ListAmongOthers>, other: Partial<ListAmongOthers>) =>
    exchangeableLists([list('1', one), list('2', other)]);
  const authority = { signers: [certificate('ca', true)] };

  it.each<[string, Partial<ListAmongOthers>, Partial<ListAmongOthers>]>([
    ['one signer', {}, {}],
    ['one signer of several', { signers: [certificate('a'), certificate('b')] }, {}],
    ['one signer of several on the other side', {}, { signers: [certificate('b'), certificate('a')] }],
    ['one signer and two names for its operator', { operator: 'A' }, { operator: 'B' }],
    ['an operator that one authority certified', { ...authority, operator: 'A' }, { ...authority, operator: 'A' }],
    ['one name of the scheme', { schemeName: 'A' }, { schemeName: 'A' }],
    ['a name of the scheme on one side alone', { schemeName: 'A' }, {}],
    ['a name of the scheme on the other side alone', {}, { schemeName: 'A' }],
  ])('have %s', (_what, one, other) => {
    expect(found(one, other)).toEqual(['1', '2']);
  });

  it.each<[string, Partial<ListAmongOthers>, Partial<ListAmongOthers>]>([
    ['the same list', { key: 'same' }, { key: 'same' }],
    ['trusted for the same', { trustedFor: 'same' }, { trustedFor: 'same' }],
    ['signed by different certificates', {}, { signers: [certificate('b')] }],
    ['by operators that one authority certified', { ...authority, operator: 'A' }, { ...authority, operator: 'B' }],
    ['of different types', {}, { profile: profileOf('https://scheme.example/other') }],
    ['of different schemes', { schemeName: 'A' }, { schemeName: 'B' }],
  ])('are not those that are %s', (_what, one, other) => {
    expect(found(one, other)).toEqual([]);
  });
});
