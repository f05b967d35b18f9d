import { createDevelopmentPki } from '@vestibule/dev-pki';
import { decodeProtectedHeader } from 'jose';
import { issuePid } from './counterpart/pid';
import type { Signer } from './counterpart/server-callbacks';
import { issueForeignCredential } from './foreign-issuer';
import { presentableKeys, readSdJwt } from './sd-jwt';
import { createWallet } from './wallet';

let signer: Signer;

beforeAll(async () => {
  const pki = await createDevelopmentPki({ now: new Date(), hosts: ['127.0.0.1'] });
  signer = { x5c: pki.issuer.chain, privateKey: pki.issuer.privateKey };
});

const jwtOf = (compact: string) => compact.split('~')[0] ?? '';

describe('a foreign credential', () => {
  it('is a dc+sd-jwt with the chain in its header and the claims behind digests', async () => {
    const compact = await issuePid(signer, {});
    const x5c = signer.x5c.map((der) => Buffer.from(der).toString('base64'));
    expect(decodeProtectedHeader(jwtOf(compact))).toEqual({ alg: 'ES256', typ: 'dc+sd-jwt', x5c });
    const { payload, claims } = await readSdJwt(compact);
    expect(payload).not.toHaveProperty('family_name');
    expect(claims).toMatchObject({ family_name: 'Muster' });
    const keys = ['address', 'address.locality', 'address.street', 'family_name', 'given_name'];
    expect((await presentableKeys(compact)).sort()).toEqual([...keys, 'nationalities.0', 'nationalities.1']);
  });

  it('can lack x5c and disclosures', async () => {
    const { privateKey } = signer;
    const compact = await issueForeignCredential({ privateKey, payload: { vct: 'urn:x' } });
    expect(decodeProtectedHeader(jwtOf(compact))).toEqual({ alg: 'ES256', typ: 'dc+sd-jwt' });
    expect(compact.endsWith('~')).toBe(true);
    expect(await createWallet().addCredential(compact)).toMatchObject({ vct: 'urn:x', holderKey: undefined });
  });

  it('takes faults in header, packed payload, disclosures and signature', async () => {
    const compact = await issuePid(
      signer,
      {},
      {
        header: { typ: 'JWT', x5c: undefined },
        packed: (payload) => ({ ...payload, _sd_alg: 'md5' }),
        disclosures: () => [],
      },
    );
    expect(decodeProtectedHeader(jwtOf(compact))).toEqual({ alg: 'ES256', typ: 'JWT' });
    expect(compact.split('~')).toEqual([expect.any(String), '']);
    await expect(readSdJwt(compact)).rejects.toMatchObject({ code: 'credential_malformed' });
  });
});

describe('reading an SD-JWT', () => {
  it.each(['', '~', 'a.b.c', 'a.b.c~', 'e30.e30.AA~x~'])('refuses %j', async (text) => {
    await expect(readSdJwt(text)).rejects.toMatchObject({ code: 'credential_malformed' });
  });
});
