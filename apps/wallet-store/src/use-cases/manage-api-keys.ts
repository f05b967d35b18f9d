import { sha256 } from '@vestibule/crypto';
import { ApiError, encodeBase64url, type RandomBytes } from '@vestibule/foundation';
import type { Tenants } from '../domain/ports';
import type { ListedApiKey } from '../domain/wallets';
import { misused, readOptions } from './command-options';

export interface ManageApiKeysDeps {
  readonly random: RandomBytes;
  readonly install: Tenants['install'];
  readonly list: Tenants['list'];
  readonly revoke: Tenants['revoke'];
}

const KEY_BYTES = 32;
const TENANT = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const usage = misused('api-keys create --tenant <name> | api-keys list [--tenant <name>] | api-keys revoke --id <id>');
const parseOptions = (argv: readonly string[], known: readonly string[]) => readOptions(argv, known, usage);

function tenantFrom(options: ReadonlyMap<string, string>): string {
  const tenant = options.get('tenant');
  if (tenant !== undefined && TENANT.test(tenant)) return tenant;
  throw usage('a tenant name has 1 to 63 characters of a-z, 0-9 and - (not at the ends)');
}

function line({ id, tenant, createdAt, revokedAt }: ListedApiKey): string {
  const state = revokedAt ? `revoked ${revokedAt.toISOString()}` : 'valid';
  return [id, tenant, createdAt.toISOString(), state].join('\t');
}

/** The id under which operators refer to a key. */
function apiKeyId(keyDigest: Uint8Array): string {
  return Buffer.from(keyDigest.subarray(0, 8)).toString('hex');
}

async function create(deps: ManageApiKeysDeps, argv: readonly string[]): Promise<readonly string[]> {
  const tenant = tenantFrom(parseOptions(argv, ['tenant']));
  const key = encodeBase64url(deps.random(KEY_BYTES));
  const digest = sha256(key);
  await deps.install(tenant, digest);
  return [
    `tenant\t${tenant}`,
    `id\t${apiKeyId(digest)}`,
    `key\t${key}`,
    'The key is displayed only once: store it now.',
  ];
}

async function list(deps: ManageApiKeysDeps, argv: readonly string[]): Promise<readonly string[]> {
  const options = parseOptions(argv, ['tenant']);
  const keys = await deps.list(options.has('tenant') ? tenantFrom(options) : undefined);
  return keys.map(line);
}

async function revoke(deps: ManageApiKeysDeps, argv: readonly string[]): Promise<readonly string[]> {
  const id = parseOptions(argv, ['id']).get('id');
  if (id === undefined || !/^[0-9a-f]{16}$/.test(id))
    throw usage('an id has 16 characters of 0-9 and a-f, as shown by list');
  if ((await deps.revoke(id)) > 0) return [`revoked\t${id}`];
  throw new ApiError({ kind: 'not_found', code: 'api_key_not_found', detail: 'there is no valid key with this id' });
}

/**
 * The operator's command for tenants and their API keys; returns the lines to print. A key is shown once, when it is
 * created, and stored as a digest. Throws `command_invalid` and `api_key_not_found`.
 */
export function manageApiKeys(deps: ManageApiKeysDeps) {
  return function manageApiKeys(argv: readonly string[]): Promise<readonly string[]> {
    const [action, ...rest] = argv;
    if (action === 'create') return create(deps, rest);
    if (action === 'list') return list(deps, rest);
    if (action === 'revoke') return revoke(deps, rest);
    return Promise.reject(usage('a subcommand is required'));
  };
}
