import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { BenchFailure } from './failure';
import type { DriverAnswer, DriverOrder, FlowReport } from './flows';

/** The process that drives one stack, as seen by its parent. */
export interface Driver {
  /** Where the stack sends its events. */
  readonly callbackUrl: string;
  readonly pid: number;
  open(order: Omit<Extract<DriverOrder, { order: 'open' }>, 'order'>): Promise<void>;
  drive(order: Omit<Extract<DriverOrder, { order: 'drive' }>, 'order'>): Promise<FlowReport>;
  stop(): Promise<void>;
}

type Kind = DriverAnswer['answer'];
type AnswerOf<Name extends Kind> = Extract<DriverAnswer, { answer: Name }>;

/** The next answer, which must be of this kind. */
function nextAnswer<Name extends Kind>(child: ChildProcess, kind: Name): Promise<AnswerOf<Name>> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      child.off('message', take);
      child.off('exit', fail);
      child.off('error', fail);
      settle();
    };
    const take = (message: unknown) => {
      const answer = message as DriverAnswer;
      if (answer.answer === kind) return end(() => resolve(answer as AnswerOf<Name>));
      const reason = answer.answer === 'failed' ? answer.reason : `it answered ${answer.answer} instead of ${kind}`;
      end(() => reject(new BenchFailure('driver_failed', `the process of the wallets failed: ${reason}`)));
    };
    const fail = (how: unknown) =>
      end(() => reject(new BenchFailure('driver_ended', `the process of the wallets ended (${String(how)})`)));
    child.on('message', take);
    child.once('exit', fail);
    child.once('error', fail);
  });
}

async function ask<Name extends Kind>(child: ChildProcess, order: DriverOrder, kind: Name): Promise<AnswerOf<Name>> {
  const answer = nextAnswer(child, kind);
  child.send(order);
  return answer;
}

function whenExited(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
}

/** Starts a driver; it always ends with this process. @throws BenchFailure */
export async function startDriver(): Promise<Driver> {
  // A separate group: Ctrl-C must not end the wallets while the stack waits for them.
  const child = fork(path.join(__dirname, 'driver.js'), { detached: true });
  const { callbackUrl } = await nextAnswer(child, 'listening');
  const { pid } = child;
  if (pid === undefined) throw new BenchFailure('driver_ended', 'the process of the wallets has no id');
  return {
    callbackUrl,
    pid,
    async open(order) {
      await ask(child, { order: 'open', ...order }, 'opened');
    },
    async drive(order) {
      return (await ask(child, { order: 'drive', ...order }, 'driven')).report;
    },
    async stop() {
      const exited = whenExited(child);
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
