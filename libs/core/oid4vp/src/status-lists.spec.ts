import {
  MAX_STATUS_LISTS,
  MAX_STRANGERS_STATUS_LISTS,
  requireFewStatusLists,
  type VerifiedPresentation,
} from './index';

type Named = Pick<VerifiedPresentation, 'signedBy' | 'status'>;

const uri = (index: number) => `https://issuer.example/lists/${index}`;
const naming = (index: number, signedBy: object): Named => ({
  status: { idx: 1, uri: uri(index) },
  signedBy: signedBy as VerifiedPresentation['signedBy'],
});
const times = (count: number, make: (index: number) => Named) => Array.from({ length: count }, (_, at) => make(at));
const known = (index: number) => naming(index, { method: 'certificate', trusted: true });
const published = (index: number) => naming(index, { method: 'metadata' });
const strange = (index: number) => naming(index, { method: 'certificate', trusted: false });

describe('the status lists that an answer may name', () => {
  it.each<[string, Named[]]>([
    ['16 of known issuers', times(MAX_STATUS_LISTS, known)],
    ['16, however known', [...times(8, known), ...times(8, (index) => published(index + 8))]],
    [
      'four of strangers among them',
      [...times(12, known), ...times(MAX_STRANGERS_STATUS_LISTS, (at) => strange(at + 12))],
    ],
    ['one of 64 credentials', times(64, () => strange(1))],
    ['none', times(64, (index) => ({ signedBy: known(index).signedBy }))],
  ])('are %s', (_, presentations) => {
    expect(() => requireFewStatusLists(presentations)).not.toThrow();
  });

  it.each<[string, Named[]]>([
    ['17 of known issuers', times(MAX_STATUS_LISTS + 1, known)],
    ['17 of issuers that are known by metadata', times(MAX_STATUS_LISTS + 1, published)],
    ['five of strangers', times(MAX_STRANGERS_STATUS_LISTS + 1, strange)],
    ['17 of whomever', [...times(13, known), ...times(4, (index) => strange(index + 13))]],
    ['64 of one host, which differ in their query alone', times(64, known)],
  ])('are not %s', (_, presentations) => {
    expect(() => requireFewStatusLists(presentations)).toThrow(
      expect.objectContaining({ code: 'too_many_status_lists' }),
    );
  });
});
