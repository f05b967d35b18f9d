import { setTimeout as sleep } from 'node:timers/promises';
import { issueTo, runPresentation, shownBy, type Presenter, type RunFlow } from './flows';
import { fetchWithJudgement, patiently, WrongAnswer, type Patience } from './patience';
import { statusIn, type CredentialStatus } from './status-bits';
import type { Installation } from './world';

/** The statuses that a credential gets, in this order; each credential gets the next of these lists. */
const HISTORIES: readonly (readonly CredentialStatus[])[] = [
  ['revoked'],
  ['suspended'],
  ['suspended', 'valid'],
  ['suspended', 'revoked'],
];
const EVERY_MILLISECONDS = 2_000;
const PATIENCE_MILLISECONDS = 90_000;
/**
 * How long a verifier may use a list that it has: the shortest that it keeps one, and as long as a process may have stood
 * still between the making of the list and its arrival.
 */
const LIST_MILLISECONDS = 30_000 + 30_000;

interface StatusClaim {
  readonly status_list: { readonly idx: number; readonly uri: string };
}

const patienceFromNow = (): Patience => ({ deadline: performance.now() + PATIENCE_MILLISECONDS });

/** A backend that repeats its call until it is answered. */
async function changeStatus({ stack }: Installation, offerId: string, status: CredentialStatus): Promise<void> {
  const what = `PATCH to ${status}`;
  const init = {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ status }),
  };
  await patiently(what, patienceFromNow(), async () => {
    const response = await fetchWithJudgement(what, `${stack.managementUrl}/offers/${offerId}/status`, init);
    if (response.status !== 200) throw new WrongAnswer(`${what}: ${response.status}`);
  });
}

/** A list that is asked for after the answer to a change has it (Token Status List §13.7 leaves older copies their time). */
async function requireListed({ status_list: { idx, uri } }: StatusClaim, expected: CredentialStatus): Promise<void> {
  const token = await patiently('status list', patienceFromNow(), async () => {
    const response = await fetchWithJudgement('status list', uri);
    if (response.status !== 200) throw new WrongAnswer(`status list: ${response.status}`);
    return response.text();
  });
  const found = statusIn(token, idx);
  if (found !== expected) throw new WrongAnswer(`the list says ${found} after the change to ${expected}`);
}

type Keep = (flow: RunFlow) => Promise<void>;

/** A wallet gets a credential, whose status changes; it presents when no verifier may know the former status any more. */
async function runStatusChange(world: Installation, number: number, keep: Keep): Promise<void> {
  const { flow, wallet } = await issueTo(world, patienceFromNow());
  await keep(flow);
  if (flow.isHeld !== true) return;
  const status = wallet.credentials()[0]?.payload['status'] as StatusClaim;
  const history = HISTORIES[number % HISTORIES.length] ?? [];
  for (const next of history) {
    await changeStatus(world, flow.id, next);
    await requireListed(status, next);
  }
  await sleep(LIST_MILLISECONDS);
  const did: Presenter['did'] = history.at(-1) === 'valid' ? 'presented' : 'invalid';
  await keep(await runPresentation(world, { wallet, claims: shownBy(wallet), did }, patienceFromNow()));
}

/**
 * Changes the status of a new credential every other second until it is over, and presents each a minute later: what is revoked
 * or suspended must be refused then, what was restored accepted. Returns what was wrong.
 */
export async function changeStatuses(world: Installation, isOver: () => boolean, keep: Keep): Promise<string[]> {
  const faults: string[] = [];
  const running: Promise<void>[] = [];
  for (let number = 0; !isOver(); number += 1) {
    const change = runStatusChange(world, number, keep);
    running.push(change.catch((error: unknown) => void faults.push(`status change ${number}: ${String(error)}`)));
    await sleep(EVERY_MILLISECONDS);
  }
  await Promise.all(running);
  return faults;
}
