import { createHash } from 'node:crypto';
import { verifyEs256 } from '@vestibule/crypto';
import { toPem } from '@vestibule/dev-pki';
import type { PendingRequest } from '../../domain/presentation-request';
import { createFolder, createMemoryLogger, issueFor, noDevice } from '../../testing/key-files.fixture-spec';
import { runVerifier } from '../../testing/running-verifier.fixture-spec';
import { answerForm, base64, createWorld, failsWith, NOW, type World } from '../../testing/verifier.fixture-spec';
import { readAccessCertificates } from './access-certificate-files';
import { createReloading } from '@vestibule/keys';

type Issued = Awaited<ReturnType<typeof issueFor>>;

let world: World;
let old: Issued;
let fresh: Issued;
const files = createFolder();
beforeAll(async () => {
  world = await createWorld();
  old = await issueFor(world.pki, [-300, 60]);
  fresh = await issueFor(world.pki, [-1, 360]);
});
afterAll(() => files.remove());
afterEach(() => {
  for (const name of ['more/fresh.pem', 'more/fresh-key.pem']) files.delete(name);
});

const clientIdOf = ({ certificate }: Issued) =>
  `x509_hash:${createHash('sha256').update(certificate).digest('base64url')}`;

/** A verifier with one access certificate, and a way to put another one beside it or in its place. */
function open() {
  const folder = files.fileOf('more');
  files.write('more/.keep', '');
  const certificateFile = files.write('main.pem', old.pem);
  const pems = { certificateFile, key: toPem(old.privateKey), openKey: noDevice, folder, allowSelfSigned: false };
  const logger = createMemoryLogger();
  const certificates = createReloading({
    what: 'access certificates',
    load: (reader) => readAccessCertificates(pems, { files: reader, now: NOW, logger }),
    logger,
  });
  const running = runVerifier(world, {
    currentClientId: (now) => certificates.current().currentClientId(now),
    signerOf: (clientId, now) => certificates.current().signerOf(clientId, now),
  });
  return {
    ...running,
    rotate() {
      files.write('more/fresh.pem', fresh.pem);
      files.write('more/fresh-key.pem', toPem(fresh.privateKey));
      void certificates.refresh();
    },
  };
}

async function signedRequest({ verifier }: ReturnType<typeof open>, { state }: PendingRequest) {
  const { requestObject } = await verifier.getRequestObject({ state, flowType: 'cross-device' });
  const [header = '', payload = '', signature = ''] = requestObject.split('.');
  const json = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  const signedBy = (own: Issued) =>
    verifyEs256(own.privateKey, Buffer.from(`${header}.${payload}`), Buffer.from(signature, 'base64url'));
  return { x5c: json(header).x5c, clientId: json(payload).client_id, signedBy };
}

describe('an access certificate that is replaced while requests are open', () => {
  it('VP:A7 signs new requests with the new one and open ones with their own', async () => {
    const running = open();
    const before = await running.ask();
    running.rotate();
    const after = await running.ask();
    for (const [request, own, other] of [[before, old, fresh] as const, [after, fresh, old] as const]) {
      expect(request.clientId).toBe(clientIdOf(own));
      const { x5c, clientId, signedBy } = await signedRequest(running, request);
      expect([x5c, clientId]).toEqual([[base64(own.certificate)], clientIdOf(own)]);
      expect([signedBy(own), signedBy(other)]).toEqual([true, false]);
    }
  });

  it('VP:A7 accepts the answer for the client_id that the open request was made with', async () => {
    const { rotate, ask, verifier, endings } = open();
    const request = await ask();
    rotate();
    await verifier.submitPresentation({ state: request.state, form: await answerForm(world, request) });
    expect(endings.map(({ status }) => status)).toEqual(['FULFILLED']);
  });

  it('VP:A7 refuses an answer to it that is bound to the new client_id', async () => {
    const { rotate, ask, verifier, endings } = open();
    const request = await ask();
    rotate();
    const form = await answerForm(world, request, 'cross-device', { binding: { aud: clientIdOf(fresh) } });
    const answered = verifier.submitPresentation({ state: request.state, form });
    await expect(answered).rejects.toEqual(failsWith('invalid_request'));
    expect(endings.map(({ status }) => status)).toEqual(['VERIFICATION_FAILED']);
  });
});
