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
