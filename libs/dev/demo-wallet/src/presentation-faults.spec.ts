import { createDevelopmentPki } from '@vestibule/dev-pki';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { BuiltPresentation } from './build-presentation';
import { issuePid, pidQuery } from './counterpart/pid';
import type { Signer } from './counterpart/server-callbacks';
import { startVerifier, type CounterpartVerifier } from './counterpart/verifier';
import type { PresentationFaults, PresentationOptions } from './presentation-options';
import { createWallet, type Wallet } from './wallet';

let issuer: Signer;
let wallet: Wallet;
let verifier: CounterpartVerifier;

beforeAll(async () => {
  const pki = await createDevelopmentPki({ now: new Date(), hosts: ['127.0.0.1'] });
  issuer = { x5c: pki.issuer.chain, privateKey: pki.issuer.privateKey };
  const signer = { x5c: pki.verifier.chain, privateKey: pki.verifier.privateKey };
  verifier = await startVerifier({ signer, issuer, dcqlQuery: pidQuery([{ path: ['family_name'] }]) });
  wallet = createWallet();
  await wallet.addCredential(await issuePid(issuer, await wallet.createHolderKey()));
});

afterAll(() => verifier.close());

const build = (faults: PresentationFaults, options: PresentationOptions = {}) =>
  wallet.buildPresentation(verifier.requestUri, { ...options, faults });

function onlyPresentation({ response }: BuiltPresentation): { disclosures: string[]; kbJwt: string } {
  const { pid } = response['vp_token'] as { pid: string[] };
  const [, ...rest] = (pid[0] ?? '').split('~');
  return { disclosures: rest.slice(0, -1), kbJwt: rest.at(-1) ?? '' };
}

describe('building without sending', () => {
  it('shows every layer, and the form can be sent later', async () => {
    const built = await build({});
    expect(built.responseUri).toBe(built.request.payload['response_uri']);
    expect(built.form).toEqual({ response: built.jwe });
    expect(decodeProtectedHeader(built.jwe ?? '')).toMatchObject({ alg: 'ECDH-ES', enc: 'A256GCM', kid: 'enc-1' });
    expect(await wallet.send(built.responseUri, built.form)).toMatchObject({ status: 200 });
  });
});

describe('faults of the key binding', () => {
  it.each(['aud', 'nonce', 'sd_hash', 'iat'])('set %s', async (claim) => {
    const { kbJwt } = onlyPresentation(await build({ keyBinding: { payload: { [claim]: 'x' } } }));
    expect((decodeJwt(kbJwt) as Record<string, unknown>)[claim]).toBe('x');
  });

  it('set and remove header members', async () => {
    const { kbJwt } = onlyPresentation(await build({ keyBinding: { header: { typ: undefined, alg: 'none' } } }));
    expect(decodeProtectedHeader(kbJwt)).toEqual({ alg: 'none' });
  });

  it.each([
    { keyBinding: { payload: { nonce: 'other' } } },
    { keyBinding: { payload: { sd_hash: 'other' } } },
    { keyBinding: { signWithOtherKey: true } },
    { keyBinding: { tamperSignature: true } },
    { presentation: (text: string) => text.replace(/~[^~]+~/, '~') },
  ])('are noticed by the verifier: %j', async (faults) => {
    expect(await wallet.present(verifier.requestUri, { faults })).toMatchObject({ status: 500 });
  });

  it('leave the KB-JWT out', async () => {
    expect(onlyPresentation(await build({ withoutKeyBinding: true })).kbJwt).toBe('');
  });
});

describe('faults of the disclosures', () => {
  it('drop them under a fitting sd_hash', async () => {
    const faults = { sdJwt: (text: string) => text.replace(/~[^~]+~$/, '~') };
    expect(onlyPresentation(await build(faults)).disclosures).toEqual([]);
    expect(await wallet.present(verifier.requestUri, { faults })).toMatchObject({ status: 200 });
  });

  it('can disclose more than was requested', async () => {
    const built = await build({}, { disclose: ({ available }) => available });
    expect(onlyPresentation(built).disclosures).toHaveLength(7);
  });

  it('can repeat one', async () => {
    const faults = { sdJwt: (text: string) => `${text}${text.split('~')[1]}~` };
    expect(onlyPresentation(await build(faults)).disclosures).toHaveLength(2);
  });
});

