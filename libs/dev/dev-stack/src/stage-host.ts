import { startStageHost } from './shared-stages';

/**
 * The host of the stages as a process of its own, so that neither a test that computes holds it up nor it a test. It tells
 * its parent where it listens, and stops its stages when it is told to or when the parent is gone.
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
