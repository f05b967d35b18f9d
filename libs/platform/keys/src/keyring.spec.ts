/** @jest-environment ./tools/jest-context-environment.cjs */
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { toPem } from '@vestibule/dev-pki';
import type { RemoteDescription } from './description';
import { LastingFailure, type RemoteKey } from './device';
import { createKeyring, type Keyring } from './keyring';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const INPUT = Buffer.from('what is signed');
const raw = (input: Uint8Array, key = privateKey) => sign('sha256', input, { key, dsaEncoding: 'ieee-p1363' });
const code = (expected: string) => expect.objectContaining({ code: expected }) as unknown;
const DESCRIPTION = JSON.stringify({ provider: 'https', url: 'https://keys.example', key: 'issuer', attempts: 1 });

/** A keyring whose devices sign as `signing` says. */
function open(signing: (input: Uint8Array, calls: number) => Promise<Uint8Array>) {
  const lines: string[] = [];
  const opened: RemoteDescription[] = [];
  const measured: unknown[] = [];
  const seen = { calls: 0, closed: 0 };
  const keyring = createKeyring({
    logger: { info: (message) => void lines.push(message), error: (message) => void lines.push(message) },
    metrics: {
      durations:
        () =>
        (_seconds, ...labels) =>
          void measured.push(labels),
    },
    open(described) {
      opened.push(described);
      const key: Pick<RemoteKey, 'sign' | 'close'> = {
        sign: (input) => signing(input, (seen.calls += 1)),
        close: () => Promise.resolve(void (seen.closed += 1)),
      };
      return key as RemoteKey;
    },
  });
  return { keyring, lines, opened, measured, seen };
}

function signerOf(keyring: Keyring, description = DESCRIPTION) {
  const key = keyring.open(description);
  if ('keyPem' in key) throw new RangeError('not in a device');
  return key.signerOf(publicKey);
}

describe('a keyring', () => {
  it('has one connection for equal descriptions, and closes it', async () => {
    const { keyring, opened, seen, measured } = open((input) => Promise.resolve(raw(input)));
    for (const signer of [signerOf(keyring), signerOf(keyring)]) {
      await signer.check();
      await signer.sign(INPUT);
    }
    signerOf(keyring, DESCRIPTION.replace('"issuer"', '"other"'));
    await keyring.close();
    expect([opened.length, seen.closed, measured[0]]).toEqual([2, 2, ['https', 'signed']]);
  });

  it('VCI:V23 never lets a wrong signature out, and does not ask for it again', async () => {
    const { keyring, seen, measured } = open((input) => Promise.resolve(raw(input, stranger.privateKey)));
    await expect(signerOf(keyring).sign(INPUT)).rejects.toEqual(code('signature_invalid'));
    expect([seen.calls, measured]).toEqual([1, [['https', 'wrong']]]);
  });

  it('VCI:V3 leaves a device alone that stays away, tells so once, and signs again when it is back', async () => {
    jest.useFakeTimers({ doNotFake: ['setTimeout', 'setImmediate', 'nextTick', 'queueMicrotask', 'Date'] });
    try {
      const state = { isAway: true };
      const { keyring, lines, seen } = open((input) =>
        state.isAway ? Promise.reject(new LastingFailure('away')) : Promise.resolve(raw(input)),
      );
      const signer = signerOf(keyring);
      for (let tried = 0; tried < 5; tried += 1)
        await expect(signer.sign(INPUT)).rejects.toEqual(code('signer_unavailable'));
      expect(seen.calls).toBe(3);
      expect(() => signer.requireReady()).toThrow(code('signer_unavailable') as Error);
      state.isAway = false;
      jest.advanceTimersByTime(1_001);
      signer.requireReady();
      await signer.sign(INPUT);
      expect(lines).toEqual([
        'a device with a signing key does not sign: wallets are told to come back',
        'a device with a signing key signs again',
      ]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('reads a key in a file, and says which file is missing', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-keyring-'));
    try {
      const { keyring } = open(() => Promise.reject(new Error('not asked')));
      const file = path.join(folder, 'key.pem');
      const description = JSON.stringify({ provider: 'file', file });
      expect(() => keyring.open(description)).toThrow(code('key_description_invalid') as Error);
      writeFileSync(file, toPem(privateKey));
      expect(keyring.open(description)).toEqual({ keyPem: toPem(privateKey).trimEnd() });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each<[string, Error, string]>([
    ['what the device refused', new LastingFailure('the device answered 403'), ': the device answered 403'],
    ['nothing of a foreign error', new Error('canary'), ''],
  ])('says why there is no public key: %s', async (_what, error, reason) => {
    const keyring = createKeyring({
      logger: { info: () => undefined, error: () => undefined },
      open: () => ({ readPublicKey: () => Promise.reject(error) }) as unknown as RemoteKey,
    });
    const key = keyring.open(DESCRIPTION);
    if ('keyPem' in key) throw new RangeError('not in a device');
    await expect(key.readPublicKey()).rejects.toMatchObject({
      code: 'signer_unavailable',
      detail: `the device does not show the public half of the signing key${reason}`,
    });
  });
});