describe('faults of the response', () => {
  it('send another state, or none', async () => {
    expect((await build({ response: { state: 'other' } })).response['state']).toBe('other');
    expect((await build({ response: { state: undefined } })).response).not.toHaveProperty('state');
    await wallet.present(verifier.requestUri, { faults: { response: { state: undefined } } });
    expect(verifier.responses.at(-1)?.payload).not.toHaveProperty('state');
  });

  it('send another vp_token', async () => {
    const built = await build({ vpToken: ({ pid }) => ({ other: pid?.[0] }) });
    expect(built.response['vp_token']).toEqual({ other: expect.any(String) });
  });

  it('encrypt another text', async () => {
    const faults = { plaintext: () => '{"vp_token":{},"vp_token":{}}' };
    await wallet.present(verifier.requestUri, { faults });
    expect(verifier.responses.at(-1)?.payload).toEqual({ vp_token: {} });
  });

  it('use another kid, encoding or algorithm, or none', async () => {
    const headerOf = async (header: Record<string, unknown>) =>
      decodeProtectedHeader((await build({ jwe: { header } })).jwe ?? '');
    expect(await headerOf({ kid: 'other' })).toMatchObject({ kid: 'other' });
    expect(await headerOf({ kid: undefined })).not.toHaveProperty('kid');
    expect(await headerOf({ enc: 'A128CBC-HS256' })).toMatchObject({ enc: 'A128CBC-HS256' });
    expect(await headerOf({ alg: 'ECDH-ES+A128KW' })).toMatchObject({ alg: 'ECDH-ES+A128KW' });
  });

  it('encrypt to another key or spoil the tag, which nobody can decrypt', async () => {
    const recipient = await wallet.createHolderKey();
    for (const jwe of [{ recipient }, { tamper: true }]) {
      expect(await wallet.present(verifier.requestUri, { faults: { jwe } })).toMatchObject({ status: 500 });
    }
  });

  it('skip the encryption, or change the form', async () => {
    const built = await build({ withoutEncryption: true });
    expect(built.jwe).toBeUndefined();
    expect(Object.keys(built.form).sort()).toEqual(['state', 'vp_token']);
    const twice = await build({ form: (form) => ({ ...form, state: 'plain' }) });
    expect(Object.keys(twice.form)).toEqual(['response', 'state']);
  });
});

describe('a credential that is forced on a query', () => {
  it('is presented although it does not match', async () => {
    const key = await wallet.createHolderKey();
    const other = await wallet.addCredential(await issuePid(issuer, key, { payload: { vct: 'urn:other' } }));
    const result = await wallet.present(verifier.requestUri, { credentials: { pid: [other.id] } });
    expect(result.status).toBe(200);
    expect(verifier.presented.get('pid')?.[0]?.claims).toMatchObject({ vct: 'urn:other', family_name: 'Muster' });
  });

  it('can be somebody else’s, signed for with an unknown key', async () => {
    const stranger = await createWallet().createHolderKey();
    const stolen = await wallet.addCredential(await issuePid(issuer, stranger, { payload: { vct: 'urn:stolen' } }));
    const credentials = { pid: [stolen.id] };
    await expect(wallet.present(verifier.requestUri, { credentials })).rejects.toMatchObject({
      code: 'credential_not_held',
    });
    const faults = { keyBinding: { signWithOtherKey: true } };
    expect(await wallet.present(verifier.requestUri, { credentials, faults })).toMatchObject({ status: 500 });
  });

  it('must exist', async () => {
    const present = wallet.present(verifier.requestUri, { credentials: { pid: ['nothing'] } });
    await expect(present).rejects.toMatchObject({ code: 'credential_not_held' });
  });
});
