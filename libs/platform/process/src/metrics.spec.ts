import perfHooks from 'node:perf_hooks';
import { createHealth, createMetrics, startHealthServer } from './index';

describe('metrics', () => {
  it('are served beside health, with what the service adds, read at that moment', async () => {
    const metrics = createMetrics('verifier');
    let value = 1;
    metrics.gauge('certificate_expiry_timestamp_seconds', 'When the certificate ends', () => value);
    const server = await startHealthServer({
      host: '127.0.0.1',
      port: 0,
      health: createHealth({ checks: {} }),
      metrics,
    });
    try {
      value = 1_800_000_000;
      const response = await fetch(`${server.url}/metrics`);
      expect(response.headers.get('content-type')).toContain('text/plain');
      const text = await response.text();
      expect(text).toContain('vestibule_certificate_expiry_timestamp_seconds{service="verifier"} 1800000000');
      expect(text).toContain('process_cpu_seconds_total');
    } finally {
      await server.close();
    }
  });

  it('count by a label, wait for what must be asked for, and go on where a figure cannot be had', async () => {
    const metrics = createMetrics('verifier');
    const count = metrics.counter('attempts_total', 'Attempts', 'result');
    for (const result of ['http_204', 'timeout', 'http_204']) count(result);
    metrics.gauge('asked_count', 'From elsewhere', () => Promise.resolve(7));
    metrics.gauge('missing_count', 'From where nobody answers', () => Promise.reject(new Error('away')));
    const text = await metrics.render();
    expect(text).toContain('vestibule_attempts_total{result="http_204",service="verifier"} 2');
    expect(text).toContain('vestibule_attempts_total{result="timeout",service="verifier"} 1');
    expect(text).toContain('vestibule_asked_count{service="verifier"} 7');
    expect(text).toContain('vestibule_missing_count{service="verifier"} Nan');
  });

  it('have durations by labels, of several parts in one metric', async () => {
    const metrics = createMetrics('gateway');
    const [one, other] = [0, 1].map(() => metrics.durations('call_duration_seconds', 'Calls', ['route', 'status']));
    one?.(0.002, '/a', '200');
    other?.(4, '/a', '200');
    other?.(0.002, '/a', '404');
    const text = await metrics.render();
    expect(text).toContain('call_duration_seconds_bucket{le="0.0025",service="gateway",route="/a",status="200"} 1');
    expect(text).toContain('call_duration_seconds_count{service="gateway",route="/a",status="200"} 2');
    expect(text).toContain('call_duration_seconds_sum{service="gateway",route="/a",status="200"} 4.002');
    expect(text.match(/^# TYPE call_duration_seconds histogram$/gm)).toHaveLength(1);
  });

  it('say which program they are from', async () => {
    const text = await createMetrics('issuer').render();
    expect(text).toMatch(/^vestibule_build_info\{version="\d+\.\d+\.\d+",node="\d+\.[\d.]+",service="issuer"\} 1$/m);
  });

  it('have the names that Prometheus expects: _total for counters alone', async () => {
    const metrics = createMetrics('issuer');
    metrics.counter('calls_total', 'Calls', 'result');
    metrics.durations('vestibule_call_duration_seconds', 'Calls', ['result']);
    const types = [...(await metrics.render()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [
      name,
      type,
    ]);
    expect(types.length).toBeGreaterThan(20);
    const wrong = types.filter(([name = '', type]) => name.endsWith('_total') !== (type === 'counter'));
    expect(wrong).toEqual([]);
  });

  it('watch the event loop with a timer that leaves an idle process asleep', async () => {
    const watch = jest.spyOn(perfHooks, 'monitorEventLoopDelay');
    const metrics = createMetrics('verifier');
    expect(watch.mock.calls).toEqual([[{ resolution: 100 }]]);
    watch.mockRestore();
    expect(await metrics.render()).toContain('nodejs_eventloop_lag_p99_seconds');
  });

  it('are not found where a process has none', async () => {
    const server = await startHealthServer({ host: '127.0.0.1', port: 0, health: createHealth({ checks: {} }) });
    try {
      expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
    } finally {
      await server.close();
    }
  });
});
