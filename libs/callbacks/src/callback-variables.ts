import {
  integerSetting,
  listSetting,
  optionalVariable,
  receiverUrlSetting,
  secondsSetting,
  textSetting,
  variable,
  type Configuration,
} from '@vestibule/service';
import { z } from 'zod';
import type { CallbackTarget } from './post-callback';
import { parseWebhookSecret } from './webhook-signature';

function webhookSecretsSetting(): z.ZodType<readonly Uint8Array[], string> {
  return listSetting().transform((items, context) => {
    const secrets = items.map(parseWebhookSecret);
    const usable = secrets.filter((secret) => secret !== undefined);
    if (usable.length === secrets.length) return usable;
    context.addIssue({ code: 'custom', message: 'must be whsec_ secrets separated by commas' });
    return z.NEVER;
  });
}

/** What every service that reports to a backend can be told about its callbacks. */
export const callbackVariables = {
  callbackUrl: variable('CALLBACK_URL', receiverUrlSetting(), {
    category: 'Callbacks',
    description: 'Endpoint of the backend that gets the events; plain http is fine on an internal network',
  }),
  callbackAuthorization: optionalVariable('CALLBACK_AUTHORIZATION', textSetting(), {
    category: 'Callbacks',
    description: 'Sent as the Authorization header of each callback',
    secret: true,
  }),
  callbackSecrets: optionalVariable('CALLBACK_SECRETS', webhookSecretsSetting(), {
    category: 'Callbacks',
    description:
      'Secrets (whsec_…, separated by commas) that sign each callback as Standard Webhooks say; several while they rotate',
    secret: true,
  }),
  callbackLifetimeSeconds: variable('CALLBACK_LIFETIME_SECONDS', secondsSetting(1, 2_592_000), {
    category: 'Callbacks',
    description: 'How long delivery of an event is tried before it becomes a dead letter without payload',
    default: '86400',
  }),
  callbackConcurrency: variable('CALLBACK_CONCURRENCY', integerSetting(1, 1_000), {
    category: 'Callbacks',
    description: 'Callbacks that this process posts at the same time',
    default: '16',
  }),
};

/** The receiver that a configuration names. */
export function callbackTargetOf(configuration: Configuration<typeof callbackVariables>): CallbackTarget {
  return {
    url: configuration.callbackUrl,
    authorization: configuration.callbackAuthorization,
    secrets: configuration.callbackSecrets ?? [],
  };
}
