import { sha256 } from '@vestibule/crypto';
import {
  below,
  collectFaults,
  decodeUtf8,
  DomainError,
  encodeBase64,
  isJsonObject,
  ownMember,
  parseJsonBytes,
  unreadableJsonFaults,
  urlFault,
  webNameFault,
  type Fault,
  type FaultNote,
  type JsonObject,
  type JsonValue,
} from '@vestibule/foundation';
import { parseClaimPath, type ClaimPath } from './claim-path';
import { addClaim, emptyClaimNode } from './claim-tree';
import type { ClaimDisplay, SelectiveDisclosure } from './claim-metadata';
import type { TypeDisplay } from './credential-type';
import { withLocales } from './old-locale-name';
import { NEVER_ISSUED_CLAIMS, RESERVED_CLAIMS, SD_JWT_NAMES } from './reserved-claims';
import { readClaimDisplay, readDisplay, readText, readTypeDisplay } from './type-metadata-display';

/** A Type Metadata document does not hold. `configurationId` names it; each fault has its JSON path and the reason. */
export class TypeMetadataError extends DomainError {
  constructor(
    readonly configurationId: string,
    faults: readonly Fault[],
  ) {
    super({ kind: 'invalid', code: 'type_metadata_invalid', detail: 'a Type Metadata document is not valid', faults });
  }
}

/** Where a document belongs. */
export interface TypeMetadataContext {
  /** Becomes the `credential_configuration_id`, the scope and the last segment of the address: `A-Za-z0-9._~-` only. */
  readonly configurationId: string;
  /** The address that the document is served at. */
  readonly servedAt: string;
  readonly issuerUrl: string;
}

/** One entry of a document's `claims`; what it leaves out may still be inherited. */
export interface ListedClaim {
  readonly path: ClaimPath;
  readonly mandatory: boolean | undefined;
  readonly sd: SelectiveDisclosure | undefined;
  readonly display: readonly ClaimDisplay[];
  readonly svgId: string | undefined;
}

/** One Type Metadata document on its own; what it extends is not applied yet. */
export interface TypeMetadata {
  readonly configurationId: string;
  readonly vct: string;
  /** Exactly what is served: the document as it was read, with `vct` and `locale` added where they were missing. */
  readonly bytes: Uint8Array;
  readonly integrity: string;
  readonly extended: { readonly vct: string; readonly integrity: string | undefined } | undefined;
  readonly display: readonly TypeDisplay[];
  readonly claims: readonly ListedClaim[];
}

const CONFIGURATION_ID = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,256}$/;
const URN = /^urn:[A-Za-z0-9][A-Za-z0-9-]{0,31}:[\x21-\x7E]+$/i;
const SVG_ID = /^[A-Za-z_][A-Za-z0-9_]*$/;
const SD_VALUES: readonly unknown[] = ['always', 'allowed', 'never'];
const LIMITS = { maxDepth: 32, maxLength: 1_048_576 };

function isCollisionResistant(vct: string): boolean {
  return urlFault(vct, { schemes: ['https', 'urn'] }) === undefined && (URN.test(vct) || !/^urn:/i.test(vct));
}

function readVct(document: JsonObject, context: TypeMetadataContext, note: FaultNote): string {
  const { servedAt, issuerUrl } = context;
  const vct = Object.hasOwn(document, 'vct') ? document['vct'] : servedAt;
  if (vct === servedAt) return servedAt;
  // A published schema of this installation is served at its own address, and has Type Metadata there.
  if (typeof vct === 'string' && vct.startsWith(`${issuerUrl}/schemas/`) && urlFault(vct) === undefined) return vct;
  if (typeof vct !== 'string') note('vct', 'must be a string');
  else if (vct === issuerUrl || vct.startsWith(`${issuerUrl}/`)) {
    note('vct', `must be ${servedAt}, where the document is served, or name another authority`);
  } else if (!isCollisionResistant(vct)) note('vct', 'must be an https URL or a URN');
  return typeof vct === 'string' ? vct : servedAt;
}

function pathFault(path: ClaimPath): string | undefined {
  const reserved = path.some((part) => typeof part === 'string' && SD_JWT_NAMES.has(part));
  return reserved ? 'holds a name that SD-JWT reserves' : undefined;
}

function readPath(entry: JsonObject, note: FaultNote): ClaimPath | undefined {
  const path = parseClaimPath(ownMember(entry, 'path'));
  const wrong = path ? pathFault(path) : 'must be an array of names, indexes and nulls that starts with a name';
  if (wrong !== undefined) note('path', wrong);
  return path;
}

function readMandatory(entry: JsonObject, name: unknown, note: FaultNote): boolean | undefined {
  const mandatory = ownMember(entry, 'mandatory');
  if (mandatory === undefined) return undefined;
  if (typeof mandatory !== 'boolean') note('mandatory', 'must be true or false');
  const impossible = mandatory === true && typeof name === 'string' && NEVER_ISSUED_CLAIMS.has(name);
  if (impossible) note('mandatory', 'cannot be satisfied: this issuer never issues the claim');
  return mandatory === true;
}

