import { type Fault, type JsonObject, type JsonValue } from '@vestibule/foundation';

/** Names that mean something to SD-JWT at every level (RFC 9901 §4.1, §4.2.1). */
export const RESERVED_EVERYWHERE: readonly string[] = ['_sd', '...', '_sd_alg'];

/** Names at the top level that the issuer alone sets, or never sets (SD-JWT VC §3.2.2.2, RFC 9901 §10.1 for `jti`). */
export const RESERVED_AT_TOP: readonly string[] = [
  'iss',
  'sub',
  'iat',
  'exp',
  'nbf',
  'jti',
  'vct',
  'vct#integrity',
  'aka_vcts',
  'cnf',
  'status',
];

/** Nesting of claims that fits, together with the digests in them, into what verifiers read by default. */
const MAX_DEPTH = 31;

const PLAIN_NAME = /^[A-Za-z_][\w#-]*$/;

type Path = readonly (string | number)[];

function pathTo(parent: string, part: string | number): string {
  if (typeof part === 'string' && PLAIN_NAME.test(part)) return parent === '' ? part : `${parent}.${part}`;
  return `${parent}[${JSON.stringify(part)}]`;
}

function isReserved(name: string, depth: number): boolean {
  return RESERVED_EVERYWHERE.includes(name) || (depth === 1 && RESERVED_AT_TOP.includes(name));
}

/** `path` leads to `value` and is changed on the way: it is written out for faults only. */
function collect(value: JsonValue, path: (string | number)[], note: (path: Path, message: string) => void): void {
  if (value === null || typeof value !== 'object') return;
  const depth = path.length + 1;
  if (depth > MAX_DEPTH) return note(path, 'is nested too deep');
  const visit = (part: string | number, item: JsonValue): void => {
    path.push(part);
    if (typeof part === 'string' && isReserved(part, depth)) note(path, 'is a reserved name');
    collect(item, path, note);
    path.pop();
  };
  if (Array.isArray(value)) value.forEach((item, index) => visit(index, item));
  else for (const name of Object.keys(value)) visit(name, value[name] as JsonValue);
}

/**
 * Every place in a backend's claims that an issuer cannot accept: `_sd`, `_sd_alg` and `...` anywhere, the registered
 * claims at the top level, and nesting beyond 31. `path` is written `a.b[0]`, other names as
 * `["c d"]`. Empty when the claims can be issued.
 */
export function findReservedClaims(claims: JsonObject): Fault[] {
  const faults: Fault[] = [];
  collect(claims, [], (path, message) => faults.push({ path: path.reduce<string>(pathTo, ''), message }));
  return faults;
}
