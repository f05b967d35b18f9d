import { startIssuanceBench, type IssuanceBench } from '../src/issuance-bench';
import { FLOWS, type Stage } from '../src/stage';
import { isFinal, judgeAttempts, startBackend, type Backend, type Outage } from './backend';
import { releaseEvents } from './passing-time';
import type { Disturbing } from './play';
import type { Disturbance } from './property';
import { atLast, createWorld, manage, type Gateway, type World } from './world';

const AUTHORIZATION = 'Bearer model-of-flows';

/** A stage whose services are killed and whose backend fails. */
export interface DisturbedStage {
  readonly bench: IssuanceBench<Stage>;
  readonly world: World;
  readonly disturbance: Disturbance;
  stop(): Promise<void>;
}

/** Takes turns between the gateways that listen now. */
function takeTurns({ stack }: Stage): () => Gateway {
  let turn = 0;
  return () => {
    turn += 1;
    for (const replica of [turn % 2, (turn + 1) % 2]) {
      const gateway = stack.process('gateway', replica);
      const [open, management] = [gateway.addressOf('public'), gateway.addressOf('management')];
      if (open !== undefined && management !== undefined) return { public: open, management };
    }
    return { public: stack.baseUrl, management: stack.managementUrl };
  };
}

const operate = (world: World, service: string, act: string) => manage(world, 'POST', `/callbacks/${service}/${act}`);

/** After all but this, an event may be sent again that its receiver has had. */
const isRetry = (move: Disturbing) => move.on === 'operator' && move.act === 'retry';

async function disturb(stage: Stage, world: World, move: Exclude<Disturbing, { on: 'backend' }>): Promise<void> {
  if (move.on === 'server') return stage.proxies[move.server].cut();
  if (move.on === 'operator') {
    const answer = await operate(world, move.service, move.act);
    expect([move, answer?.status ?? 200]).toEqual([move, 200]);
    return;
  }
  const process = stage.stack.process(move.app, move.replica);
  await process.kill(move.signal);
  await process.restart();
}

function createDisturbance(stage: Stage, backend: Backend, world: World): Disturbance {
  const outages: Outage[] = [];
  return {
    async disturb(move) {
      if (move.on === 'backend') return backend.change(move.mode);
      const from = performance.now();
      await disturb(stage, world, move).finally(() => {
        if (!isRetry(move)) outages.push([from, performance.now()]);
      });
    },
    async calm() {
      backend.change('takes');
      for (const service of ['verifier', 'issuer']) {
        const retried = await atLast(() => operate(world, service, 'retry'));
        expect([service, retried.status]).toEqual([service, 200]);
      }
    },
    async told({ id, kind: { hasOwnReceiver } }) {
      await releaseEvents(world, id);
      await stage.untilDelivered([id]);
      const mine = backend.attempts.filter(({ body }) => String(body['state'] ?? body['offerId']) === id);
      judgeAttempts(mine, { hasOwnReceiver, outages, authorization: AUTHORIZATION });
      const finals = mine.filter((one) => isFinal(one));
      return [...new Map(finals.map(({ webhookId, body }) => [webhookId, body])).values()];
    },
  };
}

export async function startDisturbedStage(): Promise<DisturbedStage> {
  const backend = await startBackend();
  const callbacks = {
    CALLBACK_SECRETS: `whsec_${Buffer.alloc(32, 5).toString('base64')}`,
    CALLBACK_ORIGINS: new URL(backend.ownReceiver).origin,
    CALLBACK_AUTHORIZATION: AUTHORIZATION,
  };
  const bench = await startIssuanceBench({
    apps: FLOWS,
    replicas: { gateway: 2, issuer: 2, verifier: 2 },
    environment: { issuer: callbacks, verifier: callbacks },
    respond: (callback) => backend.respond(callback),
  });
  const setting = { isDisturbed: true, ownReceiver: backend.ownReceiver, nextGateway: takeTurns(bench.stage) };
  const world = await createWorld(bench, setting);
  const stop = async () => {
    await world.stop();
    await backend.stop();
  };
  return { bench, world, disturbance: createDisturbance(bench.stage, backend, world), stop };
}
