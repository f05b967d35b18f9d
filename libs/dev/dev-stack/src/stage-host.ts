import { startStageHost } from './shared-stages';

/**
 * The host of the stages as a separate process, so that neither it nor a busy test blocks the other. It reports to its
 * parent where it listens, and stops its stages when told to or when the parent has ended.
 */
async function runStageHost(): Promise<void> {
  const host = await startStageHost();
  let stopping: Promise<void> | undefined;
  const end = () => {
    stopping ??= host.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`the stages could not be stopped: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'disconnect'] as const) process.on(signal, end);
  process.send?.({ listening: { stages: host.url } });
}

if (require.main === module) void runStageHost();
