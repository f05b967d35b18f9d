import { joinBench, type JoinedBench } from './checklist-bench';
import { CLAIMS } from './flows';
import { digestOf, disclosureOf } from './handmade-credential';
import { joinStage, type SharedStage } from './stage';

const KIB = 1_024;
let stage: SharedStage;
let bench: JoinedBench;
beforeAll(async () => {
  [stage, bench] = await Promise.all([joinStage(), joinBench()]);
});
afterAll(() => Promise.all([stage?.stop(), bench?.stop()]));

/** Claims of the sample type with this many bytes of JSON. */
function claimsOf(bytes: number) {
  const rest = JSON.stringify({ ...CLAIMS, given_name: '' }).length;
  return { ...CLAIMS, given_name: 'x'.repeat(bytes - rest) };
}
const offer = (claims: object) =>
  stage.management('POST', '/offers', { credential_configuration_id: 'identity-card', claims });

async function post(url: string, type: string, body: string) {
  const { status } = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
  return status;
}

describe('17.14 the chain of sizes', () => {
  it('claims of an offer may have 128 KiB of JSON, and not one byte more', async () => {
    expect((await offer(claimsOf(128 * KIB))).status).toBe(201);
    const { status, body } = await offer(claimsOf(128 * KIB + 1));
    expect([status, body]).toMatchObject([413, { code: 'body_too_large', errors: [{ path: 'claims' }] }]);
    expect(JSON.stringify(body)).toContain('131072');
  });

  it('a full batch of the largest claims fits through the bus and reaches the wallet', async () => {
    const { body } = await offer(claimsOf(128 * KIB));
    const wallet = stage.createWallet();
    const uri = String(body['credential_offer_uri']);
    expect(await wallet.redeemOffer(uri, { batch: 10, typeMetadata: false })).toHaveLength(10);
    const events = await stage.callbacksOf(String(body['offer_id']), 2);
    expect(events.map(({ status }) => status)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });

  it('a body of the management API may have 256 KiB, and not one byte more', async () => {
    const { managementUrl } = stage.stack;
    const text = JSON.stringify({ credential_configuration_id: 'identity-card', claims: claimsOf(128 * KIB) });
    const send = (bytes: number) => post(`${managementUrl}/offers`, 'application/json', text.padEnd(bytes));
    expect([await send(256 * KIB), await send(256 * KIB + 1)]).toEqual([201, 413]);
  });

  it('the response of a wallet may have 1 MiB, and not one byte more; what is no response leaves the request open', async () => {
    const { responseUri, state } = await bench.ask();
    const send = (bytes: number) =>
      post(responseUri, 'application/x-www-form-urlencoded', 'response='.padEnd(bytes, 'x'));
    expect([await send(KIB * KIB), await send(KIB * KIB + 1)]).toEqual([400, 413]);
    expect((await bench.stage.management('GET', `/oidc4vp/${state}`)).body['status']).toBe('PENDING');
  });

  it.each([
    [440_000, 'FULFILLED', []],
    [500_000, 'PROCESSING_ERROR', ['callback_too_large']],
  ])('a callback has at most 1 MiB: a claim of %i bytes ends the request as %s', async (bytes, status, codes) => {
    const disclosure = disclosureOf('family_name', 'x'.repeat(bytes));
    const ending = await bench.attempt({
      credential: ({ payload }) => ({
        payload: { ...payload, _sd: [digestOf(disclosure)] },
        disclosures: [disclosure],
      }),
    });
    expect([ending.status, ending.codes]).toEqual([status, codes]);
    const event = await bench.eventOf(ending.state);
    expect(event['status']).toBe(status);
    expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThanOrEqual(KIB * KIB);
  });
});
