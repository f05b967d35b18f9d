import { startBroker } from '@vestibule/dev-stack';

/** As large as the product asks of NATS. */
const MAX_PAYLOAD_BYTES = 2 * 1024 * 1024;

/** The embedded broker as a process of its own, so that its processor time can be told apart. Ends with its parent. */
async function serve(): Promise<void> {
  const { url } = await startBroker({ maxPayloadBytes: MAX_PAYLOAD_BYTES });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ url });
}

if (require.main === module) void serve();
