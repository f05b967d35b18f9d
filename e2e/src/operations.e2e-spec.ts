import { execFileSync } from 'node:child_process';
import { findProgram, readTestEnvironment } from '@vestibule/dev-stack';
import { issueTo, requestPresentation } from './flows';
import { startStage, type Stage } from './stage';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ replicas: { verifier: 2 } });
});
afterAll(() => stage?.stop());

const linesWith = (text: string) => stage.logLines.filter((line) => line.includes(text));

describe('operations', () => {
  it('one request id is in the answer and in the log lines of gateway and service', async () => {
    const requestId = 'operations-test-0001';
    const answer = await stage.management('GET', '/oidc4vp/unknown', undefined, { 'x-request-id': requestId });
    expect([answer.status, answer.headers.get('x-request-id'), answer.body['instance']]).toEqual([
      404,
      requestId,
      requestId,
    ]);
    await stage.management('POST', '/oidc4vp', { dcql_query: {} }, { 'x-request-id': requestId });
    const labels = new Set(linesWith(requestId).map((line) => line.split(' ', 1)[0]));
    expect(labels).toContain('gateway');
  });

  it('logs are JSON lines with level, time and service', () => {
    const lines = stage.logLines.map((line) => line.slice(line.indexOf(' ') + 1));
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({
        level: expect.any(String),
        time: expect.any(String),
        service: expect.any(String),
      });
    }
  });

  it('describes its management API', async () => {
    const { body } = await stage.management('GET', '/openapi.json');
    expect(Object.keys(body['paths'] as object)).toEqual(
      expect.arrayContaining(['/oidc4vp', '/offers', '/health/ready']),
    );
  });

  it('two replicas of the verifier share the work; with one of them gone the other does it all', async () => {
    const wallet = stage.createWallet();
    await issueTo(stage, wallet);
    for (let round = 0; round < 4; round += 1) {
      if (round === 2) await stage.stack.process('verifier', 1).stop();
      const { state, crossDevice } = await requestPresentation(stage);
      expect((await wallet.present(crossDevice)).status).toBe(200);
      expect(await stage.callbacksOf(state, 1)).toMatchObject([{ status: 'FULFILLED' }]);
    }
    expect((await stage.management('GET', '/health/ready')).status).toBe(200);
  });

  it('19.1 metrics tell how flows end, how long checks and answers take, and which program runs', async () => {
    const wallet = stage.createWallet();
    await issueTo(stage, wallet);
    const { state, crossDevice } = await requestPresentation(stage);
    await wallet.present(crossDevice);
    await stage.callbacksOf(state, 1);
    const read = async (url: string) => (await fetch(url)).text();
    const metricsOf = (name: 'verifier' | 'issuer') =>
      read(stage.stack.process(name).readyUrl.replace('/health/ready', '/metrics'));
    const [verifier, issuer, gateway] = await Promise.all([
      metricsOf('verifier'),
      metricsOf('issuer'),
      read(new URL('/metrics', stage.stack.managementUrl).href),
    ]);
    expect(verifier).toMatch(
      /vestibule_presentation_requests_ended_total\{outcome="FULFILLED",code="none",service="verifier"\} [1-9]/,
    );
    expect(issuer).toMatch(
      /vestibule_credential_offers_ended_total\{outcome="ISSUED",code="none",service="issuer"\} [1-9]/,
    );
    for (const check of ['response', 'status'])
      expect(verifier).toMatch(
        new RegExp(
          `vestibule_verification_step_duration_seconds_count\\{service="verifier",check="${check}",outcome="passed"\\} [1-9]`,
        ),
      );
    expect(gateway).toMatch(
      /http_server_request_duration_seconds_count\{service="gateway",listener="public",http_request_method="POST",http_route="\/oidc4vp\/:state\/response",http_response_status_code="200"\} [1-9]/,
    );
    expect(gateway).toMatch(
      /vestibule_bus_question_duration_seconds_count\{service="gateway",subject="verifier.presentation.submit",result="ok"\} [1-9]/,
    );
    for (const text of [verifier, issuer, gateway]) expect(text).toMatch(/^vestibule_build_info\{version="/m);
    const figures: readonly (readonly [string, string])[] = [
      [verifier, 'db_client_operation_duration_seconds_count{service="verifier",db_query_summary="update verifier.presentation_request",result="ok"} [1-9]'],
      [verifier, 'vestibule_bus_answer_duration_seconds_count{service="verifier",subject="verifier.presentation.submit",result="ok"} [1-9]'],
      [verifier, 'vestibule_database_pool_connections{service="verifier"} [1-9]'],
      [verifier, 'vestibule_purge_lag_seconds{service="verifier"} 0'],
      [issuer, 'vestibule_purge_lag_seconds{service="issuer"} 0'],
      [issuer, 'vestibule_database_pool_waiting_statements{service="issuer"} 0'],
      [issuer, 'nodejs_eventloop_lag_p99_seconds{service="issuer"} \\d'],
    ]; // prettier-ignore
    for (const [text, pattern] of figures) expect(text).toMatch(new RegExp(pattern.replaceAll(/[{}]/g, '\\$&')));
    const own = stage.stack.process('gateway').addressOf('health') ?? '';
    expect(await read(`${own}/metrics`)).toContain('http_server_request_duration_seconds_count');
    const ready = await fetch(`${own}/health/ready`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({ checks: { nats: true, listeners: true } });
  });

  const promtool = findProgram('promtool', readTestEnvironment().searchPath);
  (promtool === undefined ? it.skip : it)('19.1 metrics of every process pass promtool check metrics', async () => {
    for (const name of ['gateway', 'verifier', 'issuer', 'wallet-store'] as const) {
      const url = stage.stack.process(name).addressOf('health') ?? '';
      const input = await (await fetch(`${url}/metrics`)).text();
      // It ends with 3 if it has anything to say.
      expect(execFileSync(promtool ?? '', ['check', 'metrics'], { input, encoding: 'utf8' })).toBe('');
    }
  });

  it('is ready only when every service is, and says which one is not', async () => {
    const health = await stage.management('GET', '/health/ready');
    expect(health.body).toMatchObject({
      ready: true,
      services: { verifier: { ready: true, checks: { postgres: true, nats: true, accessCertificate: true } } },
    });
    const expires = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    expect(health.body).toMatchObject({
      services: {
        verifier: { expires: { accessCertificate: expires } },
        issuer: { expires: { issuerCertificate: expires } },
      },
    });
    const metricsUrl = stage.stack.process('verifier').readyUrl.replace('/health/ready', '/metrics');
    const metrics = await (await fetch(metricsUrl)).text();
    expect(metrics).toMatch(/vestibule_access_certificate_expiry_timestamp_seconds\{service="verifier"\} [1-9]\d+/);
    await stage.stack.process('issuer').kill('SIGKILL');
    const without = await stage.management('GET', '/health/ready');
    expect(without.status).toBe(503);
    expect(without.body).toMatchObject({ ready: false, services: { issuer: { ready: false } } });
  });
});
