import {
  claims,
  digests,
  disclosing,
  firstDisclosure,
  header,
  nested,
  refusing,
  sending,
  signedPart,
  structure,
  type FaultRow,
} from './attempts';
import { joinBench, type Bench } from './checklist-bench';
import {
  decoy,
  derSignature,
  digestOf,
  disclosureOf,
  encodeJson,
  encodeText,
  FAMILY_NAME,
  placeholderOf,
  withDisclosures,
  withPayload,
} from './handmade-credential';

let bench: Bench;
beforeAll(async () => {
  bench = await joinBench();
});
afterAll(() => bench?.stop());

const refuses = refusing(() => bench);

const street = disclosureOf('street', 'Main Street');
const address = disclosureOf('address', { _sd: [digestOf(street)] });
const french = disclosureOf('FR');
const twice = decoy();
const element = (value: unknown) => ({ nationalities: [value] });
const decoded = (encoded: string) => Buffer.from(encoded, 'base64url').toString('utf8');

/** `count` disclosures, each within the one before. */
function disclosuresWithin(count: number): [string, ...string[]] {
  let all: [string, ...string[]] = [disclosureOf('deep', 'end')];
  while (all.length < count) all = [disclosureOf('deep', { _sd: [digestOf(all[0])] }), ...all];
  return all;
}

const arraysWithin = (levels: number): unknown => (levels === 0 ? 1 : [arraysWithin(levels - 1)]);

describe('an SD-JWT', () => {
  it.each<FaultRow>([
    ['VP:K1 without a tilde', { presentation: (text) => text.slice(0, text.indexOf('~')) }, 'sd_jwt_malformed'],
    ['VP:K1 with an empty disclosure', { sdJwt: (text) => `${text}~` }, 'disclosure_malformed'],
    ['VP:K1 with a padded disclosure', firstDisclosure((text) => `${text}=`), 'disclosure_malformed'],
    ['VP:K1 with white space in a disclosure', firstDisclosure((text) => `${text}\n`), 'disclosure_malformed'],
    ['VP:K1 with standard base64', firstDisclosure(() => '+/8A'), 'disclosure_malformed'],
    ['VP:K1 whose issuer JWT has two parts', signedPart(([a = '', b = '']) => [a, b]), 'issuer_jwt_malformed'],
    ['VP:K1 whose issuer JWT has four parts', signedPart((parts) => [...parts, 'AA']), 'issuer_jwt_malformed'],
    ['VP:K1 whose payload is an array', signedPart(([a = '', , c = '']) => [a, 'W10', c]), 'issuer_jwt_malformed'],
    [
      'VP:K2 that ends with a disclosure instead of a tilde',
      { binding: 'none', presentation: (text) => text.slice(0, -1) },
      'key_binding_malformed',
    ],
    [
      'VP:K2 that ends with a disclosure where no key binding is demanded',
      {
        query: { require_cryptographic_holder_binding: false },
        binding: 'none',
        presentation: (text) => text.slice(0, -1),
      },
      'key_binding_malformed',
    ],
    ['VP:K2 that ends with a tilde where key binding is demanded', { binding: 'none' }, 'key_binding_missing'],
    [
      'VP:K21 with 501 disclosures',
      disclosing(...Array.from({ length: 500 }, () => disclosureOf(decoy(), 1))),
      'sd_jwt_too_large',
    ],
    ['VP:K21 with disclosures 40 levels deep', nested(...disclosuresWithin(40)), 'nesting_too_deep'],
    ['VP:K21 with JSON 600 levels deep', claims({ deep: arraysWithin(600) }), 'issuer_jwt_malformed'],
  ])('%s is refused', refuses);
});

