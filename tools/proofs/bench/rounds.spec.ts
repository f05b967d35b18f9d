import { REFERENCE_MICROSECONDS } from './calibration';
import type { FlowReport } from './flows';
import { costsOf, flowResultOf, quantile, type Round } from './rounds';

const report = (changes: Partial<FlowReport>): FlowReport => ({
  finished: 10,
  errors: {},
  seconds: 2,
  steps: { token: [1, 2, 3] },
  ...changes,
});
const round = (cpu: Round['cpu'], changes: Partial<FlowReport> = {}, factor = 1): Round => ({
  cpu,
  microseconds: REFERENCE_MICROSECONDS * factor,
  report: report(changes),
  wallets: 1.5 * factor,
  residentBytes: {},
});

describe('the costs of several stretches', () => {
  it('are medians, of each process and of the sums', () => {
    const costs = costsOf([
      round({ gateway: 1, issuer: 9 }),
      round({ gateway: 2, issuer: 4 }),
      round({ gateway: 6, issuer: 2 }),
    ]);
    expect(costs.processes['gateway']?.milliseconds).toBe(2);
    expect(costs.processes['issuer']?.milliseconds).toBe(4);
    expect(costs.all.milliseconds).toBe(8);
  });

  it('are normalised each by the calibration around it', () => {
    const costs = costsOf([round({ gateway: 4 }, {}, 2), round({ gateway: 2 }, {}, 1), round({ gateway: 6 }, {}, 3)]);
    expect(costs.all.milliseconds).toBe(4);
    expect(costs.all.normalised).toBeCloseTo(2, 10);
  });

  it('take a process as idle where it is not listed', () => {
    expect(costsOf([round({ gateway: 1 }), round({ gateway: 1, nats: 2 })]).processes['nats']?.milliseconds).toBe(1);
  });
});

describe('quantiles', () => {
  it('are values that occur', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(quantile(values, 0.5)).toBe(50);
    expect(quantile(values, 0.99)).toBe(99);
    expect(quantile([3], 0.99)).toBe(3);
    expect(quantile([], 0.5)).toBeNaN();
  });
});

describe('the result of a flow', () => {
  it('takes steps over all rounds, adds errors up, and takes the median of the rates', () => {
    const result = flowResultOf([
      round({ issuer: 1 }, { steps: { token: [1, 5] }, errors: { 'token: 503': 2 } }),
      round({ issuer: 1 }, { steps: { token: [3] }, errors: { 'token: 503': 1, 'nonce: 500': 1 }, finished: 20 }),
      round({ issuer: 1 }, { steps: { token: [4] }, finished: 30 }),
    ]);
    expect(result.steps).toEqual({ token: { p50: 3, p99: 5 } });
    expect(result.errors).toEqual({ 'token: 503': 3, 'nonce: 500': 1 });
    expect(result.flowsPerSecond).toBe(10);
    expect(result.finished).toBe(60);
  });

  it('names the cheapest round by its normalised cost, and the median of the wallets', () => {
    const rounds = [round({ issuer: 6, nats: 2 }, {}, 4), round({ issuer: 3 }, {}, 1), round({ issuer: 7 }, {}, 2)];
    const result = flowResultOf(rounds);
    expect(result.cheapest?.milliseconds).toBe(8);
    expect(result.cheapest?.normalised).toBeCloseTo(2, 10);
    expect(result.wallets?.milliseconds).toBe(3);
    expect(result.wallets?.normalised).toBeCloseTo(1.5, 10);
    expect(result.cpu.processes).not.toHaveProperty('wallets');
  });

  it('has no cost from a round in which no flow ended well', () => {
    const failed = round({ issuer: Infinity }, { finished: 0, steps: {} });
    expect(flowResultOf([failed, round({ issuer: 3 })]).cpu.all.milliseconds).toBe(3);
  });
});
