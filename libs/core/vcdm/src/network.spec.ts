import { randomBytes } from 'node:crypto';
import dns from 'node:dns';
import net from 'node:net';
import { canonicalize } from './canonicalize';
import { createDidKey } from './did-key';
import { buildCredential, buildPresentation } from './documents';
import { signCredential, signPresentation } from './sign-documents';
import { noStatusLists } from './testing/knowing.fixture-spec';
import { verifyPresentation } from './verify-documents';

const code = (expected: string) => expect.objectContaining({ code: expected });
const now = new Date('2026-03-01T12:00:00Z');
const [issuer, holder] = [createDidKey(randomBytes), createDidKey(randomBytes)];
const contexts = { find: () => Promise.resolve(undefined), isOwn: () => false, findTexts: () => Promise.resolve([]) };
const signing = { signer: issuer, now, contexts, canonicalize };
const binding = { challenge: 'a-challenge' };

const issued = (named: string[]) =>
  signCredential(
    buildCredential({
      id: createDidKey(randomBytes).did,
      types: [],
      contexts: [...named, 'https://www.w3.org/ns/credentials/undefined-terms/v2'],
      credentialSubject: { name: 'Ada' },
      credentialSchema: [],
      issuerDid: issuer.did,
      holderDid: holder.did,
    }),
    signing,
  );

describe('the network', () => {
  it('is needed neither to issue nor to present nor to verify nor to refuse', async () => {
    const refuse = (): never => {
      throw new Error('there is no network');
    };
    const connect = jest.spyOn(net.Socket.prototype, 'connect').mockImplementation(refuse);
    const spies = [
      connect,
      jest.spyOn(dns, 'lookup').mockImplementation(refuse as never),
      jest.spyOn(globalThis, 'fetch').mockImplementation(refuse),
    ];
    expect(() => net.connect(1, '127.0.0.1')).toThrow('there is no network');
    connect.mockClear();
    const draft = buildPresentation({ id: holder.did, holderDid: holder.did, credentials: [await issued([])] });
    const presentation = await signPresentation(draft, binding, { ...signing, signer: holder });
    await verifyPresentation(presentation, binding, {
      now,
      skewSeconds: 60,
      contexts,
      canonicalize,
      statusLists: noStatusLists,
    });
    await expect(issued(['https://www.w3.org/ns/odrl.jsonld'])).rejects.toThrow(code('vc_context_unknown'));
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
    for (const spy of spies) spy.mockRestore();
  });
});
