import { VERSION } from '@vestibule/foundation';
import { failing, startGateway } from '../testing/gateway.stage';

const ready = { ready: true, checks: { postgres: true, nats: true } };
const all = { 'verifier.health.check': ready, 'issuer.health.check': ready, 'wallet-store.health.check': ready };

async function readiness(answers: Parameters<typeof startGateway>[0]) {
  const gateway = await startGateway(answers);
  try {
    expect((await gateway.toManagement('/health/live')).json).toEqual({ live: true });
    return await gateway.toManagement('/health/ready');
  } finally {
    await gateway.close();
  }
}

describe('GET /health/ready', () => {
  it('is 200 with every service when all are ready', async () => {
    const { status, json } = await readiness({ answers: all });
    expect(status).toBe(200);
    expect(json).toEqual({
      ready: true,
      version: VERSION,
      services: { verifier: ready, issuer: ready, 'wallet-store': ready },
    });
  });

  it('is 503 and names the part that a service lacks', async () => {
    const lacking = { ready: false, checks: { postgres: false, nats: true } };
    const { status, json } = await readiness({ answers: { ...all, 'issuer.health.check': lacking } });
    expect(status).toBe(503);
    expect(json).toEqual({
      ready: false,
      version: VERSION,
      services: { verifier: ready, issuer: lacking, 'wallet-store': ready },
    });
  });

  it('is 503 with a code, and no more, for services that do not answer or fail', async () => {
    const { status, json, text } = await readiness({
      answers: {
        'verifier.health.check': failing('unavailable', 'service_timeout', 'secret'),
        'issuer.health.check': () => Promise.reject(new Error('secret')),
      },
    });
    expect(status).toBe(503);
    const down = (code: string) => ({ ready: false, checks: {}, code });
    expect(json['services']).toEqual({
      verifier: down('service_timeout'),
      issuer: down('internal_error'),
      'wallet-store': down('service_unavailable'),
    });
    expect(text).not.toContain('secret');
  });

  it('asks only the services that the installation has', async () => {
    const { status, json } = await readiness({
      answers: { 'verifier.health.check': ready },
      environment: { SERVICES: 'verifier' },
    });
    expect(status).toBe(200);
    expect(json['services']).toEqual({ verifier: ready });
  });
});
