import { randomBytes } from 'node:crypto';
import { verifyNonce } from '@vestibule/oauth';
import { NOW } from '../testing/issuer.fixture-spec';
import { issueNonce } from './issue-nonce';
import { freshDpopNonce, type DpopNonceDeps } from './wallet-proof';

const [key, older] = [randomBytes(32), randomBytes(32)];
const deps = { clock: () => NOW, random: randomBytes, nonceKeys: [key, older], demandsDpopNonces: false };
const issueOver = (all: DpopNonceDeps) => issueNonce({ ...deps, ...all, freshDpopNonce: freshDpopNonce(all) });
const issue = issueOver(deps);
const expected = { purpose: 'c_nonce', now: NOW, lifetimeSeconds: 300 } as const;

describe('issueNonce', () => {
  it('VCI:N1 VCI:N3 answers c_nonce alone, never twice the same', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => issue()));
    for (const answer of answers) expect(Object.keys(answer)).toEqual(['c_nonce']);
    expect(new Set(answers.map(({ c_nonce: nonce }) => nonce)).size).toBe(100);
  });

  it('VCI:N5 makes it under the current key, for key proofs only', async () => {
    const { c_nonce: nonce } = await issue();
    expect(verifyNonce(nonce, { ...expected, keys: [key] })).toBeDefined();
    expect(verifyNonce(nonce, { ...expected, keys: [older] })).toBeUndefined();
    expect(verifyNonce(nonce, { ...expected, keys: [key], purpose: 'dpop_nonce' })).toBeUndefined();
  });

  it('VCI:N6 brings a DPoP nonce too where they are demanded, which is worth nothing as c_nonce', async () => {
    const { c_nonce: nonce, dpop_nonce: dpopNonce = '' } = await issueOver({ ...deps, demandsDpopNonces: true })();
    const keys = [key];
    expect(verifyNonce(nonce, { ...expected, keys })).toBeDefined();
    expect(verifyNonce(dpopNonce, { ...expected, keys })).toBeUndefined();
    expect(verifyNonce(dpopNonce, { ...expected, keys, purpose: 'dpop_nonce' })).toBeDefined();
  });

  it('does not work without a key', async () => {
    const use = issueOver({ ...deps, nonceKeys: [] });
    await expect(use()).rejects.toThrow(RangeError);
  });
});
