import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type AppName } from './app-environment';
import { type ReceivedCallback } from './callback-receiver';
import { type ServiceUrls } from './provision-database';
import { type StackFiles } from './stack-files';
import { StackFailure } from './stack-failure';
import { startTestStage, type TestStackOptions, type TestStage } from './test-stage';

/** The description of a shared stage for those that join it. */
export interface SharedStage {
  readonly managementUrl: string;
  readonly baseUrl: string;
  readonly issuerUrl: string;
  readonly natsUrl: string;
  readonly files: StackFiles;
  readonly logFile: string;
  readonly database: { readonly adminUrl: string; readonly urls: ServiceUrls };
  /** The process id of each app. */
  readonly pids: Readonly<Partial<Record<AppName, number>>>;
  /** What the first one to join provided for the others, such as keys that the stage trusts. */
  readonly facts: unknown;
}

/** A request to the host of the stages. */
export interface JoinQuestion {
  readonly name: string;
  readonly options: TestStackOptions;
  readonly facts: unknown;
}
export interface CallbacksQuestion {
  readonly name: string;
  readonly id: string;
  readonly count: number;
}
export interface DeliveredQuestion {
  readonly name: string;
  readonly ids: readonly string[];
}
export interface DoorQuestion {
  readonly name: string;
  /** The new target of a door; absent: return the door at `door`. */
  readonly target?: number;
  readonly door?: number;
}

interface Entry {
  readonly stage: Promise<TestStage>;
  readonly facts: unknown;
  /** Ports of the doors lent to a test file. */
  readonly lent: Set<number>;
}

const MAX_BODY_BYTES = 16 * 1024 * 1024;

function describe({ stack, database, natsUrl }: TestStage, facts: unknown): SharedStage {
  const { managementUrl, baseUrl, issuerUrl, files, logFile, processes } = stack;
  const pids = Object.fromEntries(processes.map(({ app, pid }) => [app, pid]));
  const { adminUrl, urls } = database;
  return { managementUrl, baseUrl, issuerUrl, natsUrl, files, logFile, database: { adminUrl, urls }, pids, facts };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new StackFailure('question_too_large', 'a request is larger than 16 MiB');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

class Host {
  readonly #entries = new Map<string, Entry>();

  /** The first request for a name starts the stage; the others wait for the same start. */
  async join({ name, options, facts }: JoinQuestion): Promise<SharedStage> {
    let entry = this.#entries.get(name);
    if (!entry) {
      entry = { stage: startTestStage(options), facts, lent: new Set() };
      this.#entries.set(name, entry);
    }
    return describe(await entry.stage, entry.facts);
  }

  async callbacks({ name, id, count }: CallbacksQuestion): Promise<readonly ReceivedCallback[]> {
    return (await this.#get(name).stage).callbacksAbout(id, count);
  }

  async delivered({ name, ids }: DeliveredQuestion): Promise<object> {
    await (await this.#get(name).stage).untilDelivered(ids);
    return {};
  }

  async door({ name, target, door }: DoorQuestion): Promise<{ readonly port: number }> {
    const { stage, lent } = this.#get(name);
    const { doors } = await stage;
    const found = doors.find(({ port }) => (door === undefined ? !lent.has(port) : port === door));
    if (!found) throw new StackFailure('no_door', `all ${doors.length} doors of the stage ${name} are in use`);
    found.cut();
    if (target === undefined) lent.delete(found.port);
    else {
      lent.add(found.port);
      found.redirect(target);
    }
    return { port: found.port };
  }

  async stop(): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    // A stage that failed to start has nothing to stop, and its waiters already have the error.
    const started = await Promise.allSettled(entries.map(({ stage }) => stage));
    await Promise.all(started.flatMap((one) => (one.status === 'fulfilled' ? [one.value.stop()] : [])));
  }

  #get(name: string): Entry {
    const entry = this.#entries.get(name);
    if (entry) return entry;
    throw new StackFailure('no_stage', `nobody has joined the stage ${name}`);
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** Serves stages to the test files of one run, in any process; stops them all at its end. */
export async function startStageHost(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const host = new Host();
  const questions: Readonly<Record<string, (question: never) => Promise<object>>> = {
    '/join': (question: JoinQuestion) => host.join(question),
    '/callbacks': (question: CallbacksQuestion) => host.callbacks(question),
    '/delivered': (question: DeliveredQuestion) => host.delivered(question),
    '/door': (question: DoorQuestion) => host.door(question),
  };
  const answer = async (request: IncomingMessage): Promise<object> => {
    const work = questions[request.url ?? ''];
    if (!work) throw new StackFailure('no_such_question', `the host of the stages has no route ${request.url}`);
    return work((await readJson(request)) as never);
  };
  const server = createServer((request, response) => {
    answer(request).then(
      (found) => response.end(JSON.stringify(found)),
      (error: unknown) => response.writeHead(500).end(JSON.stringify({ message: String(error) })),
    );
  });
  // Clients keep connections open: if one is closed here while a request is on its way, the request gets no answer.
  server.keepAliveTimeout = 0;
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      await host.stop();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
