import { signEs256 } from '@vestibule/crypto';
import { toPem } from '@vestibule/dev-pki';
import { packStatuses, signStatusListToken, STATUS_LIST_MEDIA_TYPE } from '@vestibule/status-list';
import { createFolder, createMemoryLogger, type Folder } from '../../testing/key-files.fixture-spec';
import { runVerifier } from '../../testing/running-verifier.fixture-spec';
import { answerForm, at, base64, createWorld, NOW, STATUS, VCT, type World } from '../../testing/verifier.fixture-spec';
import { StatusLists } from '../http/status-lists';
import { createReloading } from '@vestibule/keys';
import { readTrustFile } from './trust-file';

let world: World;
let files: Folder;
let token: Buffer;
beforeAll(async () => {
  world = await createWorld();
  const { issuer } = world.pki;
  const signed = await signStatusListToken({
    uri: STATUS.uri,
    issuedAt: NOW,
    expiresAt: at(3_600),
    ttlSeconds: 300,
    list: packStatuses(64, 2, []),
    x5c: issuer.chain.map(base64),
    signer: (input) => signEs256(issuer.privateKey, input),
  });
  token = Buffer.from(signed);
});
beforeEach(() => {
  files = createFolder();
  files.write('root.pem', toPem(world.pki.root.certificate));
});
afterEach(() => files.remove());

/** A verifier whose trust follows a file, and the status list of its issuer. */
function open(first: object) {
  let fetches = 0;
  const write = (content: object) =>
    files.write('trust.json', JSON.stringify({ anchors: [{ file: 'root.pem', ...content }], policy: 'enforce' }));
  write(first);
  const trust = createReloading({
    what: 'trust',
    load: (reader) =>
      readTrustFile(files.fileOf('trust.json'), { files: reader, logger: { warn: () => undefined }, skewSeconds: 60 }),
    logger: createMemoryLogger(),
  });
  const body = { status: 200, contentType: STATUS_LIST_MEDIA_TYPE, body: token, finalUrl: STATUS.uri };
  const lists = new StatusLists({
    egress: {
      get() {
        fetches += 1;
        return Promise.resolve(body);
      },
      close: () => Promise.resolve(),
    },
    trust: trust.current,
    clock: () => NOW,
    skewSeconds: 60,
    graceSeconds: 300,
    maxAgeSeconds: 604_800,
  });
  const running = runVerifier(world, {
    trust: trust.current,
    checkStatus: (presentation, now) => lists.check(presentation, now),
  });
  return {
    fetches: () => fetches,
    change(content: object) {
      write(content);
      void trust.refresh();
    },
    /** How a request ends that is answered with a credential which has a status. */
    async outcome() {
      const request = await running.ask();
      const form = await answerForm(world, request, 'cross-device', { status: STATUS });
      await running.verifier.submitPresentation({ state: request.state, form }).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'invalid_request' });
      });
      const { status, checks } = running.endings.at(-1) ?? {};
      return [status, checks?.find(({ outcome }) => outcome === 'failed')?.check];
    },
  };
}

describe('trust that changes while the verifier runs', () => {
  it('VP:A9 VP:N12 a cached status list is not believed any more once its signer’s anchor is not for lists', async () => {
    const { outcome, change, fetches } = open({});
    expect(await outcome()).toEqual(['FULFILLED', undefined]);
    change({ purposes: ['credential'] });
    expect(await outcome()).toEqual(['VERIFICATION_FAILED', 'status']);
    change({ purposes: ['credential', 'status'] });
    expect(await outcome()).toEqual(['FULFILLED', undefined]);
    expect(fetches()).toBe(1);
  });

  it('VP:N12 an anchor that is now for another type does not serve this one, and serves it again afterwards', async () => {
    const { outcome, change } = open({ vcts: [VCT] });
    expect(await outcome()).toEqual(['FULFILLED', undefined]);
    change({ vcts: ['urn:example:other:1'] });
    expect(await outcome()).toEqual(['VERIFICATION_FAILED', 'issuer_trust']);
    change({ vcts: [VCT, 'urn:example:other:1'] });
    expect(await outcome()).toEqual(['FULFILLED', undefined]);
  });
});
