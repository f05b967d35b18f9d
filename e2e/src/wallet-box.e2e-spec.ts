import { randomUUID } from 'node:crypto';
import path from 'node:path';
import {
  createWalletBox,
  hasAll,
  ISSUANCE_CASES,
  PRESENTATION_CASES,
  readIssuerIdentity,
  signStatusList,
  UnknownCaseError,
  type IssuerIdentity,
  type WalletBox,
} from '@vestibule/wallet-box';
import { joinBench, type JoinedBench } from './checklist-bench';
import { offerCredential, requestPresentation } from './flows';
import { joinStage, type SharedStage } from './stage';
import { startStatusHost, type StatusHost } from './status-host';

/** Its verifier trusts an issuer of which the test has the key, and fetches status lists of the test. */
let bench: JoinedBench;
let stage: SharedStage;
let issuer: IssuerIdentity;
let host: StatusHost;
let box: WalletBox;
let waits: number[];

beforeAll(async () => {
  [bench, stage] = await Promise.all([joinBench(), joinStage()]);
  host = await startStatusHost({ openDoor: bench.stage.openDoor });
  issuer = { ...bench.pki.issuer, issuer: 'https://issuer.example' };
});
afterAll(async () => {
  await host?.stop();
  await bench?.stop();
  await stage?.stop();
});

function openBox(identity: IssuerIdentity): WalletBox {
  waits = [];
  return createWalletBox({
    issuer: identity,
    now: () => new Date(),
    slowMilliseconds: 4_000,
    wait: (milliseconds) => Promise.resolve(void waits.push(milliseconds)),
    publishStatus: (status) => {
      const uri = host.serve(`/${randomUUID()}`, (address) => signStatusList(identity, address, status, new Date()));
      return Promise.resolve({ uri, idx: 0 });
    },
  });
}
beforeEach(() => (box = openBox(issuer)));

const statusOf = async (at: SharedStage, path: string) => (await at.management('GET', path)).body['status'];

/** The end that the verifier records for each case that it does not refuse with VERIFICATION_FAILED. */
const ENDS: Readonly<Record<string, string>> = {
  accept: 'FULFILLED',
  decline: 'REJECTED',
  slow: 'FULFILLED',
  twice: 'FULFILLED',
  // These change nothing: the right response is still awaited.
  'other-state': 'PROCESSING_ERROR',
  unencrypted: 'PENDING',
};

describe('21.1 the wallet in a box', () => {
  it.each(PRESENTATION_CASES.map(({ name, expected }) => [name, expected] as const))(
    'presents as %s, which must be %s',
    async (name, expected) => {
      const { state, crossDevice } = await requestPresentation(bench.stage);
      const report = await box.present(name, crossDevice);
      expect(report).toMatchObject({ case: name, outcome: expected, asExpected: true });
      expect(report.steps.map((step) => step.name)).toEqual(expect.arrayContaining(['request_object', 'response']));
      expect(await statusOf(bench.stage, `/oidc4vp/${state}`)).toBe(ENDS[name] ?? 'VERIFICATION_FAILED');
      expect(waits).toEqual(name === 'slow' ? [4_000] : []);
    },
  );

  it.each(ISSUANCE_CASES.map(({ name, expected }) => [name, expected] as const))(
    'redeems as %s, which must be %s',
    async (name, expected) => {
      const offer = await offerCredential(stage, { tx_code: { length: 6 } });
      const report = await box.redeem(name, offer.uri, offer.txCode);
      expect(report).toMatchObject({ case: name, outcome: expected, asExpected: true });
      const hasIssued = ['accept', 'discard', 'slow', 'twice'].includes(name);
      expect(await statusOf(stage, `/offers/${offer.offerId}`)).toBe(hasIssued ? 'ISSUED' : 'OFFER_CREATED');
    },
  );

  it('presents what it holds rather than something new, and reports no claim, code or token', async () => {
    const offer = await offerCredential(stage, { tx_code: { length: 6 } });
    const redeemed = await box.redeem('accept', offer.uri, offer.txCode);
    const { state, crossDevice } = await requestPresentation(stage);
    const presented = await box.present('accept', crossDevice);
    expect(await statusOf(stage, `/oidc4vp/${state}`)).toBe('FULFILLED');
    expect(presented.credentials).toEqual(redeemed.credentials);
    expect(presented.credentials).toEqual([expect.objectContaining({ configurationId: 'identity-card' })]);
    const text = JSON.stringify([redeemed, presented]);
    for (const secret of ['Ada', 'Example', offer.txCode ?? 'none']) expect(text).not.toContain(secret);
  });

  it('answers a query that no type of the issuer fits, with values that it accepts', async () => {
    const claims = [
      { path: ['age_equal_or_over', '18'], values: [true] },
      { path: ['nationalities', null], values: ['AT'] },
      { path: ['address', 'locality'] },
    ];
    const meta = { vct_values: ['urn:eudi:pid:1'] };
    const dcql_query = { credentials: [{ id: 'pid', format: 'dc+sd-jwt', meta, claims }] };
    const { state, crossDevice } = await requestPresentation(bench.stage, { dcql_query });
    expect(await box.present('accept', crossDevice)).toMatchObject({ outcome: 'accepted' });
    const [event] = await bench.stage.callbacksOf(state, 1);
    expect(event).toMatchObject({
      status: 'FULFILLED',
      credentials: {
        pid: [
          {
            claims: {
              age_equal_or_over: { '18': true },
              nationalities: ['AT'],
              address: { locality: 'Exampleton' },
            },
            isTrusted: true,
          },
        ],
      },
    });
  });

  it('makes credentials of the issuer in two PEM files', async () => {
    const { folder } = stage.stack.files;
    const identity = readIssuerIdentity(path.join(folder, 'issuer.pem'), path.join(folder, 'issuer-key.pem'));
    const { state, crossDevice } = await requestPresentation(stage);
    expect(await openBox(identity).present('accept', crossDevice)).toMatchObject({ asExpected: true });
    expect(await statusOf(stage, `/oidc4vp/${state}`)).toBe('FULFILLED');
  });

  it('stops by itself at what it cannot use, and refuses a case that it does not know or cannot play', async () => {
    expect(await box.present('accept', 'openid4vp://?x=1')).toMatchObject({ outcome: 'stopped', asExpected: false });
    await expect(box.present('acept', 'x')).rejects.toThrow(UnknownCaseError);
    const poor = createWalletBox({ now: () => new Date(), wait: () => Promise.resolve(), slowMilliseconds: 0 });
    await expect(poor.present('expired-credential', 'x')).rejects.toThrow('expired-credential needs issuer');
    expect(hasAll({ wallet: poor.wallet } as never, ['issuer'])).toBe(false);
    const { crossDevice } = await requestPresentation(stage);
    expect(await poor.present('accept', crossDevice)).toMatchObject({ error: 'no_matching_credential' });
  });
});
