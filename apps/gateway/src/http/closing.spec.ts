import { Agent, get } from 'node:http';
import { until } from '@vestibule/testkit';
import { startGateway } from '../testing/gateway.stage';

/** The status of an answer over a kept connection; undefined where the connection was refused or broke. */
function ask(url: string, agent: Agent): Promise<number | undefined> {
  return new Promise((resolve) => {
    get(url, { agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    }).on('error', () => resolve(undefined));
  });
}

describe('a gateway that closes', () => {
  it('answers what arrives as ever until its connections end, and refuses nothing in a form of its own', async () => {
    const gateway = await startGateway();
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    const statuses: number[] = [];
    const client = async () => {
      for (;;) {
        const status = await ask(`${gateway.managementUrl}/health/live`, agent);
        if (status === undefined) return;
        statuses.push(status);
      }
    };
    const clients = Array.from({ length: 20 }, client);
    await until(() => statuses.length > 100);
    await gateway.close();
    await Promise.all(clients);
    agent.destroy();
    expect(statuses.length).toBeGreaterThan(100);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

describe('a gateway that is told to stop', () => {
  const ready = { ready: true, checks: {} };
  const answers = { 'verifier.health.check': ready, 'issuer.health.check': ready, 'wallet-store.health.check': ready };

  it('is not ready but lives, answers everything and ends each connection with its next answer', async () => {
    const nonce = { c_nonce: 'a-nonce' };
    const gateway = await startGateway({ answers: { ...answers, 'issuer.nonce.issue': nonce } });
    const before = await gateway.toManagement('/health/ready');
    expect([before.status, before.headers['connection']]).toEqual([200, 'close']);
    const kept = new Agent({ keepAlive: true, maxSockets: 1 });
    const headersOf = (url: string) =>
      new Promise<string | undefined>((resolve) => {
        get(url, { agent: kept }, (response) => {
          response.resume().on('end', () => resolve(response.headers.connection));
        });
      });
    expect(await headersOf(`${gateway.managementUrl}/health/live`)).toBe('keep-alive');
    gateway.retire();
    expect(await headersOf(`${gateway.managementUrl}/health/live`)).toBe('close');
    expect(await headersOf(`${gateway.publicUrl}/nowhere`)).toBe('close');
    const after = await gateway.toManagement('/health/ready');
    expect([after.status, after.json['ready']]).toEqual([503, false]);
    expect(after.json['services']).toEqual({ verifier: ready, issuer: ready, 'wallet-store': ready });
    expect((await gateway.toManagement('/health/live')).status).toBe(200);
    expect((await gateway.toPublic('/oidc4vci/nonce', { method: 'POST' })).json).toEqual(nonce);
    kept.destroy();
    await gateway.close();
  });

  it('finishes a request that runs, and does not wait for its connection to be given up', async () => {
    let answer: (value: object) => void = () => undefined;
    const slow = new Promise<object>((resolve) => {
      answer = resolve;
    });
    const gateway = await startGateway({ answers: { ...answers, 'verifier.health.check': () => slow } });
    const kept = new Agent({ keepAlive: true });
    const running = ask(`${gateway.managementUrl}/health/ready`, kept);
    await until(() => gateway.asked.length === 3);
    const closed = gateway.close();
    answer(ready);
    expect(await running).toBe(200);
    await closed;
    kept.destroy();
  });
});