function readSd(entry: JsonObject, name: unknown, note: FaultNote): SelectiveDisclosure | undefined {
  const sd = ownMember(entry, 'sd');
  if (sd === undefined) return undefined;
  if (!SD_VALUES.includes(sd)) note('sd', 'must be always, allowed or never');
  const plain = sd === 'always' && typeof name === 'string' && RESERVED_CLAIMS.has(name);
  if (plain) note('sd', 'cannot be always: the claim is never in a disclosure');
  return sd as SelectiveDisclosure;
}

function readSvgId(entry: JsonObject, note: FaultNote): string | undefined {
  const svgId = readText(entry, 'svg_id', note);
  if (svgId !== undefined && !SVG_ID.test(svgId)) note('svg_id', 'must be letters, digits and _, no digit first');
  return svgId;
}

function readClaim(entry: JsonValue, note: FaultNote): ListedClaim | undefined {
  if (!isJsonObject(entry)) {
    note('', 'must be an object');
    return undefined;
  }
  const path = readPath(entry, note);
  const claim = {
    mandatory: readMandatory(entry, path?.[0], note),
    sd: readSd(entry, path?.[0], note),
    display: readDisplay(ownMember(entry, 'display'), below(note, 'display'), readClaimDisplay),
    svgId: readSvgId(entry, note),
  };
  return path && { path, ...claim };
}

/** Notes every claim whose path repeats or contradicts another, and every `svg_id` that occurs twice. */
function checkTogether(claims: readonly (ListedClaim | undefined)[], note: FaultNote): void {
  const root = emptyClaimNode();
  const svgIds = new Set<string>();
  claims.forEach((claim, index) => {
    if (!claim) return;
    const wrong = addClaim(root, { path: claim.path, mandatory: false, sd: 'allowed', display: [] });
    if (wrong !== undefined) note(`[${index}].path`, wrong);
    if (claim.svgId === undefined) return;
    if (svgIds.has(claim.svgId)) note(`[${index}].svg_id`, 'occurs twice');
    svgIds.add(claim.svgId);
  });
}

function readClaims(value: JsonValue | undefined, note: FaultNote): ListedClaim[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    note('', 'must be an array of objects with a path');
    return [];
  }
  const claims = value.map((entry, index) => readClaim(entry, below(note, `[${index}]`)));
  checkTogether(claims, note);
  return claims.filter((claim) => claim !== undefined);
}

function readExtended(document: JsonObject, note: FaultNote): TypeMetadata['extended'] {
  const vct = readText(document, 'extends', note);
  const integrity = readText(document, 'extends#integrity', note);
  const fault = vct === undefined ? undefined : webNameFault(vct);
  if (fault !== undefined) note('extends', fault);
  return vct === undefined ? undefined : { vct, integrity };
}

/** The text to serve: unknown members, order and white space stay, a missing `vct` is put in front (SD-JWT VC §6.2). */
function servedText(text: string, document: JsonObject, vct: string): string {
  if (Object.hasOwn(document, 'vct')) return text;
  const start = text.indexOf('{') + 1;
  const separator = Object.keys(document).length === 0 ? '' : ',';
  return `${text.slice(0, start)}"vct":${JSON.stringify(vct)}${separator}${text.slice(start)}`;
}

/** `vct#integrity` of a document: over the exact bytes, standard base64 with padding (SD-JWT VC §7). */
function documentIntegrity(bytes: Uint8Array): string {
  return `sha256-${encodeBase64(sha256(bytes))}`;
}

/**
 * Reads one SD-JWT VC Type Metadata document (draft 13 §6, §8, §9). A `vct` that is absent is the address that the
 * document is served at; `lang` is taken for `locale`. Unknown members are ignored and kept.
 * Throws a {@link TypeMetadataError} with every fault.
 */
export function parseTypeMetadata(bytes: Uint8Array, context: TypeMetadataContext): TypeMetadata {
  const { faults, note } = collectFaults();
  const { configurationId } = context;
  if (!CONFIGURATION_ID.test(configurationId)) note('', 'the configuration id may hold A-Za-z0-9._~- only');
  const parsed = parseJsonBytes(bytes, LIMITS);
  if (!isJsonObject(parsed)) {
    const notAnObject = { path: '', message: 'must be a JSON object in UTF-8' };
    throw new TypeMetadataError(configurationId, [...faults, ...unreadableJsonFaults(bytes, notAnObject, LIMITS)]);
  }
  const renamed = withLocales(parsed);
  const document = renamed ?? parsed;
  const text = renamed ? JSON.stringify(renamed, undefined, 2) : (decodeUtf8(bytes) as string);
  const vct = readVct(document, context, note);
  readText(document, 'name', note);
  readText(document, 'description', note);
  const metadata = {
    extended: readExtended(document, note),
    display: readDisplay(ownMember(document, 'display'), below(note, 'display'), readTypeDisplay),
    claims: readClaims(ownMember(document, 'claims'), below(note, 'claims')),
  };
  if (faults.length > 0) throw new TypeMetadataError(configurationId, faults);
  const served = Buffer.from(servedText(text, document, vct), 'utf8');
  return { configurationId, vct, bytes: served, integrity: documentIntegrity(served), ...metadata };
}
