import type { DeferredIssuance, RedeemOptions } from '@vestibule/demo-wallet';
import { awaitEvent, call, claimsOf, offer, type Ended, type Scene } from './flows';

/** The shortest time that the issuer accepts for a wallet that never fetches its credential. */
export const DEFERRED_SECONDS = 60;

/** A wallet has redeemed an offer, and the backend has given the claims since. */
async function promised(scene: Scene, options: RedeemOptions = {}) {
  const { id, uri } = await offer(scene, { deferred: true, claims: {} });
  const { deferred } = await scene.wallet.redeem(uri, options);
  await call(scene, 'PATCH', `/offers/${id}`, { claims: claimsOf(scene.canary) });
  return { id, deferred: deferred[0] as DeferredIssuance };
}

/** Claims that a type does not have are refused, and their values are nowhere. */
async function refuseClaims(scene: Scene): Promise<Ended> {
  const { id } = await offer(scene, { deferred: true, claims: {} });
  const claims = { ...claimsOf(scene.canary), shoe: scene.canary.mark };
  const accepted = await call(scene, 'PATCH', `/offers/${id}`, { claims }).then(
    () => true,
    () => false,
  );
  if (accepted) throw new Error('PATCH /offers accepted what it must refuse');
  await call(scene, 'DELETE', `/offers/${id}`);
  return awaitEvent(scene, { name: 'deferred issuance, claims refused', id, status: 'FAILED' });
}

/** Fetched in a batch, and revoked afterwards. */
async function fetched(scene: Scene): Promise<Ended> {
  const { id, deferred } = await promised(scene, { batch: 2 });
  if ((await deferred.collect())?.length !== 2) throw new Error('a deferred credential was not given');
  const ended = await awaitEvent(scene, { name: 'deferred issuance, revoked', id, status: 'ISSUED' });
  await call(scene, 'PATCH', `/offers/${id}/status`, { status: 'revoked' });
  return ended;
}

/** The backend gives the claims, and then denies or cancels. */
async function withdrawn(scene: Scene, how: 'denied' | 'cancelled'): Promise<Ended> {
  const { id } = await promised(scene);
  if (how === 'denied') await call(scene, 'PATCH', `/offers/${id}`, { status: 'denied' });
  else await call(scene, 'DELETE', `/offers/${id}`);
  return awaitEvent(scene, { name: `deferred issuance, ${how}`, id, status: 'FAILED' });
}

/** Every end of a deferred issuance but the one that takes a minute. */
export async function runDeferredFlows(scene: Scene): Promise<readonly Ended[]> {
  return [
    await refuseClaims(scene),
    await fetched(scene),
    await withdrawn(scene, 'denied'),
    await withdrawn(scene, 'cancelled'),
  ];
}

/** The backend gives the claims, and the wallet never fetches its credential; resolves to a function that waits for the end. */
export async function leaveUnfetched(scene: Scene): Promise<() => Promise<Ended>> {
  const { id } = await promised(scene);
  return () => awaitEvent(scene, { name: 'deferred issuance, never fetched', id, status: 'EXPIRED' });
}
