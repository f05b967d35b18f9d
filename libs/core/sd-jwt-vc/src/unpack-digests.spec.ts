import { unpackClaims } from './index';
import {
  disclose,
  discloseText,
  failsWith,
  hash,
  parse,
  toBase64url,
  type Ingredients,
} from './testing/sd-jwt-builder.fixture-spec';

const unpack = (ingredients: Ingredients) => unpackClaims(parse(ingredients));
const refused = (ingredients: Ingredients, code: string) => expect(() => unpack(ingredients)).toThrow(failsWith(code));
/** A credential in which `disclosure` is referenced as an object member. */
const asMember = (disclosure: { digest: string; encoded: string }): Ingredients => ({
  payload: { _sd: [disclosure.digest] },
  disclosures: [disclosure],
});
const asElement = (disclosure: { digest: string; encoded: string }): Ingredients => ({
  payload: { list: [{ '...': disclosure.digest }] },
  disclosures: [disclosure],
});

describe('VP:K7 the hash algorithm', () => {
  it.each([
    ['sha-384', 'sha384'],
    ['sha-512', 'sha512'],
    ['sha-256', 'sha256'],
  ])('%s is accepted (sd:opt-%s)', (name, algorithm) => {
    const disclosure = discloseText('["salt","a",1]', algorithm);
    const payload = { _sd: [disclosure.digest], _sd_alg: name };
    expect(unpack({ payload, disclosures: [disclosure] }).claims['a']).toBe(1);
  });

  it.each([
    ['unknown', 'sha-999'],
    ['md5', 'md5'],
    ['sha1', 'sha-1'],
    ['truncated', 'sha-256-128'],
    ['truncated-120', 'sha-256-120'],
    ['upper-case', 'SHA-256'],
    ['node-name', 'sha256'],
    ['inherited', 'toString'],
    ['empty', ''],
    ['not-string', 256],
    ['null', null],
    ['array', ['sha-256']],
  ])('another is refused (sd:neg-sd-alg-%s)', (_case, alg) => {
    refused({ payload: { _sd_alg: alg } }, 'sd_alg_unsupported');
  });

  it('below the top level it is refused, disclosed or not (sd:neg-sd-alg-nested)', () => {
    refused({ payload: { address: { _sd_alg: 'sha-256' } } }, 'sd_alg_misplaced');
    refused({ payload: { list: [{ _sd_alg: 'sha-256' }] } }, 'sd_alg_misplaced');
    refused(asMember(disclose('address', { _sd_alg: 'sha-256' })), 'sd_alg_misplaced');
  });

  it('a digest of another algorithm than named references nothing (sd:neg-sd-alg-mismatch)', () => {
    const disclosure = disclose('a', 1);
    refused(
      { payload: { _sd: [disclosure.digest], _sd_alg: 'sha-512' }, disclosures: [disclosure] },
      'disclosure_unreferenced',
    );
  });
});

describe('VP:K8 digests are over the received text', () => {
  it.each([
    '[ "s" ,\n"family_name", "M\\u00f6bius" ]',
    '["s","family_name","Möbius"]',
    '[\n"s",\n"family_name",\n"Möbius"\n]',
  ])('however it was written (sd:pos-disclosure-whitespace-escapes)', (text) => {
    expect(unpack(asMember(discloseText(text))).claims['family_name']).toBe('Möbius');
  });
});

describe('VP:K9 the shape of a disclosure', () => {
  it('two elements for an object member are refused (sd:neg-object-disclosure-2-elements)', () => {
    refused(asMember(disclose('value')), 'disclosure_kind_wrong');
  });

  it('three elements for an array element are refused (sd:neg-array-disclosure-3-elements)', () => {
    refused(asElement(disclose('name', 'value')), 'disclosure_kind_wrong');
  });

  it.each([
    ['disclosure-4-elements', '["salt","a",1,2]'],
    ['disclosure-1-element', '["salt"]'],
    ['disclosure-empty-array', '[]'],
    ['disclosure-not-array', '{"0":"salt","1":"a","2":1,"length":3}'],
    ['disclosure-not-json', 'salt,a,1'],
    ['salt-not-string', '[1,"a",1]'],
    ['salt-null', '[null,"a",1]'],
    ['disclosure-duplicate-member', '["salt","a",{"b":1,"b":2}]'],
  ])('is refused when wrong (sd:neg-%s)', (_case, text) => {
    refused(asMember(discloseText(text)), 'disclosure_malformed');
    refused(asElement(discloseText(text)), 'disclosure_malformed');
  });

  it.each(['["salt","a","\\ud800"]', '["salt","\\ude00\\ud83d",1]', '["salt",{"a":["b\\udfff"]}]'])(
    'an unpaired surrogate is refused, which UTF-8 cannot write: %s',
    (text) => {
      refused(asMember(discloseText(text)), 'disclosure_malformed');
      refused(asElement(discloseText(text)), 'disclosure_malformed');
    },
  );

  it('malformed UTF-8 is refused (sd:neg-disclosure-not-utf8)', () => {
    const encoded = toBase64url(Buffer.concat([Buffer.from('["salt","a","'), Buffer.of(0xff), Buffer.from('"]')]));
    refused(asMember({ encoded, digest: hash(encoded) }), 'disclosure_malformed');
  });
});

