import { createHash, createPublicKey, randomBytes, sign, type KeyObject } from 'node:crypto';
import { createPrivateKeyOf } from '@vestibule/dev-pki';

export type Members = Record<string, unknown>;

/** Makes the third part of a JWT from the first two. */
export type Signature = (input: string, key: KeyObject) => string;

/** Whoever can sign with an X.509 chain: leaf first, DER. */
export interface Identity {
  readonly chain: readonly Uint8Array[];
  readonly key: KeyObject;
}

/** Whom a credential is bound to. */
export interface Holder {
  readonly jwk: Members;
  readonly key: KeyObject;
}

export interface JwtDraft {
  readonly header: Members;
  /** A text is taken as it is: for JSON that no serializer writes. */
  readonly payload: Members | string;
  readonly key: KeyObject;
  readonly signature: Signature;
}

/** One credential before it is signed: digests and disclosures are put together by hand. */
export interface CredentialDraft extends JwtDraft {
  readonly payload: Members;
  /** What is sent with it, encoded. */
  readonly disclosures: readonly string[];
}

/** What is different from the right draft. */
export type Change<T> = (right: T) => Partial<T>;

export const TYPE = 'urn:example:card';
export const ISSUER = 'https://issuer.example';
export const FAMILY_NAME = 'Example';

export const nowSeconds = () => Math.floor(Date.now() / 1000);
export const encodeJson = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
export const encodeText = (text: string) => Buffer.from(text).toString('base64url');

/** `[salt, name, value]`, or `[salt, value]` for an array element, with a fresh salt, as an SD-JWT carries it. */
export const disclosureOf = (...content: readonly unknown[]) =>
  encodeJson([randomBytes(16).toString('base64url'), ...content]);

export const digestOf = (text: string, hash = 'sha256') => createHash(hash).update(text).digest('base64url');

/** A digest that belongs to no disclosure. */
export const decoy = () => randomBytes(32).toString('base64url');

/** The placeholder of an array element. */
export const placeholderOf = (encoded: string) => ({ '...': digestOf(encoded) });

const signed = (input: string, key: KeyObject, dsaEncoding: 'ieee-p1363' | 'der') => {
  const hash = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  return sign(hash, Buffer.from(input), { key, dsaEncoding }).toString('base64url');
};

export const rawSignature: Signature = (input, key) => signed(input, key, 'ieee-p1363');
export const derSignature: Signature = (input, key) => signed(input, key, 'der');

export function signJwt({ header, payload, key, signature }: JwtDraft): string {
  const input = `${encodeJson(header)}.${typeof payload === 'string' ? encodeText(payload) : encodeJson(payload)}`;
  return `${input}.${signature(input, key)}`;
}

export const sdJwtOf = (draft: CredentialDraft) => [signJwt(draft), ...draft.disclosures, ''].join('~');

export const x5cOf = (chain: readonly Uint8Array[]) => chain.map((der) => Buffer.from(der).toString('base64'));

export function createHolder(): Holder {
  const key = createPrivateKeyOf('P-256');
  return { key, jwk: { ...createPublicKey(key).export({ format: 'jwk' }) } };
}

/** A credential with which nothing is wrong: `family_name` is disclosed, another name is kept back, one digest is a decoy. */
export function rightCredential(issuer: Identity, holder: Holder): CredentialDraft {
  const disclosed = disclosureOf('family_name', FAMILY_NAME);
  const keptBack = disclosureOf('given_name', 'Ada');
  return {
    header: { alg: 'ES256', typ: 'dc+sd-jwt', x5c: x5cOf(issuer.chain) },
    payload: {
      iss: ISSUER,
      iat: nowSeconds() - 60,
      exp: nowSeconds() + 3_600,
      vct: TYPE,
      cnf: { jwk: holder.jwk },
      _sd_alg: 'sha-256',
      _sd: [digestOf(disclosed), digestOf(keptBack), decoy()],
    },
    disclosures: [disclosed],
    key: issuer.key,
    signature: rawSignature,
  };
}

/** Members of the payload to set; `undefined` removes one. */
export const withPayload =
  (patch: Members): Change<CredentialDraft> =>
  ({ payload }) => ({ payload: { ...payload, ...patch } });

export const withHeader =
  (patch: Members): Change<CredentialDraft> =>
  ({ header }) => ({ header: { ...header, ...patch } });

/** Adds digests at the top level for these disclosures, and sends them. */
export const withDisclosures =
  (...encoded: readonly string[]): Change<CredentialDraft> =>
  ({ payload, disclosures }) => ({
    payload: { ...payload, _sd: [...(payload['_sd'] as string[]), ...encoded.map((text) => digestOf(text))] },
    disclosures: [...disclosures, ...encoded],
  });

/** Sets members of the payload and sends these disclosures; the digests are in what is set. */
export const withStructure =
  (patch: Members, ...encoded: readonly string[]): Change<CredentialDraft> =>
  ({ payload, disclosures }) => ({
    payload: { ...payload, ...patch },
    disclosures: [...disclosures, ...encoded],
  });
