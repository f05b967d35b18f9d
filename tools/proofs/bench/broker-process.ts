import { startBroker } from '@vestibule/dev-stack';

/** As large as the product requires of NATS. */
const MAX_PAYLOAD_BYTES = 2 * 1024 * 1024;

/**
 * The embedded broker in a separate process, so that its processor time can be measured separately. Ends with its
 * parent.
 */
async function serve(): Promise<void> {
  const { url } = await startBroker({ maxPayloadBytes: MAX_PAYLOAD_BYTES });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ url });
}

if (require.main === module) void serve();
