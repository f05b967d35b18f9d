import { randomBytes, sign, type KeyObject } from 'node:crypto';
import { pack, type Disclosure, type DisclosureFrame } from '@sd-jwt/core';
import { isJsonObject, patched, type JsonObject, type Patch } from './json';
import { tampered } from './keys';
import { hasher } from './sd-jwt';

export interface ForeignCredential {
  /** All claims in plain form: `vct`, `iat`, `exp`, `cnf`, … and the user's. */
  readonly payload: JsonObject;
  /** In the notation of @sd-jwt/core: `{ _sd: ['family_name'], address: { _sd: ['street'] }, nationalities: { _sd: [0] } }`. */
  readonly disclosureFrame?: JsonObject;
  /** DER certificates for the header, leaf first; if empty, there is no `x5c`. */
  readonly x5c?: readonly Uint8Array[];
  /** Signs the credential; a P-256 key results in ES256. */
  readonly privateKey: KeyObject;
  /** Header members to change; `undefined` removes one. The signature is the same as usual, whatever `alg` says. */
  readonly header?: Patch;
  /** Changes the payload after the disclosures were extracted: repeated digests, another `_sd_alg`, decoys. */
  readonly packed?: (payload: JsonObject) => JsonObject;
  /** Changes the list of disclosures. */
  readonly disclosures?: (disclosures: readonly string[]) => readonly string[];
  /** Changes one character of the signature. */
  readonly tamperSignature?: boolean;
}

const encode = (value: JsonObject) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function packPayload({ payload, disclosureFrame }: ForeignCredential) {
  if (!disclosureFrame) return { packedClaims: payload, disclosures: [] as Disclosure[] };
  const frame = disclosureFrame as DisclosureFrame<JsonObject>;
  const salt = () => randomBytes(16).toString('base64url');
  const { packedClaims, disclosures } = await pack(payload, frame, { alg: 'sha-256', hasher }, salt);
  if (!isJsonObject(packedClaims)) throw new TypeError('a payload packs to an object');
  return { packedClaims: { ...packedClaims, _sd_alg: 'sha-256' }, disclosures };
}

/** Issues an SD-JWT VC without any other code of this project, either valid or with exactly the given fault. */
export async function issueForeignCredential(options: ForeignCredential): Promise<string> {
  const { packedClaims, disclosures } = await packPayload(options);
  const payload = options.packed?.(packedClaims) ?? packedClaims;
  const x5c = options.x5c?.map((der) => Buffer.from(der).toString('base64'));
  const header = patched({ alg: 'ES256', typ: 'dc+sd-jwt', x5c }, options.header);
  const input = `${encode(header)}.${encode(payload)}`;
  const key = { key: options.privateKey, dsaEncoding: 'ieee-p1363' } as const;
  const signature = sign('sha256', Buffer.from(input, 'ascii'), key).toString('base64url');
  const jwt = options.tamperSignature ? tampered(`${input}.${signature}`) : `${input}.${signature}`;
  const encoded = disclosures.map((disclosure) => disclosure.encode());
  return [jwt, ...(options.disclosures?.(encoded) ?? encoded), ''].join('~');
}
