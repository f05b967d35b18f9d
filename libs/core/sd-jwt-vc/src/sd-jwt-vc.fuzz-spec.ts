import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { DomainError, type JsonObject } from '@vestibule/foundation';
import { parsePublicJwk, signEs256 } from '@vestibule/crypto';
import { fastestMilliseconds, seededRandom } from '@vestibule/testkit';
import { findReservedClaims, issueSdJwtVc, parseSdJwtVc, unpackClaims } from './index';
import { verifySdJwtVc } from './testing/verify-sd-jwt-vc.fixture-spec';
import { chooseDisclosures, visiblePart, type Path } from './testing/holder.fixture-spec';
import {
  bind,
  build,
  disclose,
  encodeJson,
  expectation,
  hash,
  holderJwk,
  issuer,
  NOW,
  NOW_SECONDS,
  signJws,
  toBase64url,
} from './testing/sd-jwt-builder.fixture-spec';

const confirmationKey = parsePublicJwk(holderJwk);
const policy = {
  issuerKey: issuer.publicKey,
  now: NOW,
  skewSeconds: 60,
  requireExpiry: false,
  holderBinding: { mode: 'required', expected: expectation },
} as const;
const verify = (text: string) => verifySdJwtVc(parseSdJwtVc(text), policy);

/** A coin for each path, the same for the same seed. */
const coin = (seed: string) => (path: Path) => hash(seed + JSON.stringify(path)).charCodeAt(0) % 2 === 0;

const issuable = fc
  .dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 6 })
  .map((claims) => JSON.parse(JSON.stringify(claims)) as JsonObject)
  .filter((claims) => findReservedClaims(claims).length === 0);

const issue = (claims: JsonObject, isDisclosable: (path: Path) => boolean) =>
  issueSdJwtVc({
    sign: (input) => signEs256(issuer.privateKey, input),
    x5c: ['MIIB'],
    registered: {
      iss: 'https://i.example',
      sub: 's',
      iat: NOW_SECONDS,
      exp: NOW_SECONDS + 9,
      vct: 'v',
      confirmationKey,
    },
    claims,
    disclosurePlan: (path) => (isDisclosable(path) ? 'allowed' : 'never'),
    random: seededRandom(JSON.stringify(claims)),
  });

const closeHoles = (claims: JsonObject) =>
  JSON.parse(
    JSON.stringify(claims, (_name, value: unknown) =>
      Array.isArray(value) ? value.filter((item) => item !== undefined) : value,
    ),
  ) as JsonObject;
const registeredNames = ['iss', 'sub', 'iat', 'exp', 'vct', 'cnf'];
const withoutRegistered = (claims: object) =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => !registeredNames.includes(name)));

function meetsOnlyTypedErrors(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
  }
}

describe('issue, present a part, unpack', () => {
  it('gives exactly the plain and the presented claims, whatever they are', async () => {
    await fc.assert(
      fc.asyncProperty(issuable, fc.string(), fc.string(), async (claims, planSeed, choiceSeed) => {
        const [isDisclosable, wants] = [coin(`p${planSeed}`), coin(`c${choiceSeed}`)];
        const sdJwt = parseSdJwtVc(await issue(claims, isDisclosable));
        const all = sdJwt.disclosures.map(({ encoded }) => encoded);
        const chosen = chooseDisclosures(sdJwt.payload, all, wants);
        const [jws] = sdJwt.sdHashInput.split('~');
        const unpacked = verify(bind([jws, ...chosen, ''].join('~')));
        const isVisible = (path: Path) => !isDisclosable(path) || wants(path);
        const expected = visiblePart(claims, isVisible) as JsonObject;
        deepStrictEqual(withoutRegistered(unpacked.issued), withoutRegistered(expected));
        deepStrictEqual(withoutRegistered(unpacked.claims), withoutRegistered(closeHoles(expected)));
      }),
    );
  });
});

describe('a presentation that was changed', () => {
  const name = disclose('given_name', 'Ada');
  const element = disclose('DE');
  const payload = { _sd: [name.digest], nationalities: [{ '...': element.digest }] };
  const presented = bind(build({ payload, disclosures: [name, element] }));

  it('in one character is refused, whichever it is', () => {
    expect(() => verify(presented)).not.toThrow();
    const characters = fc.constantFrom(...'ABab01-_~.= "{');
    fc.assert(
      fc.property(fc.nat({ max: presented.length - 1 }), characters, (at, character) => {
        fc.pre(presented[at] !== character);
        const changed = presented.slice(0, at) + character + presented.slice(at + 1);
        expect(() => verify(changed)).toThrow(DomainError);
      }),
      { numRuns: 500 },
    );
  });

  it('by cutting or repeating a part is refused', () => {
    const position = fc.nat({ max: presented.length });
    fc.assert(
      fc.property(position, position, (from, to) => {
        fc.pre(from !== to);
        const changed = presented.slice(0, from) + presented.slice(to);
        expect(() => verify(changed)).toThrow(DomainError);
      }),
    );
  });
});

describe("a stranger's bytes", () => {
  const parts = fc.array(fc.oneof(fc.base64String(), fc.string()), { maxLength: 6 }).map((all) => all.join('~'));

  it('meet a typed error in any shape', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), parts), (text) => {
        expect(() => parseSdJwtVc(text)).toThrow(DomainError);
      }),
    );
  });

  it('meet a typed error or are unpacked when signed and disclosed, whatever JSON they are', () => {
    const json = fc.jsonValue({ maxDepth: 5 });
    const names = fc.constantFrom('_sd', '...', '_sd_alg', 'exp', 'cnf', 'status', 'vct', 'iss', '__proto__', 'a');
    const tricky = fc.dictionary(names, fc.oneof(json, fc.array(fc.dictionary(names, json))));
    fc.assert(
      fc.property(tricky, fc.array(json), (payload, disclosures) => {
        const text = [signJws({ alg: 'ES256', typ: 'dc+sd-jwt' }, payload), ...disclosures.map(encodeJson), ''].join(
          '~',
        );
        meetsOnlyTypedErrors(() => unpackClaims(parseSdJwtVc(text)));
        meetsOnlyTypedErrors(() => verify(bind(text)));
      }),
    );
  });

  const size = 100_000;
  it.each<[string, () => string]>([
    ['tildes', () => '~'.repeat(size)],
    ['dots', () => '.'.repeat(size)],
    ['tildes after a credential', () => build() + '~'.repeat(size)],
    ['letters', () => 'A'.repeat(size)],
    ['dots at the end', () => build() + '.'.repeat(size)],
    ['one long disclosure', () => build({ disclosures: [disclose('a', 'x'.repeat(size))] })],
    ['brackets in a disclosure', () => build({ disclosures: [toBase64url('['.repeat(size))] })],
    ['brackets in the payload', () => build({ payload: '['.repeat(size) })],
    ['digests', () => build({ payload: { _sd: Array.from({ length: 2000 }, (_, at) => hash(`${at}`)) } })],
    [
      'placeholders',
      () => build({ payload: { a: Array.from({ length: 2000 }, (_, at) => ({ '...': hash(`${at}`) })) } }),
    ],
    ['members', () => build({ payload: Object.fromEntries(Array.from({ length: 9000 }, (_, at) => [`n${at}`, 1])) })],
  ])('are answered within 50 ms: 100 KB of %s', (_case, make) => {
    const text = make();
    // The best of a few runs: a busy machine is not a slow parser.
    const milliseconds = fastestMilliseconds(() => {
      meetsOnlyTypedErrors(() => unpackClaims(parseSdJwtVc(text)));
    });
    expect(milliseconds).toBeLessThan(50);
  });
});
