import { deepStrictEqual } from 'node:assert';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { resolveClaimPath, type ClaimPath } from '@vestibule/dcql';
import type { IssuedJsonValue, JsonObject, JsonValue } from '@vestibule/foundation';
import { concealClaims, findReservedClaims, parseSdJwtVc, unpackClaims } from '@vestibule/sd-jwt-vc';
import { seededRandom } from '@vestibule/testkit';
import { keepRequestedClaims } from './requested-claims';

type Path = readonly (string | number)[];

const claims = fc
  .dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', '0'), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 5 })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject)
  .filter((value) => findReservedClaims(value).length === 0);

const coin = (seed: string) => (path: Path) =>
  (createHash('sha256')
    .update(JSON.stringify([seed, path]))
    .digest()[0] ?? 0) %
    2 ===
  0;

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A credential that shows everything; nobody signed it. */
function unpackAll(source: JsonObject, isDisclosable: (path: Path) => boolean) {
  const plan = (path: Path) => (isDisclosable(path) ? 'always' : 'never');
  const { payload, disclosures } = concealClaims(source, plan, seededRandom('salts'));
  const jwt = `${encode({ alg: 'ES256', typ: 'dc+sd-jwt' })}.${encode({ ...payload, vct: 'v' })}.AAAA`;
  return { ...unpackClaims(parseSdJwtVc([jwt, ...disclosures, ''].join('~'))), total: disclosures.length };
}

const isContainer = (value: JsonValue | undefined): value is JsonObject | JsonValue[] =>
  typeof value === 'object' && value !== null;
const keysOf = (value: JsonObject | JsonValue[]): Path =>
  Array.isArray(value) ? [...value.keys()] : Object.keys(value);
const at = (value: JsonObject | JsonValue[], key: string | number) => (value as JsonObject)[key];

/** Some way down into the claims; odd steps take every element of an array. */
function pathAlong(steps: readonly number[], source: JsonValue): ClaimPath {
  const path: (string | number | null)[] = [];
  let value: JsonValue | undefined = source;
  for (const step of steps) {
    if (!isContainer(value)) break;
    const keys = keysOf(value);
    const key = keys[step % Math.max(keys.length, 1)];
    if (key === undefined) break;
    path.push(Array.isArray(value) && step % 2 === 1 ? null : key);
    value = at(value, key);
  }
  return path;
}

/** The places that a path selects, written out. */
function placesOf(path: ClaimPath, value: JsonValue | undefined, place: Path = []): Path[] {
  const [part, ...rest] = path;
  if (part === undefined) return [place];
  if (!isContainer(value)) return [];
  const keys = part === null ? keysOf(value) : keysOf(value).filter((key) => key === part);
  return keys.flatMap((key) => placesOf(rest, at(value, key), [...place, key]));
}

const begins = (path: Path, with_: Path) => with_.every((key, index) => path[index] === key);

/** The claims as a holder would have shown them who sends only what is asked for. */
function visible(value: JsonValue, isShown: (path: Path) => boolean, place: Path = []): IssuedJsonValue {
  if (!isContainer(value)) return value;
  const shown = (key: string | number) => isShown([...place, key]);
  if (Array.isArray(value)) {
    return value.map((item, index) => (shown(index) ? visible(item, isShown, [...place, index]) : undefined));
  }
  const target = {};
  for (const name of Object.keys(value).filter(shown)) {
    const member = visible(value[name] as JsonValue, isShown, [...place, name]);
    Object.defineProperty(target, name, { value: member, writable: true, enumerable: true, configurable: true });
  }
  return target;
}

const steps = fc.array(fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 5 }), { maxLength: 4 });

describe('keepRequestedClaims', () => {
  it('leaves exactly what a wallet would have shown that sends only the disclosures it was asked for', () => {
    fc.assert(
      fc.property(claims, fc.string(), steps, (source, seed, ways) => {
        const isDisclosable = coin(seed);
        const { issued, disclosed } = unpackAll(source, isDisclosable);
        const paths = ways
          .map((way) => pathAlong(way, source))
          .filter((path) => path.length > 0 && resolveClaimPath(issued, path).length > 0);
        const places = paths.flatMap((path) => placesOf(path, source));
        const isAsked = (path: Path) => places.some((place) => begins(place, path) || begins(path, place));
        const isShown = (path: Path) => !isDisclosable(path) || isAsked(path);
        const { vct, ...kept } = keepRequestedClaims(issued, disclosed, paths).issued;
        deepStrictEqual([vct, kept], ['v', visible(source, isShown)]);
      }),
      { numRuns: 500 },
    );
  });

  it('counts every disclosure that it drops', () => {
    fc.assert(
      fc.property(claims, fc.string(), (source, seed) => {
        const { issued, disclosed, total } = unpackAll(source, coin(seed));
        expect(keepRequestedClaims(issued, disclosed, []).surplus).toBe(total);
        const everything = Object.keys(source).map((name) => [name]);
        expect(keepRequestedClaims(issued, disclosed, everything)).toEqual({ issued, surplus: 0 });
      }),
      { numRuns: 200 },
    );
  });
});
