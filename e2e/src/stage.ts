import { readFileSync } from 'node:fs';
import { createWallet, type Wallet } from '@vestibule/demo-wallet';
import {
  createManagement,
  joinSharedStage,
  sampleVct,
  startTestStage,
  type AppName,
  type JoinedStage,
  type Management,
  type ManagementAnswer,
  type ReceivedCallback,
  type ServiceUrls,
  type StackFiles,
  type TestStackOptions,
  type TestStage,
  type TestStageOptions,
} from '@vestibule/dev-stack';

export type StageOptions = TestStageOptions;

type Members = Record<string, unknown>;

export type Answer = ManagementAnswer;

/** What a test may do that shares its stage with others: everything but to stop or count what is there. */
export interface SharedStage {
  readonly stack: {
    readonly managementUrl: string;
    readonly baseUrl: string;
    readonly issuerUrl: string;
    readonly files: StackFiles;
  };
  readonly natsUrl: string;
  readonly database: { readonly adminUrl: string; readonly urls: ServiceUrls };
  /** The credential type of the samples. */
  readonly vct: string;
  createWallet(): Wallet;
  /** Calls the management API as a backend does. */
  readonly management: Management;
  /**
   * The bodies of all callbacks about one offer or presentation request, once there are `count` and no service has one
   * more to deliver.
   */
  callbacksOf(id: string, count: number): Promise<Members[]>;
  /** Resolves when no service has a callback about one of them to deliver. */
  untilDelivered(ids: readonly string[]): Promise<void>;
  /** Every line that was logged so far, with the name of the process before it. */
  readLog(): readonly string[];
  /** Operating system process of the first replica of an app. */
  pidOf(app: AppName): number | undefined;
  /** The port of an address that the verifier may fetch from; what is asked for there is answered by `port`. */
  openDoor(port: number): Promise<number>;
  /** To be called in `afterAll`. */
  stop(): Promise<void>;
}

/** Four processes over real Postgres and NATS for one test file alone, with all that a test can do to them. */
export interface Stage extends SharedStage, Omit<TestStage, 'database' | 'natsUrl' | 'stack' | 'stop'> {
  readonly stack: TestStage['stack'];
  readonly database: TestStage['database'];
}

interface Reached {
  readonly managementUrl: string;
  readonly issuerUrl: string;
  callbacksAbout(id: string, count: number): Promise<readonly ReceivedCallback[]>;
}

/** What is the same on every stage. */
const acts = ({ managementUrl, issuerUrl, callbacksAbout }: Reached) => ({
  vct: sampleVct(issuerUrl),
  createWallet: () => createWallet(),
  management: createManagement(managementUrl),
  callbacksOf: async (id: string, count: number) =>
    (await callbacksAbout(id, count)).map(({ body }) => body as Members),
});

/** Starts everything for one test file; stop it in `afterAll`. */
export async function startStage(options: StageOptions = {}): Promise<Stage> {
  const stage = await startTestStage(options);
  const { stack, doors, logLines } = stage;
  const { managementUrl, issuerUrl } = stack;
  const free = [...doors];
  return {
    ...stage,
    ...acts({ managementUrl, issuerUrl, callbacksAbout: stage.callbacksAbout }),
    readLog: () => logLines,
    pidOf: (app) => stack.process(app).pid,
    async openDoor(port) {
      const door = free.shift();
      if (!door) throw new Error(`the stage has ${doors.length} doors`);
      door.redirect(port);
      return door.port;
    },
  };
}

function sharedStage(joined: JoinedStage): SharedStage {
  const { managementUrl, baseUrl, issuerUrl, natsUrl, files, database, logFile, pids } = joined;
  return {
    ...acts(joined),
    stack: { managementUrl, baseUrl, issuerUrl, files },
    natsUrl,
    database,
    untilDelivered: joined.untilDelivered,
    readLog: () => readFileSync(logFile, 'utf8').split('\n'),
    pidOf: (app) => pids[app],
    openDoor: joined.openDoor,
    stop: joined.leave,
  };
}

/** A stage that may be shared, and what its first user has given along. */
export interface Joined {
  readonly stage: SharedStage;
  readonly facts: unknown;
}

/** Joins a stage under a name; the first one that joins says how it starts. */
export async function joinStageNamed(name: string, options: TestStackOptions, facts: unknown): Promise<Joined> {
  const joined = await joinSharedStage({ name, options, facts });
  return { stage: sharedStage(joined), facts: joined.facts };
}

/** What issues credentials, with what backends and wallets reach it through. */
export const ISSUANCE: readonly AppName[] = ['gateway', 'issuer'];
/** What judges presentations of credentials that others issued. */
export const PRESENTATION: readonly AppName[] = ['gateway', 'verifier'];
/** Both. */
export const FLOWS: readonly AppName[] = ['gateway', 'issuer', 'verifier'];
/** What keeps wallet content. */
export const CONTENT: readonly AppName[] = ['gateway', 'wallet-store'];

/** The stages that test files share, by their names. */
const SHARED = {
  usual: {},
  /** Backends give the claims of an offer later. */
  later: {
    apps: ISSUANCE,
    environment: { issuer: { DEFERRED_SECONDS: '60', DEFERRED_INTERVAL_SECONDS: '2' } },
  },
  /** Wallets need DPoP nonces. */
  nonces: {
    apps: ISSUANCE,
    environment: { issuer: { DPOP_NONCE: 'required', DEFERRED_INTERVAL_SECONDS: '2' } },
  },
} satisfies Readonly<Record<string, TestStackOptions>>;
export type SharedName = keyof typeof SHARED;

/** The stage of that name; the usual one is as it comes, and for all test files that need nothing else. */
export async function joinStage(name: SharedName = 'usual'): Promise<SharedStage> {
  return (await joinStageNamed(name, SHARED[name], {})).stage;
}
