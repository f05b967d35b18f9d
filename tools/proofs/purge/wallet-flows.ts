import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@vestibule/foundation';
import { signedCredential, type Members, type Owner } from '../wallet-content';
import type { Ended, Scene } from './flows';

const OLD = { 'x-service-oas-version': '0.38.2' };
const API = '/api/wallet/v1';

interface Content {
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

interface Sent {
  readonly status: number;
  readonly body: Members;
}

/** A call of the tenant `default`, which may be repeated; answers that are errors are collected. */
async function send(scene: Scene, method: string, address: string, content: Content = {}): Promise<Sent> {
  const { stack, errorAnswers } = scene;
  const { body, headers, signal } = content;
  const response = await fetch(`${stack.managementUrl}${address}`, {
    method,
    ...(signal ? { signal } : {}),
    headers: {
      'x-api-key': stack.files.secrets.apiKey,
      ...(method === 'POST' ? { 'idempotency-key': randomUUID() } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) errorAnswers.push(text);
  return { status: response.status, body: JSON.parse(text) as Members };
}

/** The answer of a call that must succeed. */
export async function made(...call: Parameters<typeof send>): Promise<Members> {
  const { status, body } = await send(...call);
  if (status < 300) return body;
  throw new Error(`${call[1]} ${call[2].split('?')[0]} answers ${status}`);
}

export const idOf = (answer: Members) => String(answer['id'] ?? answer['CredentialDid'] ?? answer['PresentationDid']);
export const queryOf = ({ entityDid, walletDid }: Owner) => new URLSearchParams({ entityDid, walletDid }).toString();

async function newOwner(scene: Scene): Promise<Owner> {
  const entityDid = String((await made(scene, 'POST', `${API}/entity`))['EntityDid']);
  const wallet = await made(scene, 'POST', `${API}/wallet?entityDid=${entityDid}`);
  return { entityDid, walletDid: String(wallet['WalletDid']) };
}

/** The members of a draft whose claim is the canary, in the terms of either version. */
export function draftOf({ canary: { mark } }: Scene, isOld = false): JsonObject {
  const schema = { schema: { fields: [{ kind: 'STRING', value: { name: 'given_name' } }] } };
  const values = { given_name: isOld ? mark : { kind: 'STRING', value: mark } };
  return { data: { schema, values } };
}

/** Every state of a draft, in both versions of the API. */
async function drafts(scene: Scene, owner: Owner): Promise<Ended[]> {
  const address = `/drafts?${queryOf(owner)}`;
  const [open, abandoned, issued] = [
    idOf(await made(scene, 'POST', address, { body: draftOf(scene) })),
    idOf(await made(scene, 'POST', address, { body: draftOf(scene, true), headers: OLD })),
    idOf(await made(scene, 'POST', address, { body: draftOf(scene) })),
  ];
  const values = { given_name: { kind: 'STRING', value: `${scene.canary.mark} later` } };
  await made(scene, 'PATCH', `/drafts/${open}`, { body: { data: { values } } });
  await made(scene, 'DELETE', `/drafts/${abandoned}`);
  await made(scene, 'POST', `/drafts/${issued}/issue`, { body: { status_purposes: ['revocation'] } });
  await made(scene, 'PATCH', `/credentials/${issued}/status`, { body: { status: 'revoked' } });
  for (const id of [open, abandoned]) await made(scene, 'GET', `/drafts/${id}`);
  await made(scene, 'GET', `/credentials/${issued}/values`, { headers: OLD });
  return [
    { name: 'wallet store, draft', id: open, status: 'draft' },
    { name: 'wallet store, draft deleted', id: abandoned, status: 'abandoned' },
    { name: 'wallet store, draft issued and revoked', id: issued, status: 'issued' },
  ];
}

/** A credential whose subject is known by an email address, in a wallet and presented to another one. */
async function presented(scene: Scene, owner: Owner, other: Owner): Promise<Ended[]> {
  const { mark, core } = scene.canary;
  const document = await signedCredential(`mailto:${core}@example.org`, { given_name: mark });
  const imported = idOf(
    await made(scene, 'POST', `${API}/credentials?${queryOf(owner)}`, { body: { Body: document } }),
  );
  const creation = { body: { CredentialDids: [imported] } };
  const presentation = idOf(await made(scene, 'POST', `${API}/vp?${queryOf(owner)}`, creation));
  await made(scene, 'POST', `${API}/vp/${presentation}/issue`, { body: { Challenge: mark, Domain: mark } });
  await made(scene, 'POST', `${API}/vp/${presentation}/present?${queryOf(other)}`);
  const deleted = idOf(await made(scene, 'POST', `${API}/vp?${queryOf(owner)}`, creation));
  await made(scene, 'DELETE', `${API}/vp/${deleted}`);
  await made(scene, 'GET', `${API}/credentials?${queryOf(other)}&getBodies=true`);
  return [
    { name: 'wallet store, imported', id: imported, status: 'issued' },
    { name: 'wallet store, presented to another wallet', id: presentation, status: 'issued' },
    { name: 'wallet store, presentation deleted', id: deleted, status: 'abandoned' },
  ];
}

/** What is refused: its answer must contain nothing of the request, and nothing of it may be stored. */
async function refused(scene: Scene, owner: Owner): Promise<void> {
  const { mark } = scene.canary;
  const here = queryOf(owner);
  const document = await signedCredential(owner.entityDid, { given_name: mark });
  const altered = { ...document, credentialSubject: { id: owner.entityDid, given_name: `${mark} altered` } };
  const wrongKind = { ...(draftOf(scene)['data'] as object), values: { given_name: { kind: 'NUMBER', value: mark } } };
  const word = encodeURIComponent(mark);
  const calls: readonly [string, string, object?][] = [
    ['POST', `${API}/credentials?${here}`, { Body: altered }],
    ['POST', `${API}/credentials?${here}`, { Body: { ...document, '@context': [mark] } }],
    ['POST', `${API}/credentials?${here}`, { Body: document, MetaData: { Labels: { name: mark } } }],
    ['POST', `${API}/vp?${here}`, { CredentialDids: [mark] }],
    ['POST', `/drafts?${here}`, { data: wrongKind }],
    ['POST', `/drafts?${here}`, draftOf(scene, true)],
    ['POST', '/drafts/search', { filter: [{ created_at: { operator: 'EQUAL', value: mark } }] }],
    ['POST', '/drafts/search', { cursor: mark }],
    ['GET', `${API}/credential/${word}?${here}`],
    ['GET', `${API}/credentials?${here}&labelSelector=${word}`],
    ['GET', `${API}/credentials?${here}&cursor=${word}`],
    ['GET', `${API}/credentials?entityDid=${word}&walletDid=${word}`],
    ['GET', `/drafts/${word}`],
  ];
  for (const [method, address, body] of calls) {
    const { status } = await send(scene, method, address, { body });
    if (status < 400 || status > 499) throw new Error(`${method} ${address.split('?')[0]} answers ${status}`);
  }
}

/** The two wallets that the canary is in at the end. */
export interface FilledWallets {
  readonly ended: readonly Ended[];
  readonly wallets: readonly [Owner, Owner];
}

/** Every state of what a wallet holds once, and what is refused. */
export async function fillWallets(scene: Scene): Promise<FilledWallets> {
  const wallets = [await newOwner(scene), await newOwner(scene)] as const;
  const ended = [...(await drafts(scene, wallets[0])), ...(await presented(scene, ...wallets))];
  await refused(scene, wallets[0]);
  return { ended, wallets };
}
