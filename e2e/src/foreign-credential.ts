import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { issueForeignCredential } from '@vestibule/demo-wallet';
import { queryFor, requestPresentation } from './flows';
import type { SharedStage } from './stage';

type Members = Record<string, unknown>;
type ForeignOptions = Parameters<typeof issueForeignCredential>[0];

const CERTIFICATE = /-----BEGIN CERTIFICATE-----([^-]+)-----END/g;

/** What a credential of the stack's own issuer can be changed in, before a wallet presents it. */
export interface Change {
  readonly payload?: (payload: Members) => Members;
  /** Members of the issuing order: header, x5c, privateKey, tamperSignature … */
  readonly order?: Partial<ForeignOptions>;
}

/** The end of one request as the backend and its decision record have it. */
export interface RequestEnd {
  readonly event: Members | undefined;
  /** Codes of the checks that failed. */
  readonly codes: readonly (string | undefined)[];
}

/** The chain and the key of the stack's issuer, as its configuration files hold them. */
export function issuerIdentity(stage: SharedStage): { chain: readonly Buffer[]; key: KeyObject } {
  const pem = (name: string) => readFileSync(path.join(stage.stack.files.folder, name), 'utf8');
  const chain = [...pem('issuer.pem').matchAll(CERTIFICATE)].map(([, body = '']) => Buffer.from(body, 'base64'));
  return { chain, key: createPrivateKey(pem('issuer-key.pem')) };
}

/** The one callback of a request, and what its record names as failed; fails when there is a second callback. */
export async function endOf(stage: SharedStage, state: string): Promise<RequestEnd> {
  const [event, ...more] = await stage.callbacksOf(state, 1);
  expect(more).toEqual([]);
  const { body } = await stage.management('GET', `/oidc4vp/${state}`);
  const checks = (body['checks'] ?? []) as { outcome: string; code?: string }[];
  return { event, codes: checks.filter(({ outcome }) => outcome === 'failed').map(({ code }) => code) };
}

/** A wallet presents a credential that is right in everything but what `change` changes; made by a third party's library. */
export async function presentForeign(stage: SharedStage, change: Change = {}): Promise<RequestEnd> {
  const holder = stage.createWallet();
  const now = Math.floor(Date.now() / 1000);
  const payload = {
    iss: stage.stack.issuerUrl,
    iat: now - 60,
    exp: now + 3_600,
    vct: stage.vct,
    cnf: { jwk: { ...(await holder.createHolderKey()) } },
    family_name: 'Example',
  };
  const { chain, key } = issuerIdentity(stage);
  const changed = change.payload?.(payload) ?? payload;
  const order = { x5c: chain, privateKey: key, payload: changed, ...change.order } as ForeignOptions;
  const stored = await holder.addCredential(await issueForeignCredential(order));
  const { state, crossDevice } = await requestPresentation(stage, { dcql_query: queryFor(stage) });
  await holder.present(crossDevice, { credentials: { card: [stored.id] } });
  return endOf(stage, state);
}
