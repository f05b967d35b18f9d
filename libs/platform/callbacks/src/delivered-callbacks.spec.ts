/** @jest-environment ./tools/jest-context-environment.cjs */
import { type Logger } from '@vestibule/process';
import { DeliveredCallbacks, type Removal } from './delivered-callbacks';
import { removal } from './testing/delivery-lane.fixture-spec';

const nothing = (): void => undefined;
const eventOf = (name: string, subject = name, isLeased = () => true) => ({
  id: Buffer.from(name),
  subject,
  attempts: 1,
  isLeased,
});

function open() {
  const warnings: string[] = [];
  const logger: Logger = { debug: nothing, info: nothing, warn: (text) => void warnings.push(text), error: nothing };
  const seen = { removed: [] as string[][], followed: 0, warnings };
  const next = { remove: (): Promise<Removal> => removal() };
  const delivered = new DeliveredCallbacks({
    remove: (events) => {
      seen.removed.push(events.map(({ id }) => String(id)));
      return next.remove();
    },
    onFollowed: () => void (seen.followed += 1),
    logger,
  });
  return { seen, next, delivered };
}

describe('delivered events', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('are deleted together, well within a second of the first', async () => {
    const { delivered, seen } = open();
    delivered.add(eventOf('a'));
    await jest.advanceTimersByTimeAsync(60);
    delivered.add(eventOf('b'));
    expect(seen.removed).toEqual([]);
    await jest.advanceTimersByTimeAsync(60);
    expect(seen.removed).toEqual([['a', 'b']]);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(seen.removed).toHaveLength(1);
  });

  it('are deleted without waiting once they are many, and never too many in one statement', async () => {
    const { delivered, seen } = open();
    for (let at = 0; at < 450; at += 1) delivered.add(eventOf(`e${at}`));
    await jest.advanceTimersByTimeAsync(0);
    expect(seen.removed.map(({ length }) => length)).toEqual([200, 200, 50]);
    expect(new Set(seen.removed.flat()).size).toBe(450);
  });

  it('report those who waited for them', async () => {
    const { delivered, seen, next } = open();
    next.remove = () => removal({ followed: true });
    delivered.add(eventOf('a'));
    await jest.advanceTimersByTimeAsync(100);
    expect(seen.followed).toBe(1);
  });

  it('are tried again when they cannot be deleted, with one line in the log', async () => {
    const { delivered, seen, next } = open();
    next.remove = () => Promise.reject(new Error('no database'));
    delivered.add(eventOf('a'));
    await jest.advanceTimersByTimeAsync(350);
    delivered.add(eventOf('b'));
    next.remove = () => removal();
    await jest.advanceTimersByTimeAsync(100);
    expect(seen.removed).toEqual([['a'], ['a'], ['a'], ['a', 'b']]);
    expect(seen.warnings).toEqual(['delivered callbacks cannot be deleted, retrying']);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(seen.removed).toHaveLength(4);
  });

  it('are tried again after a deletion that failed late, while others were delivered', async () => {
    const { delivered, seen, next } = open();
    let fail: (error: Error) => void = nothing;
    next.remove = () => new Promise((_resolve, reject) => (fail = reject));
    delivered.add(eventOf('a'));
    await jest.advanceTimersByTimeAsync(100);
    delivered.add(eventOf('b'));
    await jest.advanceTimersByTimeAsync(3_500);
    next.remove = () => removal();
    fail(new Error('no answer in time'));
    await jest.advanceTimersByTimeAsync(100);
    expect(seen.removed).toEqual([['a'], ['a', 'b']]);
  });

  it('report those who may have waited, after an answer that was lost', async () => {
    const { delivered, seen, next } = open();
    next.remove = () => Promise.reject(new Error('the connection was lost'));
    delivered.add(eventOf('a'));
    await jest.advanceTimersByTimeAsync(100);
    next.remove = () => removal();
    await jest.advanceTimersByTimeAsync(100);
    expect(seen.followed).toBe(1);
    delivered.add(eventOf('b'));
    await jest.advanceTimersByTimeAsync(100);
    expect(seen.followed).toBe(1);
  });

  it('stay alone where they are locked, wait for a while, and keep none of the others', async () => {
    const { delivered, seen, next } = open();
    const id = Buffer.from('locked');
    next.remove = () => removal({ locked: [id] });
    delivered.add(eventOf('a'));
    delivered.add(eventOf('locked', 'offer'));
    delivered.add(eventOf('b'));
    await jest.advanceTimersByTimeAsync(100);
    expect(seen.removed).toEqual([['a', 'locked', 'b']]);
    expect(delivered.idsOf(['a', 'offer', 'b'])).toEqual([id]);
    delivered.add(eventOf('c'));
    await jest.advanceTimersByTimeAsync(500);
    expect(seen.removed.slice(1)).toEqual([['locked', 'c']]);
    next.remove = () => removal({ followed: true });
    await jest.advanceTimersByTimeAsync(500);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(seen.removed.slice(2)).toEqual([['locked']]);
    expect([delivered.has(id), seen.followed, seen.warnings]).toEqual([false, 1, []]);
  });

  it('are deleted behind more locked ones than one statement deletes', async () => {
    const { delivered, seen, next } = open();
    const locked = Array.from({ length: 200 }, (_, at) => `locked${at}`);
    next.remove = () => removal({ locked: locked.map((id) => Buffer.from(id)) });
    for (const id of [...locked, 'a']) delivered.add(eventOf(id));
    await jest.advanceTimersByTimeAsync(0);
    expect(seen.removed).toEqual([locked, ['a']]);
    delivered.add(eventOf('b'));
    await jest.advanceTimersByTimeAsync(499);
    expect(seen.removed).toHaveLength(2);
    await jest.advanceTimersByTimeAsync(1);
    expect(seen.removed.slice(2)).toEqual([locked, ['b']]);
    await delivered.stop();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(seen.removed).toHaveLength(5);
  });

  it('are known by their subject until their deletion has ended', async () => {
    const { delivered, next } = open();
    let end: (removed: Removal) => void = nothing;
    next.remove = () => new Promise((resolve) => (end = resolve));
    delivered.add(eventOf('a', 'offer'));
    delivered.add(eventOf('b', 'another'));
    await jest.advanceTimersByTimeAsync(100);
    expect(delivered.idsOf(['offer', 'third']).map(String)).toEqual(['a']);
    end(await removal());
    await jest.advanceTimersByTimeAsync(0);
    expect(delivered.idsOf(['offer', 'another'])).toEqual([]);
  });

  it('are waited for again once another process may have them, and are known until their deletion', async () => {
    const { delivered, next } = open();
    let isLeased = true;
    next.remove = () => Promise.reject(new Error('no database'));
    delivered.add(eventOf('a', 'offer', () => isLeased));
    expect(delivered.idsOf(['offer']).map(String)).toEqual(['a']);
    isLeased = false;
    expect(delivered.idsOf(['offer'])).toEqual([]);
    expect([delivered.has(Buffer.from('a')), delivered.has(Buffer.from('b'))]).toEqual([true, false]);
    next.remove = () => removal();
    await delivered.flush();
    expect(delivered.has(Buffer.from('a'))).toBe(false);
  });

  it('are all deleted when the delivery stops, also those added during a deletion; nothing is tried after that', async () => {
    const { delivered, seen, next } = open();
    delivered.add(eventOf('a'));
    const first = delivered.flush();
    delivered.add(eventOf('b'));
    await delivered.stop();
    await first;
    expect(seen.removed.flat()).toEqual(['a', 'b']);
    next.remove = () => Promise.reject(new Error('no database'));
    delivered.add(eventOf('c'));
    await delivered.stop();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(seen.removed).toHaveLength(3);
  });
});