describe("the issuer's signature", () => {
  it.each<FaultRow>([
    ['VP:K3 with alg none', header({ alg: 'none' }), 'issuer_algorithm_not_allowed'],
    [
      'VP:K1 VP:K3 with alg none and nothing in its place',
      { ...header({ alg: 'none' }), afterwards: () => ({ signature: () => '' }) },
      'issuer_jwt_malformed',
    ],
    ['VP:K3 with alg HS256', header({ alg: 'HS256' }), 'issuer_algorithm_not_allowed'],
    ['VP:K3 with ES256 that says ES384', header({ alg: 'ES384' }), 'issuer_algorithm_not_allowed'],
    ['VP:K3 with alg in lower case', header({ alg: 'es256' }), 'issuer_algorithm_not_allowed'],
    ['VP:K3 without alg', header({ alg: undefined }), 'issuer_algorithm_not_allowed'],
    ['VP:K4 in DER', { credential: () => ({ signature: derSignature }) }, 'issuer_signature_invalid'],
    [
      'VP:K4 over a payload that was written anew',
      signedPart(([a = '', b = '', c = '']) => [a, encodeText(`${decoded(b)} `), c]),
      'issuer_signature_invalid',
    ],
    ['VP:K4 of another key', { credential: () => ({ key: bench.holder.key }) }, 'issuer_signature_invalid'],
    ['VP:K5 with an unknown critical header', header({ crit: ['x'], x: 1 }), 'issuer_critical_header'],
    ['VP:K5 with an empty list of critical headers', header({ crit: [] }), 'issuer_critical_header'],
    ['VP:K5 with b64 false', header({ crit: ['b64'], b64: false }), 'issuer_critical_header'],
    [
      'VP:K6 of a key that the header brings along',
      { credential: (right) => ({ key: bench.holder.key, header: { ...right.header, jwk: bench.holder.jwk } }) },
      'issuer_signature_invalid',
    ],
    [
      'VP:K6 of a key in the header without certificates',
      {
        credential: (right) => ({
          key: bench.holder.key,
          header: { ...right.header, x5c: undefined, jwk: bench.holder.jwk, kid: 'a' },
        }),
      },
      'x5c_missing',
    ],
  ])('%s is refused', refuses);
});

describe('the hash algorithm', () => {
  it.each<FaultRow>([
    ...['sha-1', 'SHA-256', 'sha256', 'sha-256-128', 'md5', 256, null, ['sha-256']].map((name): FaultRow => [
      `VP:K7 ${JSON.stringify(name)}`,
      claims({ _sd_alg: name }),
      'sd_alg_unsupported',
    ]),
    ['VP:K7 that is named below the top level', claims({ address: { _sd_alg: 'sha-256' } }), 'sd_alg_misplaced'],
    [
      'VP:K7 that is named within a disclosure',
      disclosing(disclosureOf('address', { _sd_alg: 'sha-256' })),
      'sd_alg_misplaced',
    ],
    ['VP:K7 that the digests were not made with', claims({ _sd_alg: 'sha-512' }), 'disclosure_unreferenced'],
    [
      'VP:K8 that was applied to the decoded disclosure',
      { credential: digests(digestOf(decoded(street))), afterwards: sending(street) },
      'disclosure_unreferenced',
    ],
    [
      'VP:K8 that was applied before the disclosure was written anew',
      firstDisclosure((text) => encodeText(decoded(text).replace(',', ', '))),
      'disclosure_unreferenced',
    ],
  ])('%s is refused', refuses);
});

