import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import { fastestMilliseconds } from '@vestibule/testkit';
import fc from 'fast-check';
import { peekJwt } from './callbacks';
import { ServerRefusal, WalletRefusal } from './refusal';
import { readSdJwt } from './sd-jwt';
import { requestedKeys } from './select-credentials';
import { createWallet } from './wallet';

const sources = readdirSync(__dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
  .map((name) => path.join(__dirname, name));

describe('the wallet', () => {
  it('judges our services with nothing of ours: no file of it imports another library of this repository', () => {
    expect(sources.length).toBeGreaterThan(20);
    const guilty = sources.filter((file) => /@vestibule\/|from '\.\.\/\.\.\//.test(readFileSync(file, 'utf8')));
    expect(guilty).toEqual([]);
  });
});

describe('a refusal', () => {
  it('prints neither its cause nor the answer behind it', () => {
    const canary = 'Ms-Canary-Family-Name';
    const exchange = { status: 400, headers: new Headers({ x: canary }), text: `{"error":"x","claim":"${canary}"}` };
    const refusals = [new WalletRefusal('aud_wrong', 'no', new Error(canary)), new ServerRefusal('token', exchange)];
    const printed = refusals.map(
      (refusal) => inspect(refusal, { depth: 9, showHidden: true }) + JSON.stringify(refusal),
    );
    expect(printed.join()).not.toContain(canary);
    expect(String((refusals[0] as WalletRefusal).hiddenCause())).toContain(canary);
  });
});

describe('requested keys', () => {
  const available = ['a', 'a.b', 'a.b.c', 'a.bc', 'list.0', 'list.1', 'list.1.x', 'x+y'];

  it.each<[string[], (string | number | null)[]]>([
    [
      ['a', 'a.b', 'a.b.c'],
      ['a', 'b'],
    ],
    [['a', 'a.b', 'a.b.c', 'a.bc'], ['a']],
    [
      ['list.1', 'list.1.x'],
      ['list', 1],
    ],
    [
      ['list.0', 'list.1', 'list.1.x'],
      ['list', null],
    ],
    [
      ['list.0', 'list.1', 'list.1.x'],
      ['list', null, 'x'],
    ],
    [['x+y'], ['x+y']],
    [[], ['other']],
  ])('are %j for %j', (keys, claimPath) => {
    expect(requestedKeys(available, [claimPath])).toEqual(keys);
  });
});

describe('a stranger’s bytes', () => {
  const refused = async (attempt: Promise<unknown>): Promise<void> => {
    const error: unknown = await attempt.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WalletRefusal);
  };
  const part = fc.oneof(
    fc.string(),
    fc.json().map((json) => Buffer.from(json).toString('base64url')),
  );
  const jwtLike = fc.tuple(part, part, part).map((parts) => parts.join('.'));

  it('end in a refusal as offer, as request and as credential', async () => {
    const wallet = createWallet({ fetch: () => Promise.reject(new TypeError('no network')) });
    const text = fc.oneof(
      fc.string(),
      fc.webUrl(),
      fc.string().map((rest) => `openid4vp://?client_id=${rest}`),
    );
    await fc.assert(fc.asyncProperty(text, (uri) => refused(wallet.present(uri))));
    await fc.assert(fc.asyncProperty(text, (uri) => refused(wallet.redeemOffer(uri))));
    const offer = fc.json().map((json) => `openid-credential-offer://?credential_offer=${encodeURIComponent(json)}`);
    await fc.assert(fc.asyncProperty(offer, (uri) => refused(wallet.redeemOffer(uri))));
    await fc.assert(fc.asyncProperty(jwtLike, (jwt) => refused(readSdJwt(`${jwt}~x~`))));
  });

  it('never break the reader of JWTs, whatever their length', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), jwtLike), (jwt) => void peekJwt(jwt)));
    const milliseconds = fastestMilliseconds(() => {
      expect(peekJwt('.'.repeat(100_000))).toBeUndefined();
      expect(peekJwt(`${'A'.repeat(100_000)}.A.A`)).toBeUndefined();
    });
    expect(milliseconds).toBeLessThan(50);
  });
});
