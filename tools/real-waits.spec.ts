import { readFileSync } from 'node:fs';
import path from 'node:path';
import { filesBelow } from './docs/repository-files';

const root = path.resolve(__dirname, '..');

/** What waits for a time and not for what has to happen. `jest.setTimeout` only ends what hangs. */
const REAL_WAIT =
  /(?<!jest\.)\bsetTimeout\s*\(|\bsetTimeout\b(?=[^;]*from 'node:timers|[^;]*from 'timers)|timers\/promises|\bAtomics\.wait\(|\bpg_sleep\(|\bsleep\s+[\d.]/;

/** Why a test may wait nevertheless. No other file may, and a file that no longer does is no exception. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'apps/verifier/src/adapters/postgres/purging-replicas.int-spec.ts':
    'replicas purge at intervals, and deletions take their time; no test waits for either',
  'apps/verifier/src/adapters/http/revocation-lists-seen.spec.ts': 'its timers are fake',
  'apps/verifier/src/adapters/http/revocation-lists.fuzz-spec.ts': 'its timers are fake',
  'apps/wallet-store/src/search-limits.int-spec.ts': 'a search that takes too long is what is tested',
  'e2e/src/tenant-share.e2e-spec.ts': 'searches that take too long are what is tested',
  'e2e/src/ready-balancer.ts': 'a balancer asks for readiness at intervals; no test waits for one',
  'apps/wallet-store/src/adapters/threads/canonicalizer.spec.ts': 'a thread that takes its time is what is tested',
  'apps/wallet-store/src/adapters/threads/thread-creation.spec.ts': 'a process that stands still is what is tested',
  'libs/dev/testkit/src/fastest.spec.ts': 'a thread that does not get the processor is what is tested',
  'libs/platform/callbacks/src/delivery-lane-schedule.spec.ts': 'its timers are fake',
  'libs/platform/messaging/src/drain.int-spec.ts': 'a question that takes long is what is tested',
  'libs/platform/persistence/src/black-hole.int-spec.ts': 'a statement that takes too long is what is tested',
  'libs/platform/persistence/src/database.int-spec.ts': 'a statement that takes too long is what is tested',
  'libs/platform/persistence/src/late-connection.int-spec.ts': 'a process that stands still is what is tested',
  'tools/ci-steps.spec.ts': 'a lane of CI that takes its time is what is tested',
  'tools/jest-realm.spec.ts': 'that timers are real again is what is tested',
  'tools/proofs/purge/places.spec.ts': 'a process that is busy for longer than a connection is kept is what is tested',
  'tools/real-waits.spec.ts': 'the samples below',
  'tools/test-runs.spec.ts': 'a process that is left open is what is tested; nobody waits for it',
};

const isTest = (file: string) => /spec\.ts$/.test(file) || file.startsWith('e2e/');
const findWaits = (texts: ReadonlyMap<string, string>) =>
  [...texts].filter(([, text]) => REAL_WAIT.test(text)).map(([file]) => file);

describe('a property test', () => {
  it('leaves its time limit to the run: `npm run fuzz` gives an hour, which a limit in the file would take back', () => {
    const files = ['apps', 'libs']
      .flatMap((folder) => filesBelow(root, folder))
      .filter((file) => /spec\.ts$/.test(file));
    const limited = files.filter((file) => {
      const text = readFileSync(path.join(root, file), 'utf8');
      return /from 'fast-check'/.test(text) && /jest\.setTimeout\(|^ *\}, [\d_]+_000\);$/m.test(text);
    });
    expect(limited.filter((file) => /fuzz-spec\.ts$/.test(file) || file.startsWith('libs/core/'))).toEqual([]);
  });
});

describe('a test', () => {
  const files = ['apps', 'libs', 'e2e', 'tools'].flatMap((folder) => filesBelow(root, folder)).filter(isTest);
  const texts = new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));

  it('waits for what has to happen (`until` of the testkit), never for a fixed time', () => {
    expect(findWaits(texts).filter((file) => EXCEPTIONS[file] === undefined)).toEqual([]);
  });

  it('is an exception only as long as it needs to be', () => {
    const waiting = findWaits(texts);
    expect(Object.keys(EXCEPTIONS).filter((file) => !waiting.includes(file))).toEqual([]);
  });

  it.each([
    'await new Promise((resolve) => setTimeout(resolve, 50));',
    "import { setTimeout as sleep } from 'node:timers/promises';",
    "import { setTimeout } from 'node:timers';",
    "const { setTimeout: sleep } = require('node:timers/promises');",
    'Atomics.wait(cell, 0, 0, 50);',
    "await query('SELECT pg_sleep(0.3)');",
    "spawnSync('sh', ['-c', 'sleep 1']);",
  ])('that waits with %s is found', (text) => {
    expect(findWaits(new Map([['a', text]]))).toEqual(['a']);
  });

  it.each([
    'jest.setTimeout(180_000);',
    'await until(() => isDone);',
    'jest.advanceTimersByTime(5);',
    'backoff.delay()',
  ])('with %s is none', (text) => expect(findWaits(new Map([['a', text]]))).toEqual([]));
});
