import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** What the wallet made of a command; `error` names the exceptions of the libraries. */
export interface Told {
  readonly error?: string;
  readonly credentials?: readonly string[];
  readonly deferred?: boolean;
  readonly status?: string;
  readonly outcome?: 'accepted' | 'rejected';
  readonly refused?: string;
  readonly redirectUri?: string;
}

/** A wallet in a process of its own. */
export interface EuWallet {
  tell(command: object): Promise<Told>;
  stop(): Promise<void>;
}

/** Compiles the wallet with Maven, which fetches the libraries, into `target`. Returns the class path; undefined if it cannot be. */
export function compileWallet(folder: string, target: string): string | undefined {
  const argv = ['-q', '-B', '-f', path.join(folder, 'pom.xml'), 'compile'];
  const { status } = spawnSync('mvn', argv, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) return undefined;
  return [path.join(target, 'classes'), readFileSync(path.join(target, 'classpath'), 'utf8')].join(path.delimiter);
}

export function startWallet(classPath: string, place: object): EuWallet {
  const child = spawn('java', ['-cp', classPath, 'MainKt', JSON.stringify(place)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const end = () => void child.kill();
  process.once('exit', end);
  const waiting: { resolve: (line: string) => void; reject: (error: Error) => void }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.resolve(line));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  void closed.then(() => {
    for (const { reject } of waiting.splice(0)) reject(new Error('the wallet ended'));
  });
  return {
    tell: async (command) => {
      const line = await new Promise<string>((resolve, reject) => {
        if (child.exitCode !== null) return reject(new Error('the wallet ended'));
        waiting.push({ resolve, reject });
        child.stdin.write(`${JSON.stringify(command)}\n`);
      });
      return JSON.parse(line) as Told;
    },
    stop: async () => {
      child.stdin.end();
      await closed;
      process.off('exit', end);
    },
  };
}
