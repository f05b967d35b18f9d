import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Pool } from 'pg';
import { ask, awaitEvent, offer, type Ended, type Scene } from './flows';

const DEAD_MILLISECONDS = 120_000;

export async function waitUntil(what: string, condition: () => boolean | Promise<boolean>, milliseconds: number) {
  const deadline = performance.now() + milliseconds;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${milliseconds / 1000} s`);
    await sleep(100);
  }
}

const attemptsOf = ({ backend }: Scene, id: string) => backend.received.filter(({ text }) => text.includes(id)).length;

/** The verifier is killed while an event with claims is in its outbox; after its restart the event is delivered. */
async function killWithWaitingEvent(scene: Scene): Promise<Ended> {
  const { id, crossDevice } = await ask(scene);
  scene.refused.add(id);
  await scene.wallet.present(crossDevice);
  await waitUntil('the first attempt', () => attemptsOf(scene, id) > 0, 30_000);
  const verifier = scene.stack.process('verifier');
  await verifier.kill('SIGKILL');
  const before = scene.backend.received.length;
  scene.refused.delete(id);
  await verifier.restart();
  const delivered = () => scene.backend.received.slice(before).some(({ text }) => text.includes(id));
  await waitUntil('delivery after the crash', delivered, 60_000);
  return awaitEvent(scene, { name: 'verifier killed, event waiting', id, status: 'FULFILLED' }, true);
}

/** The issuer is killed while an offer with claims is open; after its restart a wallet redeems it. */
async function killWithOpenOffer(scene: Scene): Promise<Ended> {
  const { id, uri } = await offer(scene);
  const issuer = scene.stack.process('issuer');
  await issuer.kill('SIGKILL');
  await issuer.restart();
  await scene.wallet.redeemOffer(uri);
  return awaitEvent(scene, { name: 'issuer killed, offer open', id, status: 'ISSUED' });
}

/** One of its processes is killed, so that Postgres ends all the others and recovers from its log. */
async function crashPostgres(scene: Scene, adminUrl: string): Promise<Ended> {
  const { id, crossDevice } = await ask(scene);
  const client = new Client({ connectionString: adminUrl });
  client.on('error', () => undefined);
  await client.connect();
  // The embedded Postgres for temporary data does not wait for its log, unlike one in production.
  await client.query('CHECKPOINT');
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  process.kill((rows[0] as { pid: number }).pid, 'SIGKILL');
  await sleep(500);
  const isReady = async () => (await fetch(`${scene.stack.managementUrl}/health/ready`)).status === 200;
  await waitUntil('everything ready after the crash of Postgres', isReady, 60_000);
  await scene.wallet.present(crossDevice);
  return awaitEvent(scene, { name: 'Postgres crashed, request open', id, status: 'FULFILLED' }, true);
}

/** The backend never accepts the event: it becomes a dead letter and its payload is deleted. */
export async function leaveUndelivered(scene: Scene, pool: Pool): Promise<readonly Ended[]> {
  const [fulfilled, rejected] = [await ask(scene), await ask(scene)];
  for (const { id } of [fulfilled, rejected]) scene.refused.add(id);
  await scene.wallet.present(fulfilled.sameDevice);
  await scene.wallet.present(rejected.crossDevice, { deny: true, errorDescription: scene.canary.core });
  const ids = [fulfilled.id, rejected.id];
  const areDead = async () => {
    const { rows } = await pool.query(
      'SELECT 1 FROM verifier.callback WHERE subject = ANY ($1) AND dead_at IS NOT NULL',
      [ids],
    );
    return rows.length === ids.length;
  };
  await waitUntil('the dead letters', areDead, DEAD_MILLISECONDS);
  return ids.map((id) => ({ name: 'verification, never delivered', id, status: 'dead letter' }));
}

export async function runCrashes(scene: Scene, adminUrl: string): Promise<readonly Ended[]> {
  return [await killWithWaitingEvent(scene), await killWithOpenOffer(scene), await crashPostgres(scene, adminUrl)];
}