describe('a disclosure', () => {
  it.each<FaultRow>([
    ['VP:K9 of a member without a name', disclosing(disclosureOf('value')), 'disclosure_kind_wrong'],
    [
      'VP:K9 of an array element with a name',
      structure(element(placeholderOf(street)), street),
      'disclosure_kind_wrong',
    ],
    ['VP:K9 with four elements', disclosing(disclosureOf('a', 'b', 'c')), 'disclosure_malformed'],
    ['VP:K9 with one element', disclosing(disclosureOf()), 'disclosure_malformed'],
    ['VP:K9 that is no array', disclosing(encodeJson({ salt: 'a' })), 'disclosure_malformed'],
    ['VP:K9 that is no JSON', disclosing(encodeText('["salt","name",')), 'disclosure_malformed'],
    ['VP:K9 whose salt is a number', disclosing(encodeJson([1, 'a', 'b'])), 'disclosure_malformed'],
    ['VP:K9 whose salt is null', disclosing(encodeJson([null, 'a', 'b'])), 'disclosure_malformed'],
    ['VP:K10 whose name is a number', disclosing(disclosureOf(1, 'b')), 'disclosure_malformed'],
    ...['_sd', '...', '_sd_alg'].map((name): FaultRow => [
      `VP:K10 of the reserved name ${name}`,
      disclosing(disclosureOf(name, [])),
      'claim_name_reserved',
    ]),
    ['VP:K11 of a claim that is there already', claims({ family_name: 'Permanent' }), 'claim_name_collision'],
    [
      'VP:K11 of a claim that another one discloses',
      disclosing(disclosureOf('family_name', 'B')),
      'claim_name_collision',
    ],
    [
      'VP:K11 of a claim that is there already, one level down',
      structure({ address: { street: 'Permanent', _sd: [digestOf(street)] } }, street),
      'claim_name_collision',
    ],
    ['VP:K13 that no digest names', { credential: sending(street) }, 'disclosure_unreferenced'],
    [
      'VP:K13 that is sent twice',
      { credential: (right) => sending(right.disclosures[0] ?? '')(right) },
      'disclosure_duplicate',
    ],
    [
      'VP:K13 VP:K14 whose parent is kept back',
      { credential: digests(digestOf(address)), afterwards: sending(street) },
      'disclosure_unreferenced',
    ],
    [
      'VP:K13 whose value was changed',
      firstDisclosure((text) => encodeText(decoded(text).replace(FAMILY_NAME, 'Other'))),
      'disclosure_unreferenced',
    ],
  ])('%s is refused', refuses);
});

describe('a digest', () => {
  it.each<FaultRow>([
    ['VP:K12 that stands twice in one list', { credential: digests(twice, twice) }, 'digest_repeated'],
    [
      'VP:K12 of a disclosure that stands twice',
      { credential: (right) => digests(digestOf(right.disclosures[0] ?? ''))(right) },
      'digest_repeated',
    ],
    [
      'VP:K12 that stands on two levels',
      { credential: digests(twice), afterwards: withPayload({ address: { _sd: [twice] } }) },
      'digest_repeated',
    ],
    ['VP:K12 that stands in two arrays', claims({ a: [{ '...': twice }], b: [{ '...': twice }] }), 'digest_repeated'],
    [
      'VP:K12 that stands in the payload and within a disclosure',
      { credential: withDisclosures(disclosureOf('address', { _sd: [twice] })), afterwards: digests(twice) },
      'digest_repeated',
    ],
    [
      'VP:K15 with a member beside it',
      structure(element({ ...placeholderOf(french), x: 1 }), french),
      'ellipsis_misused',
    ],
    ['VP:K15 that is a number', claims(element({ '...': 1 })), 'ellipsis_misused'],
    ['VP:K15 of an array element in an object', claims({ a: { '...': decoy() } }), 'ellipsis_misused'],
    ['VP:K15 of an array element at the top level', claims({ '...': decoy() }), 'ellipsis_misused'],
    ['VP:K16 in a text', claims({ address: { _sd: decoy() } }), 'digests_malformed'],
    ['VP:K16 in an object', claims({ address: { _sd: { a: decoy() } } }), 'digests_malformed'],
    ['VP:K16 that is null', claims({ address: { _sd: null } }), 'digests_malformed'],
    ['VP:K16 that is no text', { credential: digests(1) }, 'digests_malformed'],
  ])('%s is refused', refuses);
});

it('VP:Q7 each made one callback, which names the fault of the record', () => bench.expectOneCallbackEach());
