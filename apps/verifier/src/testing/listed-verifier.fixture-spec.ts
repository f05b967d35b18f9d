import { until } from '@vestibule/testkit';
import { createReloading } from '@vestibule/keys';
import { readTrustFile } from '../adapters/keys/trust-file';
import { createListedTrust, type ListedTrustOptions } from '../adapters/lists/listed-trust';
import { createMemoryLogger, type Folder } from './key-files.fixture-spec';
import { runVerifier } from './running-verifier.fixture-spec';
import { followingLists, type ListHost } from './trusted-lists.fixture-spec';
import { answerForm, type World } from './verifier.fixture-spec';

export interface ListedSurroundings {
  readonly world: World;
  /** Of its trust file. */
  readonly files: Folder;
  readonly host: ListHost;
  /** The time at which it starts. */
  readonly begin: Date;
}

/** A verifier that trusts whom a list names; its clock can be turned. */
export function openListedVerifier(
  { world, files, host, begin }: ListedSurroundings,
  content: object,
  more: Partial<ListedTrustOptions>,
) {
  const time = { now: begin };
  const logger = createMemoryLogger();
  const file = files.write('trust.json', JSON.stringify({ issuerBinding: { policy: 'none' }, ...content }));
  const reloading = createReloading({
    what: 'trust',
    load: (reader) => readTrustFile(file, { files: reader, logger, skewSeconds: 60 }),
    logger,
  });
  const options = followingLists(host, more);
  const clock = () => time.now;
  const listed = createListedTrust(reloading.current, { ...options, clock, logger, skewSeconds: 60 });
  listed.follow();
  const running = runVerifier(world, { trust: listed.trust });
  return {
    ...listed,
    time,
    logger,
    metrics: options.metrics,
    async change(rest: object) {
      files.write('trust.json', JSON.stringify({ issuerBinding: { policy: 'none' }, ...rest }));
      await reloading.refresh();
      listed.follow();
    },
    tried: () => until(() => listed.isTried()),
    /** How a request ends that is answered with a credential of the world’s issuer. */
    async outcome() {
      const request = await running.ask();
      const form = await answerForm(world, request, 'cross-device');
      await running.verifier.submitPresentation({ state: request.state, form }).catch((error: unknown) => {
        expect(['invalid_request', 'server_error']).toContain((error as { code?: unknown }).code);
      });
      const { status, event } = running.endings.at(-1) ?? {};
      const details = event && 'errorDetails' in event ? event.errorDetails : undefined;
      return [status, details?.split(':')[0]];
    },
  };
}
