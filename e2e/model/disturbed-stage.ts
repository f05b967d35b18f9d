import type { ReceivedCallback } from '@vestibule/dev-stack';
import { startIssuanceBench, type IssuanceBench } from '../src/issuance-bench';
import { FLOWS, type Stage } from '../src/stage';
import type { BackendMode } from './moves';
import type { Disturbance } from './property';
import { createWorld, type World } from './world';

type Members = Record<string, unknown>;

/** One attempt to deliver an event, and what the backend answered. */
interface Attempt {
  readonly webhookId: string;
  readonly body: Members;
  readonly status: number;
}

const STATUSES: Readonly<Record<BackendMode, number>> = { takes: 204, fails: 503, refuses: 404, is_gone: 410 };
const subjectOf = ({ state, offerId }: Members) => String(state ?? offerId);

/** After such an answer an event is not sent again. */
function isFinal({ body, status }: Attempt): boolean {
  if (status < 300 || status === 410) return true;
  return body['status'] === 'OFFER_CREATED' && status === 404;
}

/** A stage whose services are killed and whose backend fails. */
export interface DisturbedStage {
  readonly bench: IssuanceBench<Stage>;
  readonly world: World;
  readonly disturbance: Disturbance;
  stop(): Promise<void>;
}

/** The attempts about a flow are as promised: one body for each event, and none before its predecessor was answered. */
function judgeAttempts(attempts: readonly Attempt[]): void {
  const bodies = new Map<string, string>();
  const ids = new Map<unknown, string>();
  for (const { webhookId, body } of attempts) {
    const text = JSON.stringify(body);
    expect(bodies.get(webhookId) ?? text).toBe(text);
    bodies.set(webhookId, text);
    expect(ids.get(body['status']) ?? webhookId).toBe(webhookId);
    ids.set(body['status'], webhookId);
  }
  const firstEnd = attempts.findIndex(({ body }) => body['status'] !== 'OFFER_CREATED');
  const isOffer = attempts.some(({ body }) => body['offerId'] !== undefined);
  if (!isOffer || firstEnd === -1) return;
  expect(attempts.slice(0, firstEnd).some(isFinal)).toBe(true);
}

export async function startDisturbedStage(): Promise<DisturbedStage> {
  const attempts: Attempt[] = [];
  let mode: BackendMode = 'takes';
  const respond = ({ body, headers }: ReceivedCallback) => {
    const status = STATUSES[mode];
    attempts.push({ webhookId: String(headers['webhook-id']), body: body as Members, status });
    return status;
  };
  const signing = { CALLBACK_SECRETS: `whsec_${Buffer.alloc(32, 5).toString('base64')}` };
  const environment = { issuer: signing, verifier: signing };
  const bench = await startIssuanceBench({ apps: FLOWS, replicas: { issuer: 2, verifier: 2 }, environment, respond });
  const { stage } = bench;
  const world = await createWorld(bench, true);
  const disturbance: Disturbance = {
    async disturb(move) {
      if (move.on === 'backend') {
        mode = move.mode;
        return;
      }
      const process = stage.stack.process(move.app, move.app === 'gateway' ? 0 : move.replica);
      await process.kill(move.signal);
      await process.restart();
    },
    async calm() {
      mode = 'takes';
    },
    async told(id) {
      // Whatever waits because nobody knows whether its answer arrived is told now.
      const hurry =
        'UPDATE issuer.callback SET held_until = now(), next_attempt_at = now() WHERE subject = $1 AND held_until > now()';
      await world.rows.query(hurry, [id]);
      await stage.untilDelivered([id]);
      const mine = attempts.filter(({ body }) => subjectOf(body) === id);
      judgeAttempts(mine);
      const finals = mine.filter((one) => isFinal(one));
      return [...new Map(finals.map(({ webhookId, body }) => [webhookId, body])).values()];
    },
  };
  const stop = async () => {
    await world.rows.end();
    await bench.stop();
  };
  return { bench, world, disturbance, stop };
}
