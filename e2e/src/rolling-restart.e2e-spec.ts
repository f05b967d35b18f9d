import { Agent, request } from 'node:http';
import { until } from '@vestibule/testkit';
import { startReadyBalancer, type ReadyBalancer } from './ready-balancer';
import { startStage, type Stage } from './stage';

const CLIENTS = 20;
const MANY = 3_000;
const GATEWAYS = [0, 1] as const;

let stage: Stage;
let balancer: ReadyBalancer;
beforeAll(async () => {
  stage = await startStage({
    replicas: { gateway: 2 },
    // Longer than the balancer takes to notice on a busy machine.
    environment: { gateway: { SHUTDOWN_DELAY_SECONDS: '5' } },
  });
  balancer = await startReadyBalancer(
    GATEWAYS.map((replica) => ({
      name: String(replica),
      addressOf: (listener) => stage.stack.process('gateway', replica).addressOf(listener),
    })),
  );
});
afterAll(async () => {
  await balancer?.close();
  await stage?.stop();
});

/** The status of an answer over a kept connection; the error's code where there is none. */
function askForNonce(agent: Agent): Promise<number | string> {
  return new Promise((resolve) => {
    const outgoing = request(`${balancer.url}/oidc4vci/nonce`, { method: 'POST', agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    outgoing.end();
  });
}

describe('two gateways behind a balancer that reads /health/ready', () => {
  it('are restarted in turn while wallets ask thousands of times: no reset, no error', async () => {
    await until(() => GATEWAYS.every((replica) => balancer.isUsed(String(replica))));
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
    const outcomes = new Map<number | string, number>();
    let isOver = false;
    const total = () => [...outcomes.values()].reduce((sum, count) => sum + count, 0);
    const wallet = async (): Promise<void> => {
      while (!isOver) {
        const outcome = await askForNonce(agent);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    };
    const wallets = Array.from({ length: CLIENTS }, wallet);
    for (const replica of GATEWAYS) {
      const before = balancer.answered.get(String(replica)) ?? 0;
      await until(() => (balancer.answered.get(String(replica)) ?? 0) > before + 100);
      await stage.stack.process('gateway', replica).restart();
      await until(() => balancer.isUsed(String(replica)));
    }
    await until(() => total() >= MANY);
    isOver = true;
    await Promise.all(wallets);
    agent.destroy();
    expect([...outcomes.keys()]).toEqual([200]);
    expect(balancer.failures).toEqual([]);
    expect(stage.readLog().filter((line) => line.includes('"msg":"stopped"') && line.includes('"clean":true')).length).toBe(2); // prettier-ignore
  });
});
