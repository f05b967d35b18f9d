import { presentedCredentialsEvent as eventSchema } from '@vestibule/contracts';
import { ProcessingFailure } from '@vestibule/foundation';
import { createCheckLog, parseResponseForm, type IssuerTrust } from '@vestibule/oid4vp';
import { presentedCredentialsEvent } from '../domain/presented-credentials-event';
import { judgeDeps, judgeOver, type JudgeDeps } from '../testing/judge.fixture-spec';
import { ISSUER, listing, publishedKeys, uncertifiedForm } from '../testing/published-issuer.fixture-spec';
import { answerForm, createWorld, NOW, pendingRequest, type Form, type World } from '../testing/verifier.fixture-spec';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

const request = pendingRequest();

async function judge(form: Form, trust: IssuerTrust, load?: JudgeDeps['loadPublishedKeys']) {
  const checks = createCheckLog(() => 0);
  const asked: string[] = [];
  const wanted: string[] = [];
  const deps: JudgeDeps = {
    ...judgeDeps(world),
    trust: () => trust,
    loadPublishedKeys(iss, kids) {
      asked.push(iss);
      wanted.push(...kids);
      return load ? load(iss, kids) : Promise.resolve(publishedKeys(world));
    },
  };
  const judged = { request, form: parseResponseForm(form, request.state), checks, now: NOW, millisecondsLeft: 12_000 };
  const outcome = await judgeOver(deps)(judged);
  return { outcome, asked, wanted, failed: checks.entries.filter((entry) => entry.outcome === 'failed') };
}

describe('an answer with a credential without certificate', () => {
  it('VP:L9 of an issuer on the list is fulfilled, and the event has supportTrustAnchor false and no isTrusted', async () => {
    const { outcome, asked, wanted } = await judge(await uncertifiedForm(world, request), listing(world));
    expect([asked, wanted]).toEqual([[ISSUER], ['k1']]);
    const event = eventSchema.parse(JSON.parse(JSON.stringify(presentedCredentialsEvent(request.state, outcome))));
    const credential = event.status === 'FULFILLED' ? event.credentials['pid']?.[0] : undefined;
    expect(credential).toMatchObject({ issuer: ISSUER, signatureIsValid: true, supportTrustAnchor: false });
    expect(credential).not.toHaveProperty('isTrusted');
  });

  it.each(['https://other.example', 'https://issuer.example/', 'https://127.0.0.1/admin'])(
    'VP:L8 VP:Q5 of %s, which is not on the list, fails without any request',
    async (iss) => {
      const form = await uncertifiedForm(world, request, { payload: { iss } });
      const { outcome, asked, failed } = await judge(form, listing(world));
      expect(outcome.status).toBe('VERIFICATION_FAILED');
      expect(failed).toEqual([expect.objectContaining({ check: 'issuer_certificate_chain', code: 'x5c_missing' })]);
      expect(asked).toEqual([]);
    },
  );

  it('VP:L10 fails without any request where nobody is on the list', async () => {
    const { asked, failed } = await judge(await uncertifiedForm(world, request), world.trust);
    expect(failed).toEqual([expect.objectContaining({ code: 'x5c_missing' })]);
    expect(asked).toEqual([]);
  });

  it('VP:L9 is a processing error where the metadata cannot be had', async () => {
    const load = () => Promise.reject(new ProcessingFailure('egress_timeout', 'not in time'));
    const { outcome, failed } = await judge(await uncertifiedForm(world, request), listing(world), load);
    expect(outcome.status).toBe('PROCESSING_ERROR');
    expect(failed).toEqual([expect.objectContaining({ check: 'issuer_metadata_document', code: 'egress_timeout' })]);
  });

  it('VP:L9 fails with the signature of another key', async () => {
    const form = await uncertifiedForm(world, request, { issuerKey: world.holderKey });
    const { outcome, failed } = await judge(form, listing(world));
    expect(outcome.status).toBe('VERIFICATION_FAILED');
    expect(failed).toEqual([expect.objectContaining({ code: 'issuer_signature_invalid' })]);
  });
});

describe('an answer with a certified credential', () => {
  it('VP:L8 of an issuer on the list fails: the method is fixed, and nothing is fetched', async () => {
    const { asked, failed } = await judge(await answerForm(world, request), listing(world));
    expect(failed).toEqual([expect.objectContaining({ code: 'issuer_method_not_allowed' })]);
    expect(asked).toEqual([]);
  });

  it('VP:L9 of another issuer is fulfilled without any request', async () => {
    const { outcome, asked } = await judge(await answerForm(world, request), listing(world, ['https://other.example']));
    expect(outcome.status).toBe('FULFILLED');
    expect(asked).toEqual([]);
  });
});
