import { setTimeout } from 'node:timers/promises';
import { BUS_SUBJECTS, MAX_PAYLOAD_BYTES, type Contract, type Readiness } from '@vestibule/contracts';
import { DomainError } from '@vestibule/foundation';
import { busCheck, createAsker, readNatsAccess, type Asker } from '@vestibule/messaging';
import { finding, type Check, type Configuration, type Finding } from '@vestibule/process';
import { identifiesCallers } from './backend/management-guards';
import { managementTls } from './backend/tls';
import type { gatewayConfiguration } from './config';
import { healthChecksOf } from './services';
import { securityTextOf } from './wallet/security-text';

type Values = Configuration<typeof gatewayConfiguration>;

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];
const CONNECT_MILLISECONDS = 5_000;
const LOOK_MILLISECONDS = 50;

const management: Check<Values> = {
  name: 'management listener',
  run({ configuration, clock }) {
    const { managementHost: host } = configuration;
    if (identifiesCallers({ configuration, tls: managementTls(configuration), clock }) || LOOPBACK.includes(host))
      return [];
    return [finding('management_open', `MANAGEMENT_HOST is ${host}`)];
  },
};

const publicListener: Check<Values> = {
  name: 'public listener',
  run({ configuration, clock }) {
    const text = securityTextOf(configuration);
    const found: Finding[] =
      text && text.expiresAt <= clock() ? [finding('security_text_ended', text.expiresAt.toISOString())] : [];
    const { baseUrl, trustedProxies = [] } = configuration;
    if (baseUrl.startsWith('https:') && trustedProxies.length === 0 && configuration.rateLimitPerMinute > 0)
      found.push(finding('proxies_unknown', `BASE_URL is ${baseUrl}`));
    return found;
  },
};

async function untilConnected(asker: Asker): Promise<void> {
  const end = performance.now() + CONNECT_MILLISECONDS;
  while (!asker.isConnected() && performance.now() < end) await setTimeout(LOOK_MILLISECONDS);
}

async function serviceFindings(asker: Asker, name: string, contract: Contract<object, Readiness>) {
  try {
    const { ready, checks } = await asker.ask(contract, {});
    const failed = Object.entries(checks).flatMap(([part, good]) => (good ? [] : [part]));
    return ready ? [] : [finding('service_missing', `${name} is not ready: ${failed.join(', ')}`)];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return [finding('service_missing', `${name} does not answer (${error.code})`)];
  }
}

const services: Check<Values> = {
  name: 'services',
  async run({ configuration, logger }) {
    const quiet = { ...logger, warn: () => undefined, error: () => undefined };
    const access = readNatsAccess(configuration);
    const asker = createAsker({ ...access, name: 'gateway', logger: quiet, payloadBytes: MAX_PAYLOAD_BYTES });
    try {
      await untilConnected(asker);
      // Without NATS there is nothing to say about services: another check has said what is wrong.
      if (!asker.isConnected()) return [];
      const asked = healthChecksOf(configuration.services);
      return (await Promise.all(asked.map(([name, contract]) => serviceFindings(asker, name, contract)))).flat();
    } finally {
      await asker.close();
    }
  },
};

/** What `vestibule doctor gateway` checks. */
export const GATEWAY_CHECKS: readonly Check<Values>[] = [
  management,
  publicListener,
  busCheck({ name: 'gateway', asked: Object.values(BUS_SUBJECTS).flat() }),
  services,
];
