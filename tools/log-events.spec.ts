import { readFileSync } from 'node:fs';
import path from 'node:path';
import { filesBelow } from './docs/repository-files';
import { logSentences } from './log-sentences';

const root = path.resolve(__dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const isProduct = (file: string) =>
  /^(?:apps|libs\/platform)\/.*\.ts$/.test(file) && !/spec\.ts$|\.stage\.ts$|\/testing\//.test(file);
/** Its lines are for the terminal of an operator, and Nest's own are named by the page as a whole. */
const NOT_OURS = ['apps/cli/', 'libs/platform/process/src/nest-logger.ts'];
const files = ['apps', 'libs']
  .flatMap((top) => filesBelow(root, top))
  .filter((file) => isProduct(file) && NOT_OURS.every((start) => !file.startsWith(start)));

/** Where a sentence is passed on, and the texts that it may be: each is in that file. */
const PASSED_ON: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'libs/platform/process/src/run-service.ts': [
    ['libs/platform/process/src/run-service.ts', 'a rejected promise was not handled'],
    ['libs/platform/process/src/run-service.ts', 'an exception was not caught'],
  ],
  'libs/platform/process/src/expiry-warning.ts': [
    ['apps/verifier/src/adapters/keys/expiry-warning.ts', 'the access certificate expires soon'],
    ['apps/verifier/src/adapters/keys/expiry-warning.ts', 'no access certificate is valid: new requests fail'],
    ['apps/verifier/src/adapters/keys/open-keys.ts', 'a registration certificate expires soon'],
    [
      'apps/verifier/src/adapters/keys/open-keys.ts',
      'a registration certificate has expired: wallets warn their users, or refuse its requests',
    ],
    ['apps/verifier/src/adapters/keys/relying-parties.ts', 'the access certificate of a relying party expires soon'],
    [
      'apps/verifier/src/adapters/keys/relying-parties.ts',
      'no access certificate of a relying party is valid: its new requests fail',
    ],
    ['apps/issuer/src/adapters/keys/watch-issuer-keys.ts', 'the issuer certificate expires soon'],
    [
      'apps/issuer/src/adapters/keys/watch-issuer-keys.ts',
      'the issuer certificate is not valid: nothing can be issued',
    ],
    ['apps/issuer/src/adapters/keys/watch-issuer-keys.ts', 'the access certificate of the issuer expires soon'],
    [
      'apps/issuer/src/adapters/keys/watch-issuer-keys.ts',
      'the access certificate of the issuer is not valid: its metadata cannot be signed',
    ],
  ],
  'libs/platform/messaging/src/asker.ts': [
    ['libs/platform/messaging/src/asker.ts', 'an answer has a contract version that this program does not understand'],
  ],
  'libs/platform/messaging/src/nats-server.ts': [
    ['libs/platform/messaging/src/nats-server.ts', 'a message could not be handled'],
    ['libs/platform/messaging/src/nats-server.ts', 'an answer could not be sent'],
  ],
  // Adds a field, and passes on the sentences of expiry-warning.ts.
  'apps/verifier/src/adapters/keys/relying-parties.ts': [],
  'apps/verifier/src/adapters/keys/trust-file.ts': [
    [
      'apps/verifier/src/adapters/keys/trust-file.ts',
      'issuerBinding is none: anyone whom such an anchor certifies, directly or indirectly, may claim any iss',
    ],
  ],
  'apps/gateway/src/http/untrusted-proxies.ts': [
    [
      'apps/gateway/src/http/untrusted-proxies.ts',
      'requests carry X-Forwarded-For or Forwarded, but come from a peer that is not in TRUSTED_PROXIES: if it is your proxy, all wallets behind it share one rate limit; set TRUSTED_PROXIES to its address',
    ],
  ],
  'apps/gateway/src/backend/host-names.ts': [
    [
      'apps/gateway/src/backend/host-names.ts',
      'a request was addressed to a host that is not in MANAGEMENT_HOSTS: a later version will reject it',
    ],
    ['apps/gateway/src/backend/host-names.ts', 'a request had no valid Host: a later version will reject it'],
  ],
  'apps/wallet-store/src/adapters/threads/canonicalization-worker.ts': [
    ['apps/wallet-store/src/adapters/threads/canonicalization-worker.ts', 'a thread did not start in time'],
    ['apps/wallet-store/src/adapters/threads/canonicalization-worker.ts', 'a thread ended'],
    ['apps/wallet-store/src/adapters/threads/canonicalization-worker.ts', 'a thread failed'],
    ['apps/wallet-store/src/adapters/threads/canonicalization-worker.ts', 'a W3C document took too long'],
  ],
};

const found = files.flatMap((file) => logSentences(file, read(file)));
const passedOn = Object.values(PASSED_ON).flat();
const sentences = new Set([...found.flatMap(({ sentence }) => sentence ?? []), ...passedOn.map(([, text]) => text)]);
const page = read('docs/log-events.md');
const rows = page.split('\n').flatMap((line) => /^\| `([^`]+)` +\|/.exec(line)?.[1] ?? []);

describe('the page of log events', () => {
  it('has every sentence that the code can log', () => {
    expect([...sentences].filter((sentence) => !rows.includes(sentence)).sort()).toEqual([]);
  });

  it('has no sentence that the code does not log, and none twice', () => {
    expect(rows.filter((sentence) => !sentences.has(sentence))).toEqual([]);
    expect(rows.filter((sentence, index) => rows.indexOf(sentence) !== index)).toEqual([]);
  });

  it('knows every place where a sentence is passed on, and the texts that it may be', () => {
    const places = new Set(
      found.flatMap(({ sentence, place }) => (sentence === undefined ? [place.split(':')[0]] : [])),
    );
    expect([...places].sort()).toEqual(Object.keys(PASSED_ON).sort());
    // A text may be put together from a template and a constant.
    const lost = passedOn.filter(([file, text]) => text.split(': ').some((part) => !read(file).includes(part)));
    expect(lost).toEqual([]);
  });

  it('says what to do about every warning and error', () => {
    const levels = new Map(found.map(({ level, sentence }) => [sentence, level]));
    expect(rows.length).toBeGreaterThan(0);
    const silent = page.split('\n').filter((line) => {
      const [, sentence, , remedy] = /^\| `([^`]+)` +\|([^|]+)\|([^|]+)\|/.exec(line) ?? [];
      return (
        sentence !== undefined && ['warn', 'error'].includes(levels.get(sentence) ?? '') && (remedy ?? '').trim() === ''
      );
    });
    expect(silent).toEqual([]);
  });
});

describe('the sentences of a file', () => {
  it('are found in every form of a call, and others are not', () => {
    const text = `this.logger.warn('one'); options.logger.error(x ? 'two' : 'three', { a }); this.#logger.info(y);
      logger
        .debug(\`four\`); response.error('five'); console.log('six');`;
    const all = logSentences('a.ts', text);
    expect(all.map(({ level, sentence }) => [level, sentence])).toEqual([
      ['warn', 'one'],
      ['error', 'two'],
      ['error', 'three'],
      ['info', undefined],
      ['debug', 'four'],
    ]);
  });
});
