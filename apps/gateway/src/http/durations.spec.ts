import { CheckVerifierHealth, type Contract } from '@vestibule/contracts';
import { DomainError } from '@vestibule/foundation';
import { createMetrics } from '@vestibule/process';
import { startGateway } from '../testing/gateway.stage';
import { measureAnswers, measureQuestions } from './durations';

const countsOf = (text: string, name: string) =>
  text.split('\n').filter((line) => line.startsWith(`${name}_duration_seconds_count{`));

describe('the durations of answers', () => {
  it('are by listener, pattern of the route and status, never by address', async () => {
    const gateway = await startGateway();
    try {
      await gateway.toPublic('/oidc4vp/a-secret-state/request?flow_type=x');
      await gateway.toPublic('/a-secret-path');
      await gateway.toManagement('/health/live');
      const { text } = await gateway.toManagement('/metrics');
      const counts = countsOf(text, 'http_server_request');
      const labels = (...values: string[]) => expect.stringContaining(values.join(','));
      expect(counts).toContainEqual(
        labels('listener="public"', 'http_request_method="GET"', 'http_route="/oidc4vp/:state/request"'),
      );
      expect(counts).toContainEqual(
        labels(
          'listener="public"',
          'http_request_method="GET"',
          'http_route="none"',
          'http_response_status_code="404"',
        ),
      );
      expect(counts).toContainEqual(
        labels('listener="management"', 'http_request_method="GET"', 'http_route="/health/live"'),
      );
      expect(text).not.toContain('a-secret');
    } finally {
      await gateway.close();
    }
  });

  it('have no method that a stranger made up', async () => {
    const metrics = createMetrics('gateway');
    const answer = { listener: 'public', route: 'none', status: 400, milliseconds: 1 };
    for (const method of ['BREW', 'GET']) measureAnswers(metrics)({ ...answer, method });
    const methods = countsOf(await metrics.render(), 'http_server_request').map(
      (line) => /method="(\w+)"/.exec(line)?.[1],
    );
    expect(methods).toEqual(['_OTHER', 'GET']);
  });
});

describe('the durations of questions', () => {
  it('are by subject and result, and change neither answers nor errors', async () => {
    const metrics = createMetrics('gateway');
    const refusal = new DomainError({ kind: 'not_found', code: 'request_not_found', detail: 'unknown' });
    const answers = [
      () => Promise.resolve({ ready: true }),
      () => Promise.reject(refusal),
      () => Promise.reject(new Error('x')),
    ];
    const ask = measureQuestions(
      <Question, Answer>(_contract: Contract<Question, Answer>) => (answers.shift() as () => Promise<Answer>)(),
      metrics,
    );
    await expect(ask(CheckVerifierHealth, {})).resolves.toEqual({ ready: true });
    await expect(ask(CheckVerifierHealth, {})).rejects.toBe(refusal);
    await expect(ask(CheckVerifierHealth, {})).rejects.toThrow('x');
    const counts = countsOf(await metrics.render(), 'vestibule_bus_question');
    expect(counts.map((line) => /subject="([^"]+)",result="([^"]+)"/.exec(line)?.slice(1))).toEqual(
      ['ok', 'request_not_found', 'internal_error'].map((result) => ['verifier.health.check', result]),
    );
  });
});
