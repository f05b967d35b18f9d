import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { toPem } from '@vestibule/dev-pki';
import { applyTrustPolicy, type Purpose } from '@vestibule/x509-trust';

import { createWorld, failsWith, NOW, type World } from '../../testing/verifier.fixture-spec';
import { trackFiles } from '@vestibule/keys';
import { readTrustFile } from './trust-file';

const ELSEWHERE = ['wallet_attestation', 'key_attestation', 'access', 'metadata'] as const;
const HINT = 'purposes of anchors other than credential and status have no effect in this file';

const folder = mkdtempSync(path.join(tmpdir(), 'trust-purposes-'));
let world: World;
let x5c: string[];
beforeAll(async () => {
  world = await createWorld();
  x5c = world.pki.issuer.chain.map((certificate) => certificate.toString('base64'));
  writeFileSync(path.join(folder, 'root.pem'), toPem(world.pki.root.certificate));
});
afterAll(() => rmSync(folder, { recursive: true }));

function read(purposes: readonly string[], rest: object = {}) {
  const warned: string[] = [];
  const file = path.join(folder, 'trust.json');
  writeFileSync(file, JSON.stringify({ anchors: [{ file: 'root.pem', purposes }], ...rest }));
  const logger = { warn: (message: string) => void warned.push(message) };
  return { trust: readTrustFile(file, { files: trackFiles(), logger, skewSeconds: 60 }), warned };
}

describe('VP:N8 a purpose that is verified elsewhere', () => {
  it.each(ELSEWHERE)('%s is taken, said to count for nothing, and vouches for no credential and no list', (name) => {
    const { trust, warned } = read([name]);
    expect(warned).toEqual([HINT]);
    const { chains, policy } = trust;
    for (const purpose of ['credential', 'status'] as const) {
      const verified = chains.verify(x5c, { now: NOW, purpose });
      expect(verified.anchor).toBeUndefined();
      const scope = { anchors: chains.anchors, purpose };
      expect(applyTrustPolicy(verified, { policy, ...scope })).toBe(false);
      expect(() => applyTrustPolicy(verified, { policy: 'enforce', ...scope })).toThrow(failsWith('untrusted_issuer'));
      expect(verified.fitting).toEqual([]);
    }
  });

  it.each(ELSEWHERE)('%s beside credential leaves that as it is, and lends it to nothing else', (name) => {
    const { trust, warned } = read([name, 'credential']);
    expect(warned).toEqual([HINT]);
    const anchorFor = (purpose: Purpose) => trust.chains.verify(x5c, { now: NOW, purpose }).anchor;
    expect([anchorFor('credential') !== undefined, anchorFor('status')]).toEqual([true, undefined]);
  });

  it('makes a type no anchored one: an issuer without anchor is reported as untrusted, not refused, by auto', () => {
    const { trust } = read(['access'], { policy: 'auto' });
    const scope = { purpose: 'credential' as const, vct: 'urn:example:type' };
    const verified = trust.chains.verify(x5c, { now: NOW, ...scope });
    expect(applyTrustPolicy(verified, { policy: trust.policy, anchors: trust.chains.anchors, ...scope })).toBe(false);
  });

  it('is not mentioned where there is none', () => {
    for (const purposes of [['credential'], ['status'], ['credential', 'status']]) {
      expect(read(purposes).warned).toEqual([]);
    }
  });
});
