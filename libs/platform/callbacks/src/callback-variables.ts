import {
  ANY_TARGET,
  ConfigurationFault,
  integerSetting,
  listSetting,
  optionalVariable,
  originProxiesSetting,
  parseOrigin,
  readConfigurationFile,
  receiverUrlSetting,
  secondsSetting,
  textSetting,
  variable,
  type Configuration,
} from '@vestibule/process';
import { z } from 'zod';
import type { CallbackTarget } from './callback-target';
import type { DeliveryLimits } from './delivery-policy';
import { parseWebhookKey, type WebhookKey } from './webhook-signature';

/** A list whose items `parse` must accept; `expectation` describes them. */
function parsedList<Item>(
  expectation: string,
  parse: (text: string) => Item | undefined,
): z.ZodType<readonly Item[], string> {
  return listSetting().transform((items, context) => {
    const parsed = items.map(parse);
    const usable = parsed.filter((item) => item !== undefined);
    if (usable.length === parsed.length) return usable;
    context.addIssue({ code: 'custom', message: expectation });
    return z.NEVER;
  });
}

const webhookKeysSetting = (): z.ZodType<readonly WebhookKey[], string> =>
  parsedList('must be whsec_ secrets or whsk_ keys separated by commas', parseWebhookKey);

/** Without duplicates: a repeated origin must not get twice the concurrency and rate. */
const originsSetting = (): z.ZodType<readonly string[], string> =>
  parsedList('must be http or https origins separated by commas', parseOrigin).transform((origins) => [
    ...new Set(origins),
  ]);

/** The callback settings of every service that reports to a backend. */
export const callbackVariables = {
  callbackUrl: variable('CALLBACK_URL', receiverUrlSetting(), {
    category: 'Callbacks',
    description: 'Backend endpoint that receives the events; http is acceptable on an internal network',
  }),
  callbackAuthorization: optionalVariable('CALLBACK_AUTHORIZATION', textSetting(), {
    category: 'Callbacks',
    description: 'Value of the Authorization header of callbacks to the origin of CALLBACK_URL',
    secret: true,
  }),
  callbackKeys: optionalVariable('CALLBACK_SECRETS', webhookKeysSetting(), {
    category: 'Callbacks',
    description:
      'Comma-separated shared secrets (whsec_…) and Ed25519 private keys (whsk_…) that sign each callback according to Standard Webhooks; list several during a rotation',
    secret: true,
  }),
  callbackAuthoritiesFile: optionalVariable('CALLBACK_CA_FILE', textSetting(), {
    category: 'Callbacks',
    description:
      'PEM file with the certification authorities of https receivers. If not set, those of Node.js are trusted',
  }),
  callbackProxies: optionalVariable('CALLBACK_PROXY', originProxiesSetting(), {
    category: 'Callbacks',
    description:
      'Outbound HTTP proxy (CONNECT) for callbacks, such as http://proxy.internal:3128, or comma-separated origin=url; may contain a user and password',
    secret: true,
  }),
  callbackOrigins: optionalVariable('CALLBACK_ORIGINS', originsSetting(), {
    category: 'Callbacks',
    description:
      'Comma-separated origins (https://host or http://host:port) that callback_url of a request or offer may have. If not set, callback_url is not allowed',
  }),
  callbackLifetimeSeconds: variable('CALLBACK_LIFETIME_SECONDS', secondsSetting(1, 2_592_000), {
    category: 'Callbacks',
    description: 'How long delivery of an event is retried before it becomes a dead letter without payload',
    default: '86400',
  }),
  callbackConcurrency: variable('CALLBACK_CONCURRENCY', integerSetting(1, 1_000), {
    category: 'Callbacks',
    description: 'Maximum number of concurrent callbacks from this process to one receiver',
    default: '16',
  }),
  callbackRatePerSecond: variable('CALLBACK_RATE_PER_SECOND', integerSetting(1, 100_000), {
    category: 'Callbacks',
    description: 'Maximum number of callbacks per second from this process to one receiver',
    default: '500',
  }),
};

export type CallbackConfiguration = Configuration<typeof callbackVariables>;

function readAuthorities(file: string): string {
  const fail = (reason: string) => new ConfigurationFault([{ path: 'CALLBACK_CA_FILE', message: `${file} ${reason}` }]);
  return readConfigurationFile(file, fail).toString('utf8');
}

/** A proxy to an origin where nothing is sent is a misspelt one: what it was meant for would be sent directly. */
function requireReceivers({ callbackUrl, callbackOrigins = [], callbackProxies }: CallbackConfiguration): void {
  const known = new Set([ANY_TARGET, new URL(callbackUrl).origin, ...callbackOrigins]);
  if ([...(callbackProxies?.keys() ?? [])].every((origin) => known.has(origin))) return;
  const message = 'must only name the origins of CALLBACK_URL and CALLBACK_ORIGINS';
  throw new ConfigurationFault([{ path: 'CALLBACK_PROXY', message }]);
}

/**
 * The receivers in a configuration. Throws `configuration_invalid` if the file of authorities cannot be read, or if a
 * proxy is for none of them.
 */
export function callbackTargetOf(configuration: CallbackConfiguration): CallbackTarget {
  requireReceivers(configuration);
  const { callbackAuthoritiesFile: file } = configuration;
  return {
    url: configuration.callbackUrl,
    authorization: configuration.callbackAuthorization,
    keys: configuration.callbackKeys ?? [],
    proxies: configuration.callbackProxies,
    origins: configuration.callbackOrigins ?? [],
    ...(file === undefined ? {} : { authorities: readAuthorities(file) }),
  };
}

/** The delivery limits in a configuration. */
export function callbackLimitsOf(configuration: CallbackConfiguration): Partial<DeliveryLimits> {
  return { concurrency: configuration.callbackConcurrency, ratePerSecond: configuration.callbackRatePerSecond };
}
