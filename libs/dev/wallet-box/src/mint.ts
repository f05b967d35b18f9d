import type { KeyObject } from 'node:crypto';
import { issueForeignCredential, type JsonObject, type Wallet } from '@vestibule/demo-wallet';
import { sampleClaims, type AskedClaim } from './sample-claims';

/** Signs credentials: the certificates of the `x5c` header, leaf first, and the key of the leaf. */
export interface IssuerIdentity {
  readonly chain: readonly Uint8Array[];
  readonly key: KeyObject;
  /** `iss`; absent: the credentials have none. */
  readonly issuer?: string;
}

export interface MintOptions {
  readonly wallet: Wallet;
  readonly identity: IssuerIdentity;
  readonly now: Date;
  /** Members of the payload to set. */
  readonly payload?: JsonObject;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listAt = (object: JsonObject, name: string): readonly unknown[] => {
  const value = object[name];
  return Array.isArray(value) ? value : [];
};

function askedClaims(query: JsonObject): AskedClaim[] {
  return listAt(query, 'claims').flatMap((claim) =>
    isObject(claim) && Array.isArray(claim['path'])
      ? [{ path: claim['path'] as AskedClaim['path'], values: listAt(claim, 'values') }]
      : [],
  );
}

async function mintOne(query: JsonObject, options: MintOptions): Promise<string> {
  const { wallet, identity, now, payload } = options;
  const [vct] = listAt(isObject(query['meta']) ? query['meta'] : {}, 'vct_values');
  const claims = sampleClaims(askedClaims(query));
  const seconds = Math.floor(now.getTime() / 1000);
  const compact = await issueForeignCredential({
    x5c: identity.chain,
    privateKey: identity.key,
    payload: {
      ...(identity.issuer === undefined ? {} : { iss: identity.issuer }),
      iat: seconds - 60,
      exp: seconds + 86_400,
      vct,
      cnf: { jwk: { ...(await wallet.createHolderKey()) } },
      ...claims,
      ...payload,
    },
    disclosureFrame: { _sd: Object.keys(claims) },
  });
  return (await wallet.addCredential(compact)).id;
}

/**
 * Makes a credential for every credential query and puts it into the wallet: what it asks for, about an invented person,
 * signed by this identity. Returns the ids by credential query.
 */
export async function mintFor(dcqlQuery: JsonObject, options: MintOptions): Promise<Record<string, string[]>> {
  const made: Record<string, string[]> = {};
  for (const query of listAt(dcqlQuery, 'credentials')) {
    if (isObject(query)) made[String(query['id'])] = [await mintOne(query, options)];
  }
  return made;
}
