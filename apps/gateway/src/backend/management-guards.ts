import { X509Certificate } from 'node:crypto';
import { DomainError } from '@vestibule/foundation';
import type { Configuration } from '@vestibule/process';
import type { gatewayConfiguration } from '../config';
import type { EarlyGuard } from '../http/early-guard';
import type { RouteTable } from '../http/routes';
import { createTokenVerifier, type VerifyToken } from './access-tokens';
import { BearerKeyGuard } from './bearer-key.guard';
import { allowedClients, ClientCertificateGuard } from './client-certificate.guard';
import { callersFault, readManagementCallers, type ManagementCallers, type ManagementKey } from './management-callers';
import { probeAddresses } from './probes';
import { ScopeGuard, SCOPES } from '../http/scopes';
import type { MutualTls } from './tls';

type Values = Configuration<typeof gatewayConfiguration>;

export interface GuardOptions {
  readonly configuration: Values;
  readonly table: RouteTable;
  readonly tls: MutualTls | undefined;
  readonly clock: () => Date;
}

/** The guards of the management listener. */
export interface ManagementGuards {
  /** Who may use the listener, whatever the address; none if anyone may. */
  readonly callers: readonly EarlyGuard[];
  /** Who may use which route. */
  readonly routes: readonly EarlyGuard[];
}

/** Throws `management_token_incomplete` if only some of the settings are there. */
function tokenVerifier(
  { tokenIssuer, tokenAudience, tokenJwksUrl, tokenAlgorithms }: Values,
  clock: () => Date,
): VerifyToken | undefined {
  const given = [tokenIssuer, tokenAudience, tokenJwksUrl].filter((one) => one !== undefined);
  if (given.length === 0) return undefined;
  if (tokenIssuer === undefined || tokenAudience === undefined || tokenJwksUrl === undefined) {
    const detail = 'set MANAGEMENT_TOKEN_ISSUER, MANAGEMENT_TOKEN_AUDIENCE and MANAGEMENT_TOKEN_JWKS_URL together';
    throw new DomainError({ kind: 'internal', code: 'management_token_incomplete', detail });
  }
  const settings = { issuer: tokenIssuer, audience: tokenAudience, jwksUrl: tokenJwksUrl, algorithms: tokenAlgorithms };
  return createTokenVerifier(settings, clock);
}

/** What callers identify themselves with. */
interface Credentials {
  /** Undefined without a file of callers. */
  readonly named: ManagementCallers | undefined;
  readonly keys: readonly ManagementKey[];
  readonly verifyToken: VerifyToken | undefined;
}

/** The configured credentials. Throws `management_callers_invalid` and `management_token_incomplete`. */
function readCredentials({ configuration, tls, clock }: Omit<GuardOptions, 'table'>): Credentials {
  const { managementKeyDigests = [], managementCallersFile: file } = configuration;
  const named = file === undefined ? undefined : readManagementCallers(file);
  if (file !== undefined && named?.scopesOfClient && !tls)
    throw callersFault(`${file} names clients, which have no effect without mutual TLS`);
  const keys = [...managementKeyDigests.map((digest) => ({ digest, scopes: SCOPES })), ...(named?.keys ?? [])];
  return { named, keys, verifyToken: tokenVerifier(configuration, clock) };
}

/** True if callers of the management listener must identify themselves. Throws as {@link managementGuards}. */
export function identifiesCallers(options: Omit<GuardOptions, 'table'>): boolean {
  const { keys, verifyToken } = readCredentials(options);
  return options.tls !== undefined || keys.length > 0 || verifyToken !== undefined;
}

/**
 * Who may use the management listener and for what, as configured. Keys of `MANAGEMENT_KEY_DIGESTS`, and client
 * certificates without an entry for clients, have all scopes. Throws `management_callers_invalid` and
 * `management_token_incomplete`.
 */
export function managementGuards(options: GuardOptions): ManagementGuards {
  const { configuration, table, tls, clock } = options;
  const { named, keys, verifyToken } = readCredentials(options);
  const isOpen = probeAddresses(table);
  const isAllowed = tls && allowedClients(configuration.managementClientNames, new X509Certificate(tls.cert));
  const scopesOf = named?.scopesOfClient ?? (() => SCOPES);
  const callers = [
    ...(isAllowed ? [new ClientCertificateGuard({ isOpen, isAllowed, scopesOf, clock })] : []),
    ...(keys.length > 0 || verifyToken ? [new BearerKeyGuard({ keys, verifyToken, isOpen })] : []),
  ];
  return { callers, routes: callers.length === 0 ? [] : [new ScopeGuard(table)] };
}
