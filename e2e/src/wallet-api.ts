import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { environmentOfRun } from '@vestibule/dev-stack';
import type { SharedStage } from './stage';

type Members = Record<string, unknown>;

/** An answer of the wallet content API; `items` where it is a list. */
export interface ContentAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Members;
  readonly items: readonly Members[];
}

export interface OwnedWallet {
  readonly entityDid: string;
  readonly walletDid: string;
}

/** The query that names a wallet. */
export const ownerQuery = ({ entityDid, walletDid }: OwnedWallet) =>
  new URLSearchParams({ entityDid, walletDid }).toString();

/** One tenant on the wallet content API. */
export function createWalletApi(baseUrl: string, apiKey: string) {
  async function call(method: string, address: string, body?: unknown, more: Record<string, string> = {}) {
    const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${baseUrl}/api/wallet/v1${address}`, {
      method,
      headers: { 'x-api-key': apiKey, ...json, ...more },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const value = (await response.json()) as Members | Members[];
    const items = Array.isArray(value) ? value : [];
    return { status: response.status, headers: response.headers, body: Array.isArray(value) ? {} : value, items };
  }
  return {
    call,
    get: (address: string) => call('GET', address),
    async newWallet(entityDid?: string): Promise<OwnedWallet> {
      const owner = entityDid ?? String((await call('POST', '/entity')).body['EntityDid']);
      const wallet = await call('POST', `/wallet?entityDid=${owner}`);
      return { entityDid: owner, walletDid: String(wallet.body['WalletDid']) };
    },
    /** Imports a credential; gives its DID. */
    async importCredential(owner: OwnedWallet, credential: object, labels: Record<string, string> = {}) {
      const answer = await call('POST', `/credentials?${ownerQuery(owner)}`, {
        Body: credential,
        MetaData: { Labels: labels },
      });
      if (answer.status !== 201) throw new Error(`the import was refused: ${String(answer.body['code'])}`);
      return String(answer.body['CredentialDid']);
    },
    /** Makes a presentation draft; gives its DID. */
    async newPresentation(owner: OwnedWallet, ...credentialDids: string[]) {
      const answer = await call('POST', `/vp?${ownerQuery(owner)}`, { CredentialDids: credentialDids });
      if (answer.status !== 201) throw new Error(`no presentation was made: ${String(answer.body['code'])}`);
      return String(answer.body['PresentationDid']);
    },
  };
}

export type WalletApi = ReturnType<typeof createWalletApi>;

const run = promisify(execFile);

/** The operator's command `api-keys` as a process of its own; gives the lines that are no log. */
export async function runApiKeys(stage: SharedStage, ...argv: string[]): Promise<readonly string[]> {
  const program = path.resolve(__dirname, '../../dist/apps/wallet-store/main.js');
  const environment = {
    NATS_URL: 'nats://127.0.0.1:4222',
    BASE_URL: stage.stack.baseUrl,
    DATABASE_URL: stage.database.urls.wallet_store,
    SEALING_KEYS: Buffer.alloc(32, 7).toString('base64url'),
    ...environmentOfRun(),
  };
  const { stdout } = await run(process.execPath, [program, 'api-keys', ...argv], { env: environment });
  return stdout.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
}

/** The API key of a new tenant. */
export async function newTenantKey(stage: SharedStage, tenant: string): Promise<string> {
  const lines = await runApiKeys(stage, 'create', '--tenant', tenant);
  return lines.find((line) => line.startsWith('key\t'))?.slice('key\t'.length) ?? '';
}
