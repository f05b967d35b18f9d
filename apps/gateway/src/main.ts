import { MAX_PAYLOAD_BYTES } from '@vestibule/contracts';
import { VERSION } from '@vestibule/foundation';
import { createAsker, readNatsAccess } from '@vestibule/messaging';
import {
  createHealth,
  createMetrics,
  HOST_CHECKS,
  natsFaults,
  runService,
  showReadiness,
  startHealthServer,
} from '@vestibule/process';
import { GATEWAY_CHECKS } from './checks';
import { gatewayConfiguration } from './config';
import { createManagementListener, createPublicListener } from './gateway';
import { measureQuestions } from './http/durations';
import { closeListener, Retirement } from './http/retirement';
import { HandOvers } from './wallet/hand-overs';
import { UnservedWallets } from './wallet/unserved-wallets';

void runService({
  name: 'gateway',
  version: VERSION,
  configuration: gatewayConfiguration,
  findFaults: natsFaults,
  checks: [...GATEWAY_CHECKS, ...HOST_CHECKS],
  async start({ configuration, logger, onClose, onRetire, listening, fail }) {
    const access = readNatsAccess(configuration);
    const asker = createAsker({ ...access, name: 'gateway', logger, onRefused: fail, payloadBytes: MAX_PAYLOAD_BYTES });
    onClose('bus', () => asker.close());
    const metrics = createMetrics('gateway');
    let listens = false;
    const health = createHealth({ checks: { nats: () => asker.isConnected(), listeners: () => listens } });
    showReadiness(metrics, health);
    const { healthHost, healthPort } = configuration;
    if (healthPort !== undefined) {
      const listener = await startHealthServer({ host: healthHost, port: healthPort, health, metrics });
      onClose('health listener', () => listener.close());
      listening({ health: listener.url });
    }
    const ask = measureQuestions((contract, question) => asker.ask(contract, question), metrics);
    const handOvers = new HandOvers({ ask, logger, stopwatch: () => performance.now() });
    // After the last answer, and before the bus closes.
    onClose('hand-overs', () => handOvers.close());
    const unserved = new UnservedWallets({ ask, logger, stopwatch: () => performance.now() });
    onClose('unserved wallets', () => unserved.close());
    const retirement = new Retirement();
    onRetire(() => {
      retirement.retire();
      health.retire();
    });
    const options = { configuration, version: VERSION, logger, ask, metrics, retirement, handOvers, unserved };
    const management = await createManagementListener(options);
    const wallets = await createPublicListener(options);
    onClose('management listener', () => closeListener(management));
    onClose('public listener', () => closeListener(wallets));
    await management.listen(configuration.managementPort, configuration.managementHost);
    await wallets.listen(configuration.publicPort, configuration.publicHost);
    listens = true;
    listening({ management: await management.getUrl(), public: await wallets.getUrl() });
  },
});
