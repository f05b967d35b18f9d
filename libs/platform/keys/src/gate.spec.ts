import { createGate, TooManyWaiting } from './gate';

const never = new AbortController().signal;
const later = () => {
  let finish: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (finish = resolve));
  return { done, finish };
};

describe('a gate', () => {
  it('lets so many through at a time, and the others in their order', async () => {
    const gate = createGate(2);
    const order: number[] = [];
    const works = Array.from({ length: 5 }, later);
    const runs = works.map(({ done }, index) =>
      gate.run(() => {
        order.push(index);
        return done;
      }, never),
    );
    expect(order).toEqual([0, 1]);
    for (const [index, { finish }] of works.entries()) {
      finish();
      await runs[index];
    }
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });

  it('gives up one that waits too long, and never runs it; a failure frees its place', async () => {
    const gate = createGate(1);
    const first = later();
    const running = gate.run(() => first.done.then(() => Promise.reject(new Error('failed'))), never);
    const patience = new AbortController();
    const ran: string[] = [];
    const second = gate.run(() => Promise.resolve(void ran.push('second')), patience.signal);
    const third = gate.run(() => Promise.resolve(void ran.push('third')), never);
    patience.abort(new Error('too late'));
    await expect(second).rejects.toThrow('too late');
    first.finish();
    await expect(running).rejects.toThrow('failed');
    await third;
    expect(ran).toEqual(['third']);
  });

  it('refuses more than may wait', async () => {
    const gate = createGate(1, 1);
    const first = later();
    const runs = [gate.run(() => first.done, never), gate.run(() => Promise.resolve(), never)];
    await expect(gate.run(() => Promise.resolve(), never)).rejects.toBeInstanceOf(TooManyWaiting);
    first.finish();
    await Promise.all(runs);
  });
});
