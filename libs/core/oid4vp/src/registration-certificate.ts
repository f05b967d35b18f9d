import type { ClaimPath } from '@vestibule/dcql';
import {
  decodeBase64url,
  elementsOf,
  holdsObject,
  isJsonObject,
  memberOf,
  parseJsonBytes,
  placeOf,
  refuse,
  type Fault,
  type JsonObject,
  type JsonValue,
  type Place,
} from '@vestibule/foundation';

/** Attestations of one format that a relying party registered, and the claims of them that it may ask for. */
export interface RegisteredCredential {
  readonly format: string;
  readonly vctValues: readonly string[];
  /** Undefined where all claims are registered. */
  readonly paths: readonly ClaimPath[] | undefined;
}

/** What a registration certificate says about the requests of its relying party (ETSI TS 119 475 §5.2). */
export interface RegistrationCertificate {
  /** The certificate as wallets receive it: a compact JWT. */
  readonly jwt: string;
  readonly credentials: readonly RegisteredCredential[];
  /** The registrar's name of the intended use. */
  readonly intendedUseId: string | undefined;
  readonly expiresAt: Date | undefined;
}

/** Enough for a chain of certificates and a hundred registered attestations. */
const MAX_CERTIFICATE_LENGTH = 65_536;
const MAX_CREDENTIALS = 100;
const MAX_CLAIMS = 500;
const TYPE = 'rc-wrp+jwt';

const isString = (value: unknown): value is string => typeof value === 'string' && value !== '';

function isPath(value: JsonValue | undefined): value is (string | number | null)[] {
  const isPart = (part: JsonValue) =>
    part === null || typeof part === 'string' || (Number.isSafeInteger(part) && Number(part) >= 0);
  return Array.isArray(value) && value.length > 0 && value.every(isPart);
}

/** A path as an array, or the name of a member alone. */
function readPath(claim: Place): ClaimPath {
  if (!holdsObject(claim)) return [];
  const place = memberOf(claim, 'path');
  if (isString(place.value)) return [place.value];
  if (isPath(place.value)) return place.value;
  refuse(place, 'must be the name of a claim or a claims path pointer');
  return [];
}

/** `claim` by the tables of the standard, `claims` by DCQL and the likely correction of the tables. */
function readPaths(credential: Place<JsonObject>): readonly ClaimPath[] | undefined {
  const [singular, plural] = [memberOf(credential, 'claim'), memberOf(credential, 'claims')];
  const place = singular.value === undefined ? plural : singular;
  return place.value === undefined ? undefined : elementsOf(place, { most: MAX_CLAIMS }).map(readPath);
}

/** `meta` as in DCQL, or the type alone, as in the first edition; of other formats, there is none. */
function vctValuesOf(meta: JsonValue | undefined): readonly string[] {
  const listed = isJsonObject(meta) ? (meta['vct_values'] ?? meta['vct']) : meta;
  return (Array.isArray(listed) ? listed : [listed]).filter(isString);
}

function readCredential(place: Place): RegisteredCredential {
  if (!holdsObject(place)) return { format: '', vctValues: [], paths: [] };
  const format = memberOf(place, 'format');
  if (!isString(format.value)) refuse(format, 'must be a non-empty string');
  const meta = memberOf(place, 'meta').value;
  return { format: String(format.value), vctValues: vctValuesOf(meta), paths: readPaths(place) };
}

function readExpiry(place: Place): Date | undefined {
  if (place.value === undefined) return undefined;
  const time = new Date(typeof place.value === 'number' ? place.value * 1000 : NaN);
  if (!Number.isNaN(time.getTime())) return time;
  refuse(place, 'must be a time in seconds since 1970');
  return undefined;
}

function readPart(text: string | undefined, name: string): Place {
  const bytes = text === undefined ? undefined : decodeBase64url(text);
  return placeOf(bytes && parseJsonBytes(bytes), name);
}

/** The certificate, or everything that is wrong with it. */
export type ParsedRegistrationCertificate =
  | { readonly ok: true; readonly certificate: RegistrationCertificate }
  | { readonly ok: false; readonly faults: readonly Fault[] };

const faulty = (faults: readonly Fault[]): ParsedRegistrationCertificate => ({ ok: false, faults });

function readHeader(text: string | undefined): readonly Fault[] {
  const header = readPart(text, 'header');
  if (holdsObject(header)) {
    const typ = memberOf(header, 'typ');
    if (typ.value !== TYPE) refuse(typ, `must be ${TYPE}`);
    elementsOf(memberOf(header, 'x5c'));
  }
  return header.findings.faults;
}

/**
 * Reads a registration certificate of the operator (`rc-wrp+jwt`, ETSI TS 119 475 §5.2) for what it registers. Its
 * signature and its registrar are for wallets to judge, and are not checked here. It is faulty if it is not a compact
 * JWT of this type with `x5c`, or registers no credential.
 */
export function parseRegistrationCertificate(text: string): ParsedRegistrationCertificate {
  const jwt = text.trim();
  const [header, body, signature, ...rest] = jwt.slice(0, MAX_CERTIFICATE_LENGTH + 1).split('.', 4);
  if (jwt.length > MAX_CERTIFICATE_LENGTH || !signature || rest.length > 0 || !decodeBase64url(signature))
    return faulty([{ path: '', message: `must be a compact JWT of at most ${MAX_CERTIFICATE_LENGTH} characters` }]);
  const headerFaults = readHeader(header);
  const payload = readPart(body, 'payload');
  if (!holdsObject(payload)) return faulty([...headerFaults, ...payload.findings.faults]);
  const credentials = elementsOf(memberOf(payload, 'credentials'), { least: 1, most: MAX_CREDENTIALS });
  const intendedUse = memberOf(payload, 'intended_use_id').value;
  const certificate = {
    jwt,
    credentials: credentials.map(readCredential),
    intendedUseId: isString(intendedUse) ? intendedUse : undefined,
    expiresAt: readExpiry(memberOf(payload, 'exp')),
  };
  const faults = [...headerFaults, ...payload.findings.faults];
  return faults.length > 0 ? faulty(faults) : { ok: true, certificate };
}
