import { until } from '@vestibule/testkit';
import { createSweep, type Logger, type Purge } from './index';

function sweeping(...purges: readonly Purge[]) {
  const lines: (readonly [string, string, unknown])[] = [];
  const line =
    (level: string) =>
    (sentence: string, members?: unknown): void =>
      void lines.push([level, sentence, members]);
  const logger: Logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  let sweeps = 0;
  const expire = async () => ((sweeps += 1), sweeps === 2 ? 7 : 0);
  const timer = createSweep({ everyMilliseconds: 1, expire, purges, logger });
  return { timer, lines, sweeps: () => sweeps };
}

describe('a sweep', () => {
  it('ends what has expired although a purge waits for a lock, and waits for both when it is stopped', async () => {
    let unlock: (purged: number) => void = () => undefined;
    const locked = new Promise<number>((resolve) => (unlock = resolve));
    const { timer, lines, sweeps } = sweeping(() => locked);
    await until(() => sweeps() > 3);
    const stopped = timer.stop();
    unlock(0);
    await stopped;
    expect(lines).toEqual([['info', 'swept', { expired: 7 }]]);
  });

  it('ends what has expired although a purge fails, and says so', async () => {
    const error = new Error('no table');
    let others = 0;
    const { timer, lines, sweeps } = sweeping(
      () => Promise.reject(error),
      async () => (others += 1),
    );
    await until(() => sweeps() > 3 && others > 3);
    await timer.stop();
    expect(lines).toContainEqual(['error', 'a periodic task failed', { task: 'purge', error }]);
  });

  it('says of each purge that fails why', async () => {
    const errors = [new Error('no table'), new Error('no right')] as const;
    const { timer, lines } = sweeping(
      () => Promise.reject(errors[0]),
      () => Promise.reject(errors[1]),
    );
    await until(() => lines.length >= 2);
    await timer.stop();
    const told = lines.slice(0, 2).map(([, , members]) => members);
    expect(told).toEqual(errors.map((error) => ({ task: 'purge', error })));
  });

  it('begins nothing more when it is stopped in the midst of a purge', async () => {
    let others = 0;
    let unlock: (purged: number) => void = () => undefined;
    let began = false;
    const first = () => ((began = true), new Promise<number>((resolve) => (unlock = resolve)));
    const { timer } = sweeping(first, async () => (others += 1));
    await until(() => began);
    const stopped = timer.stop();
    unlock(1_000);
    await stopped;
    expect(others).toBe(0);
  });
});
