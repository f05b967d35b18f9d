import { spawn } from 'node:child_process';
import path from 'node:path';
import { collectLines } from './last-lines';
import { StackFailure } from './stack-failure';
import { workspaceRoot } from './workspace-root';

/** The host of the shared stages, as a child process. */
export interface StageProcess {
  readonly url: string;
  /** Stops every stage, then the host. */
  stop(): Promise<void>;
}

/**
 * Starts the host with the environment of the tests; it ends with this process.
 * @throws StackFailure `stage_host_failed` with its last lines
 */
export function startStageProcess(environment: Readonly<Record<string, string | undefined>>): Promise<StageProcess> {
  const program = path.join(workspaceRoot, 'dist/libs/dev/dev-stack/src/stage-host.js');
  const child = spawn(process.execPath, ['--enable-source-maps', program], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const log = collectLines([child.stdout, child.stderr], 20);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  return new Promise((resolve, reject) => {
    const fail = () => reject(new StackFailure('stage_host_failed', `it ended: ${log.lines().join(' | ')}`));
    child.once('exit', fail);
    child.once('error', fail);
    child.once('message', (message: { readonly listening: { readonly stages: string } }) => {
      child.off('exit', fail);
      // A second call finds that it has ended.
      const stop = async () => {
        child.kill('SIGTERM');
        await exited;
      };
      resolve({ url: message.listening.stages, stop });
    });
  });
}
