import { credentialOfferBody, presentationRequestBody } from '@vestibule/contracts';
import type { CallbackReceiver } from './callback-receiver';
import {
  createBackend,
  offerSample,
  requestSample,
  SAMPLE_CLAIMS,
  subjectOf,
  waitForStatus,
  type Management,
} from './test-backend';

const addresses = { managementUrl: 'http://127.0.0.1:1', issuerUrl: 'https://issuer.example/one' };

/** A management API that answers all calls the same, and what it was asked. */
function answering(status: number, body: Record<string, unknown>) {
  const calls: unknown[][] = [];
  const management: Management = async (...call) => {
    calls.push(call);
    return { status, headers: new Headers(), body };
  };
  return { backend: createBackend(addresses, management), calls };
}

describe('the backend of demo, proofs and tests', () => {
  it('offers the sample credential with a body of the contract, and gives what was made', async () => {
    const made = { offer_id: 'o', credential_offer_uri: 'openid-credential-offer://', tx_code_value: '123456' };
    const { backend, calls } = answering(201, made);
    const offer = await offerSample(backend, { tx_code: { length: 6 }, expires_in: 9 });
    expect(offer).toEqual({ offerId: 'o', uri: 'openid-credential-offer://', txCode: '123456' });
    const [[method, path, body] = []] = calls;
    expect([method, path, credentialOfferBody.parse(body)]).toMatchObject([
      'POST',
      '/offers',
      { claims: SAMPLE_CLAIMS, expires_in: 9, tx_code: { length: 6 } },
    ]);
  });

  it('asks for the sample credential of the issuer with a body of the contract', async () => {
    const made = { state: 's', same_device_request_uri: 'here', cross_device_request_uri: 'there' };
    const { backend, calls } = answering(201, made);
    expect(await requestSample(backend)).toEqual({ state: 's', sameDevice: 'here', crossDevice: 'there' });
    const [[method, path, body] = []] = calls;
    expect([method, path]).toEqual(['POST', '/oidc4vp']);
    expect(JSON.stringify(presentationRequestBody.parse(body))).toContain(
      '"vct_values":["https://issuer.example/one/oidc4vci/types/identity-card"]',
    );
  });

  it.each([200, 400, 503])('takes no answer %i for something made', async (status) => {
    const { backend } = answering(status, { code: 'said_so' });
    await expect(offerSample(backend)).rejects.toMatchObject({ code: 'backend_refused' });
    await expect(requestSample(backend)).rejects.toThrow(`POST /oidc4vp answers ${status}: {"code":"said_so"}`);
  });
});

describe('a callback', () => {
  it.each([
    [{ state: 's', status: 'EXPIRED' }, 's'],
    [{ offerId: 'o', eventId: 'e' }, 'o'],
    [{ state: 7 }, undefined],
    [{}, undefined],
    ['no JSON', undefined],
    [null, undefined],
  ])('%j is about %s', (body, subject) => expect(subjectOf(body)).toBe(subject));

  it('is waited for by what it is about and what it tells', async () => {
    const bodies = ['text', { state: 'other', status: 'FULFILLED' }, { state: 's', status: 'EXPIRED' }];
    const wanted = { state: 's', status: 'FULFILLED' };
    const all = [...bodies, wanted].map((body) => ({
      receivedAt: new Date(0),
      method: 'POST',
      headers: {},
      body,
      text: '',
    }));
    const waitFor: CallbackReceiver['waitFor'] = async (accept) => all.find(accept) as (typeof all)[number];
    const receiver: CallbackReceiver = { url: '', received: [], waitFor, stop: async () => undefined };
    expect((await waitForStatus(receiver, 's', 'FULFILLED')).body).toBe(wanted);
  });
});