describe('VP:K10 the claim name', () => {
  it.each([1, null, ['a'], { a: 1 }, true])('%j is refused (sd:neg-claim-name-not-string)', (name) => {
    refused(asMember(disclose(name, 1)), 'disclosure_malformed');
  });

  it.each(['_sd', '...', '_sd_alg'])('%s is refused (sd:neg-claim-name-reserved)', (name) => {
    refused(asMember(disclose(name, 'sha-256')), 'claim_name_reserved');
  });
});

describe('VP:K11 a claim that exists is never overwritten', () => {
  it('neither a plain one (sd:neg-claim-already-exists)', () => {
    const disclosure = disclose('given_name', 'Eve');
    const payload = { given_name: 'Ada', _sd: [disclosure.digest] };
    refused({ payload, disclosures: [disclosure] }, 'claim_name_collision');
    refused({ payload: { person: payload }, disclosures: [disclosure] }, 'claim_name_collision');
  });

  it('nor a disclosed one (sd:neg-two-disclosures-same-name)', () => {
    const [first, second] = [disclose('given_name', 'Ada'), disclose('given_name', 'Eve')];
    refused({ payload: { _sd: [first.digest, second.digest] }, disclosures: [first, second] }, 'claim_name_collision');
  });

  it('the same name elsewhere is another claim', () => {
    const [first, second] = [disclose('name', 1), disclose('name', 2)];
    const payload = { a: { _sd: [first.digest] }, b: { _sd: [second.digest] } };
    expect(unpack({ payload, disclosures: [first, second] }).claims).toMatchObject({ a: { name: 1 }, b: { name: 2 } });
  });
});

describe('VP:K12 a digest that occurs twice is refused', () => {
  const decoy = hash('decoy');
  const name = disclose('given_name', 'Ada');
  const element = disclose('DE');

  it('in one _sd (sd:neg-dup-payload)', () => {
    refused({ payload: { _sd: [name.digest, name.digest] }, disclosures: [name] }, 'digest_repeated');
  });

  it('of a claim that is not disclosed (sd:neg-dup-undisclosed)', () => {
    refused({ payload: { _sd: [name.digest, name.digest] } }, 'digest_repeated');
  });

  it('of a decoy (sd:neg-dup-decoy)', () => {
    refused({ payload: { a: { _sd: [decoy] }, b: { _sd: [decoy] } } }, 'digest_repeated');
  });

  it('at two levels (sd:neg-dup-levels)', () => {
    refused(
      { payload: { _sd: [name.digest], person: { _sd: [name.digest] } }, disclosures: [name] },
      'digest_repeated',
    );
  });

  it('in two array elements (sd:neg-dup-array)', () => {
    const payload = { list: [{ '...': element.digest }, { '...': element.digest }] };
    refused({ payload, disclosures: [element] }, 'digest_repeated');
  });

  it('in an array and in _sd (sd:neg-dup-array-and-sd)', () => {
    refused({ payload: { list: [{ '...': decoy }], _sd: [decoy] } }, 'digest_repeated');
  });

  it('in the payload and inside a disclosure (sd:neg-dup-inside-disclosure)', () => {
    const parent = disclose('person', { _sd: [decoy] });
    refused({ payload: { _sd: [parent.digest, decoy] }, disclosures: [parent] }, 'digest_repeated');
  });

  it('in two disclosures (sd:neg-dup-two-disclosures)', () => {
    const [a, b] = [disclose('a', { _sd: [decoy] }), disclose('b', [{ '...': decoy }])];
    refused({ payload: { _sd: [a.digest, b.digest] }, disclosures: [a, b] }, 'digest_repeated');
  });
});

describe('VP:K13 every disclosure is referenced once', () => {
  const [name, child] = [disclose('given_name', 'Ada'), disclose('street', 'Main St')];
  const parent = disclose('address', { _sd: [child.digest] });

  it('an unreferenced one is refused (sd:neg-unreferenced-disclosure)', () => {
    refused({ disclosures: [name] }, 'disclosure_unreferenced');
    refused({ ...asMember(name), disclosures: [name, disclose('extra', 1)] }, 'disclosure_unreferenced');
  });

  it('a child without its parent is refused (sd:neg-orphan-child)', () => {
    refused({ payload: { _sd: [parent.digest] }, disclosures: [child] }, 'disclosure_unreferenced');
  });

  it('two that reference only each other are refused (sd:neg-orphan-chain)', () => {
    refused({ disclosures: [parent, child] }, 'disclosure_unreferenced');
  });

  it('the same one twice is refused (sd:neg-duplicate-disclosure)', () => {
    refused({ payload: { _sd: [name.digest] }, disclosures: [name, name] }, 'disclosure_duplicate');
    refused({ disclosures: [name, name] }, 'disclosure_duplicate');
  });

  it('a changed one is refused (sd:neg-tampered-disclosure-value)', () => {
    const [salt] = JSON.parse(Buffer.from(name.encoded, 'base64url').toString()) as string[];
    const changed = discloseText(JSON.stringify([salt, 'given_name', 'Eve']));
    refused({ payload: { _sd: [name.digest] }, disclosures: [changed] }, 'disclosure_unreferenced');
  });
});
