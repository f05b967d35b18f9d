import { ProcessingFailure, VerificationFailure } from '@vestibule/foundation';
import { createCheckLog, parseResponseForm } from '@vestibule/oid4vp';
import { X509_FAILURES } from '@vestibule/x509-trust';
import { judgeDeps, judgeOver, type JudgeDeps } from '../testing/judge.fixture-spec';
import { listing, publishedKeys, uncertifiedForm } from '../testing/published-issuer.fixture-spec';
import {
  answerForm,
  createWorld,
  NOW,
  pendingRequest,
  STATUS,
  type Form,
  type World,
} from '../testing/verifier.fixture-spec';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

const request = pendingRequest();

async function judge(form: Form, more: Partial<JudgeDeps>) {
  const checks = createCheckLog(() => 0);
  const deps: JudgeDeps = {
    ...judgeDeps(world),
    loadPublishedKeys: () => Promise.resolve(publishedKeys(world)),
    ...more,
  };
  const outcome = await judgeOver(deps)({
    millisecondsLeft: 12_000,
    request,
    form: parseResponseForm(form, request.state),
    checks,
    now: NOW,
  });
  return { outcome, entries: checks.entries.map(({ check, outcome: end, code }) => [check, end, code]) };
}

const revoked = () => Promise.reject(new VerificationFailure('certificate_revoked', X509_FAILURES.certificate_revoked));

describe('the revocation of certificates', () => {
  it('VP:N11 is not looked at unless it is configured', async () => {
    const { outcome, entries } = await judge(await answerForm(world, request), {});
    expect(outcome.status).toBe('FULFILLED');
    expect(entries.map(([check]) => check)).not.toContain('certificate_revocation');
  });

  it('VP:N11 is the last check, after the status, of the chain of the issuer', async () => {
    const chains: Buffer[] = [];
    const { outcome, entries } = await judge(await answerForm(world, request, 'cross-device', { status: STATUS }), {
      checkRevocation({ leaf }) {
        chains.push(leaf.der);
        return Promise.resolve();
      },
    });
    expect(outcome.status).toBe('FULFILLED');
    expect(chains).toEqual([Buffer.from(world.pki.issuer.certificate)]);
    expect(entries.slice(-2)).toEqual([
      ['status', 'passed', undefined],
      ['certificate_revocation', 'passed', undefined],
    ]);
  });

  it('VP:N11 of a revoked certificate is VERIFICATION_FAILED', async () => {
    const { outcome, entries } = await judge(await answerForm(world, request), { checkRevocation: revoked });
    expect(outcome.status).toBe('VERIFICATION_FAILED');
    expect(entries.at(-1)).toEqual(['certificate_revocation', 'failed', 'certificate_revoked']);
  });

  it('VP:N11 with a list that cannot be had is PROCESSING_ERROR', async () => {
    const checkRevocation = () => Promise.reject(new ProcessingFailure('crl_unavailable', 'not to be had'));
    const { outcome } = await judge(await answerForm(world, request), { checkRevocation });
    expect(outcome.status).toBe('PROCESSING_ERROR');
  });

  it('VP:N11 does not concern a credential without a certificate', async () => {
    const more = { trust: () => listing(world), checkRevocation: revoked };
    const { outcome } = await judge(await uncertifiedForm(world, request), more);
    expect(outcome.status).toBe('FULFILLED');
  });

  it('VP:N11 is not looked at where something else failed', async () => {
    const checkStatus = () => Promise.reject(new ProcessingFailure('egress_timeout', 'not in time'));
    const form = await answerForm(world, request, 'cross-device', { status: STATUS });
    const { entries } = await judge(form, { checkStatus, checkRevocation: revoked });
    expect(entries.at(-1)).toEqual(['status', 'failed', 'egress_timeout']);
  });
});
