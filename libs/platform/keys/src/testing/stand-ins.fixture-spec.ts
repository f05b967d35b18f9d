import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { verifyEs256 } from '@vestibule/crypto';
import { parseKeyDescription, type RemoteDescription } from '../description';
import type { RemoteKey } from '../device';
import { openRemoteKey } from '../open-remote-key';
import { startHttpDevice, type Answered, type Asked } from './http-device.fixture-spec';

/*
 * Each provider against a stand-in that checks the request as the documentation of the real service describes it, and
 * answers as that describes. None of the real services was asked.
 */
export const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

export const INPUT = Buffer.from('what is signed');
export const DIGEST = createHash('sha256').update(INPUT).digest();
export const WRAPPED = Buffer.from('wrapped');
export const PLAIN = Buffer.alloc(32, 7);
export const patience = () => AbortSignal.timeout(20_000);
export const raw = () => sign('sha256', INPUT, { key: privateKey, dsaEncoding: 'ieee-p1363' });
export const der = () => sign('sha256', INPUT, privateKey);
export const spki = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
export const pem = publicKey.export({ format: 'pem', type: 'spki' }) as string;

/** Stand-ins and files that are removed again. */
export function createStage() {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-http-keys-'));
  const closing: (() => Promise<void>)[] = [];
  return {
    fileOf(name: string, content: string): string {
      const file = path.join(folder, name);
      writeFileSync(file, content);
      return file;
    },
    /** A stand-in, and the key that is described with its address. */
    async open(answer: (asked: Asked) => Answered, describe: (url: string) => object) {
      const device = await startHttpDevice(answer);
      const described = parseKeyDescription(JSON.stringify(describe(device.url))) as RemoteDescription;
      const key = openRemoteKey(described);
      closing.push(
        () => key.close(),
        () => device.stop(),
      );
      return { key, asked: device.asked };
    },
    async close() {
      for (const close of closing.splice(0)) await close();
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** All that a provider offers, with the same results for each. */
export async function expectWhole(key: RemoteKey): Promise<void> {
  expect(verifyEs256(publicKey, INPUT, await key.sign(INPUT, patience()))).toBe(true);
  expect((await key.readPublicKey(patience())).equals(publicKey)).toBe(true);
  expect(Buffer.from(await key.unwrap(WRAPPED, patience())).equals(PLAIN)).toBe(true);
}
