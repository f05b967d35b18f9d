import { randomUUID } from 'node:crypto';
import { Api } from './api';
import { Offers, PresentationRequests } from './connector';
import {
  MANAGEMENT_OPERATIONS,
  PREVIOUS_WALLET_CONTENT_OPERATIONS,
  WALLET_CONTENT_OPERATIONS,
} from './generated/operations';
import type { ManagementOperations, PreviousWalletContentOperations } from './operation-types';
import { readSettings, type ClientOptions, type Fetch, type Surroundings } from './options';
import { WalletContent } from './wallet-content';

const VERSION_HEADER = 'x-service-oas-version';

/** The calls of a backend to Vestibule. `call` reaches every operation of the connector by its id. */
export class VestibuleClient extends Api<ManagementOperations> {
  readonly presentationRequests = new PresentationRequests(this);
  readonly offers = new Offers(this);
  /** Wallet content, schemas and drafts, version 0.40.11. */
  readonly content: WalletContent;
  /** The same in version 0.38.2, by the ids of its operations. */
  readonly previousContent: Api<PreviousWalletContentOperations>;

  /** Use `createClient`. */
  constructor(options: ClientOptions, surroundings: Surroundings) {
    const settings = readSettings(options);
    const transport = (headers: Readonly<Record<string, string>>) => ({ settings, surroundings, headers });
    super(transport({}), MANAGEMENT_OPERATIONS);
    this.content = new WalletContent(transport({ [VERSION_HEADER]: '0.40.11' }), WALLET_CONTENT_OPERATIONS);
    this.previousContent = new Api(transport({ [VERSION_HEADER]: '0.38.2' }), PREVIOUS_WALLET_CONTENT_OPERATIONS);
  }
}

/** The global `fetch`, as it is when it is called: a test or an instrumentation may replace it. */
const globalFetch: Fetch = (url, request) => fetch(url, request);

/** Time and chance of this process. */
function processSurroundings(given: Fetch | undefined): Surroundings {
  return {
    fetch: given ?? globalFetch,
    now: () => Date.now(),
    random: () => Math.random(),
    uuid: () => randomUUID(),
    after(milliseconds, call) {
      const timer = setTimeout(call, milliseconds);
      return () => clearTimeout(timer);
    },
  };
}

/**
 * A client for one Vestibule. It has no state but its options; make one and share it.
 *
 * @throws ArgumentError
 */
export function createClient(options: ClientOptions): VestibuleClient {
  return new VestibuleClient(options, processSurroundings(options.fetch));
}
