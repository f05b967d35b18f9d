import { type Logger } from './logger';

type Close = () => Promise<void> | void;

/** The resources to close, in the order in which they were opened. */
export interface CloseStack {
  add(name: string, close: Close): void;
  /** Closes the last opened first. True if everything closed in time and without an error. */
  closeAll(milliseconds: number): Promise<boolean>;
}

async function within(work: Promise<void>, milliseconds: number): Promise<boolean> {
  let timeout: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timeout = setTimeout(() => resolve(false), milliseconds);
  });
  const inTime = await Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timeout));
  return inTime;
}

/** A failed or slow step is logged, and the next one still runs. */
export function createCloseStack(logger: Logger, now: () => number = () => performance.now()): CloseStack {
  const steps: { name: string; close: Close }[] = [];

  const closeOne = async (step: { name: string; close: Close }, milliseconds: number): Promise<boolean> => {
    try {
      const work = Promise.resolve(step.close());
      if (await within(work, milliseconds)) return true;
      work.catch((error: unknown) => logger.error('closing failed late', { step: step.name, error }));
      logger.warn('closing takes too long and is given up', { step: step.name });
    } catch (error) {
      logger.error('closing failed', { step: step.name, error });
    }
    return false;
  };

  return {
    add: (name, close) => void steps.push({ name, close }),
    async closeAll(milliseconds) {
      const end = now() + milliseconds;
      let clean = true;
      for (let step = steps.pop(); step; step = steps.pop()) {
        clean = (await closeOne(step, Math.max(0, end - now()))) && clean;
      }
      return clean;
    },
  };
}
