import { startCallbackEvents, type CallbackEvents } from './callback-events';
import { StepFault, type DriverAnswer, type DriverOrder, type FlowReport } from './flows';
import { StepClock } from './step-clock';
import { createWallet, cutPresentation, type Surroundings, type Wallet } from './wallet';
import { openHttp } from './wallet-http';
import { discoverIssuer, runIssuance } from './wallet-issuance';
import { runPresentation } from './wallet-presentation';

type OpenOrder = Extract<DriverOrder, { order: 'open' }>;
type DriveOrder = Extract<DriverOrder, { order: 'drive' }>;

interface Fleet {
  readonly surroundings: Surroundings;
  readonly wallets: readonly Wallet[];
}

/** Prepares the wallets: keys, and one credential each, whose presentation is prepared in advance. */
async function openFleet({ addresses, wallets: count, encrypted }: OpenOrder, events: CallbackEvents): Promise<Fleet> {
  const http = openHttp(count);
  const issuer = await discoverIssuer(http, addresses, encrypted);
  const surroundings = { http, events, addresses, issuer };
  const wallets = Array.from({ length: count }, createWallet);
  for (const wallet of wallets) {
    const credential = await runIssuance({ surroundings, wallet, clock: new StepClock(), oneByOne: false });
    wallet.presentation = cutPresentation(credential);
  }
  return { surroundings, wallets };
}

/** Whether another flow may start, given how many have started. */
function startsUntil({ until }: DriveOrder): () => boolean {
  const end = performance.now() + (until.seconds ?? Infinity) * 1000;
  let left = until.flows ?? Infinity;
  return () => (left -= 1) >= 0 && performance.now() < end;
}

/** Every wallet starts its next flow when its last one has ended, until the order's end; failures are counted. */
async function drive({ surroundings, wallets }: Fleet, order: DriveOrder): Promise<FlowReport> {
  const clock = new StepClock();
  const errors = new Map<string, number>();
  const mayStart = startsUntil(order);
  let finished = 0;
  const run = order.flow === 'presentation' ? runPresentation : runIssuance;
  const work = async (wallet: Wallet) => {
    while (mayStart()) {
      try {
        await clock.time<unknown>('whole flow', () => run({ surroundings, wallet, clock, oneByOne: order.oneByOne }));
        finished += 1;
      } catch (error) {
        if (!(error instanceof StepFault)) throw error;
        errors.set(error.message, (errors.get(error.message) ?? 0) + 1);
      }
    }
  };
  const started = performance.now();
  await Promise.all(wallets.slice(0, order.wallets).map(work));
  const seconds = (performance.now() - started) / 1000;
  return { finished, errors: Object.fromEntries(errors), seconds, steps: clock.read() };
}

const send = (answer: DriverAnswer) => void process.send?.(answer);

/** The process of the wallets and of the backend: it drives one stack as instructed, and ends with its parent. */
async function serve(): Promise<void> {
  const events = await startCallbackEvents();
  let fleet: Fleet | undefined;
  const obey = async (order: DriverOrder): Promise<DriverAnswer> => {
    if (order.order === 'open') {
      fleet = await openFleet(order, events);
      return { answer: 'opened' };
    }
    if (!fleet) throw new Error('the driver was started before it was opened');
    return { answer: 'driven', report: await drive(fleet, order) };
  };
  process.on('message', (order: DriverOrder) => {
    obey(order).then(send, (error: unknown) => send({ answer: 'failed', reason: String(error) }));
  });
  process.on('disconnect', () => process.exit(0));
  send({ answer: 'listening', callbackUrl: events.url });
}

if (require.main === module) void serve();
