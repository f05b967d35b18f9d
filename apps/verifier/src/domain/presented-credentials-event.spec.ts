import { presentedCredentialsEvent as eventSchema } from '@vestibule/contracts';
import { jwkThumbprint, exportPublicJwk } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import { createCheckLog, parseResponseForm, type VerifiedPresentation } from '@vestibule/oid4vp';
import { judgeDeps, judgeOver } from '../testing/judge.fixture-spec';
import {
  answerForm,
  createWorld,
  NOW,
  NOW_SECONDS,
  payment,
  pendingRequest,
  pidQuery,
  sha256Text,
  STATUS,
  type CredentialOptions,
  type World,
} from '../testing/verifier.fixture-spec';
import { failed, rejected, type PresentationOutcome } from './presentation-outcome';
import type { PendingRequest } from './presentation-request';
import { expiredEvent, presentedCredentialsEvent } from './presented-credentials-event';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

async function fulfilled(request: PendingRequest, credential: CredentialOptions = {}) {
  const form = parseResponseForm(await answerForm(world, request, 'cross-device', credential), request.state);
  const checks = createCheckLog(() => 0);
  const judge = judgeOver(judgeDeps(world));
  const outcome = await judge({ request, form, checks, now: NOW, millisecondsLeft: 12_000 });
  if (outcome.status !== 'FULFILLED') throw new Error(outcome.errorDetails);
  return outcome;
}

/** The event as the backend reads it: through JSON, and exactly as the contract has it. */
function eventOf(outcome: PresentationOutcome) {
  const event = JSON.parse(JSON.stringify(presentedCredentialsEvent('the-state', outcome))) as JsonObject;
  return eventSchema.parse(event);
}

async function credentialOf(request: PendingRequest, credential: CredentialOptions = {}) {
  const event = eventOf(await fulfilled(request, credential));
  if (event.status !== 'FULFILLED') throw new Error(event.status);
  return { verified: event.credentials['pid']?.[0], raw: event.credentialsRaw?.['pid']?.[0] };
}

/** What the verification gives for one credential, with changes. */
async function withClaims(claims: JsonObject, more: Partial<VerifiedPresentation> = {}) {
  const { presentations } = await fulfilled(pendingRequest());
  const presentation = { ...(presentations[0] as VerifiedPresentation), ...more };
  return { ...presentation, claims: { ...presentation.claims, ...claims } };
}

const fulfilledWith = (...presentations: VerifiedPresentation[]): PresentationOutcome => ({
  status: 'FULFILLED',
  flowType: 'cross-device',
  presentations,
});

describe('the event of FULFILLED', () => {
  it('has the members of the contract and no others', async () => {
    const event = eventOf(await fulfilled(pendingRequest()));
    expect(Object.keys(event)).toEqual(['status', 'state', 'credentials', 'credentialsRaw']);
    expect(event).toMatchObject({ status: 'FULFILLED', state: 'the-state' });
  });

  it('VP:P2 has the responseCode that was made, and only then', async () => {
    const outcome = await fulfilled(pendingRequest());
    expect(eventOf({ ...outcome, responseCode: 'the-code' })).toHaveProperty('responseCode', 'the-code');
    expect(eventOf(outcome)).not.toHaveProperty('responseCode');
  });

  it('VP:M11 VP:N13 says what was verified of a credential with holder binding', async () => {
    expect((await credentialOf(pendingRequest())).verified).toEqual({
      issuer: 'https://issuer.example',
      claims: { sub: 'urn:example:subject', given_name: 'Erika', age: 44 },
      signatureIsValid: true,
      supportRevocation: false,
      supportTrustAnchor: true,
      isTrusted: true,
      kbKeyId: jwkThumbprint(exportPublicJwk(world.holderKey)),
      kbSignatureIsValid: true,
    });
  });

  it('VP:O21 has isRevoked exactly when the credential can be revoked', async () => {
    const { verified } = await credentialOf(pendingRequest(), { status: STATUS });
    expect(verified).toMatchObject({ supportRevocation: true, isRevoked: false });
    expect((await credentialOf(pendingRequest())).verified).not.toHaveProperty('isRevoked');
  });

  it('VP:J18 says nothing of the holder where the query did not demand binding', async () => {
    const dcqlQuery = { credentials: [pidQuery({ require_cryptographic_holder_binding: false })] };
    const { verified, raw } = await credentialOf(pendingRequest({ dcqlQuery }));
    expect(verified).not.toHaveProperty('kbKeyId');
    expect(verified).not.toHaveProperty('kbSignatureIsValid');
    expect(raw).not.toHaveProperty('kbKeyId');
  });

  it('VP:D7 says that an issuer is not trusted where the policy lets it pass', async () => {
    const presentation = await withClaims({}, { trust: { supported: true, trusted: false } });
    const event = eventOf(fulfilledWith(presentation));
    expect(event).toMatchObject({ credentials: { pid: [{ supportTrustAnchor: true, isTrusted: false }] } });
  });

  it('has the raw credential: processed payload, issuer, validity, holder', async () => {
    const { raw } = await credentialOf(pendingRequest(), { status: STATUS });
    expect(raw).toEqual({
      claims: expect.any(String) as string,
      issuer: 'https://issuer.example',
      validFrom: '2026-03-01T11:00:00.000Z',
      validUntil: '2026-03-02T12:00:00.000Z',
      kbKeyId: jwkThumbprint(exportPublicJwk(world.holderKey)),
    });
    const claims = JSON.parse(Buffer.from(raw?.claims ?? '', 'base64').toString()) as JsonObject;
    expect(claims).toMatchObject({ given_name: 'Erika', vct: 'urn:example:pid:1', status: { status_list: STATUS } });
    expect(claims).not.toHaveProperty('_sd');
    expect(claims).not.toHaveProperty('_sd_alg');
  });

  it('VP:F6 has the hashes of the transaction data, and none where there were none', async () => {
    const transactionData = payment();
    const { raw } = await credentialOf(pendingRequest({ transactionData }));
    expect(raw?.transactionDataHashes).toEqual(transactionData.map(({ encoded }) => sha256Text(encoded)));
    expect((await credentialOf(pendingRequest())).raw).not.toHaveProperty('transactionDataHashes');
  });

  it('takes validFrom from nbf before iat', async () => {
    const event = eventOf(fulfilledWith(await withClaims({ nbf: NOW_SECONDS })));
    expect(event).toMatchObject({ credentialsRaw: { pid: [{ validFrom: NOW.toISOString() }] } });
  });

  it('leaves out a validity that the credential does not state', async () => {
    const presentation = await withClaims({});
    const claims = Object.fromEntries(
      Object.entries(presentation.claims).filter(([name]) => !['iat', 'exp'].includes(name)),
    );
    const event = eventOf(fulfilledWith({ ...presentation, claims }));
    expect(event.status === 'FULFILLED' && Object.keys(event.credentialsRaw?.['pid']?.[0] ?? {})).toEqual([
      'claims',
      'issuer',
      'kbKeyId',
    ]);
  });

  it.each<JsonObject>([{ exp: 253_402_300_800 }, { exp: 8_640_000_000_000 }, { nbf: -62_167_219_201 }])(
    'leaves out a time that RFC 3339 cannot write: %j',
    async (claims) => {
      const event = eventOf(fulfilledWith(await withClaims(claims)));
      const raw = event.status === 'FULFILLED' ? event.credentialsRaw?.['pid']?.[0] : undefined;
      expect(raw).not.toHaveProperty('exp' in claims ? 'validUntil' : 'validFrom');
    },
  );

  it('VP:J3 keeps the order of several presentations, and any id', async () => {
    const first = await withClaims({ n: 1 }, { credentialId: '__proto__', deliveredClaims: { n: 1 } });
    const second = await withClaims({ n: 2 }, { credentialId: '__proto__', deliveredClaims: { n: 2 } });
    const event = presentedCredentialsEvent('the-state', fulfilledWith(first, second, await withClaims({})));
    expect(event.status === 'FULFILLED' && Object.keys(event.credentials)).toEqual(['__proto__', 'pid']);
    const text = JSON.stringify(event);
    expect(text).toContain('"__proto__":[{');
    expect(text.indexOf('"n":1')).toBeLessThan(text.indexOf('"n":2'));
  });

  it('VP:J15 may hold no credential at all', () => {
    expect(eventOf(fulfilledWith())).toEqual({
      status: 'FULFILLED',
      state: 'the-state',
      credentials: {},
      credentialsRaw: {},
    });
  });
});

describe('the event of another end', () => {
  const outcomes: PresentationOutcome[] = [
    rejected({ code: 'access_denied' }),
    failed(new Error('x'), false),
    { status: 'VERIFICATION_FAILED', errorDetails: 'expired: …', reason: 'expired' },
  ];

  it.each(outcomes.map((outcome) => [outcome.status, outcome] as const))(
    'VP:P6 %s has status, state and errorDetails alone',
    (status, outcome) => {
      const event = eventOf(outcome);
      expect(Object.keys(event)).toEqual(['status', 'state', 'errorDetails']);
      expect(event).toMatchObject({ status, state: 'the-state' });
    },
  );

  it('VP:I3 REJECTED has what the wallet wrote in a member of its own', () => {
    const event = eventOf(rejected({ code: 'access_denied', description: 'not today' }));
    const error = { errorDetails: 'access_denied', errorDescription: 'not today' };
    expect(event).toEqual({ status: 'REJECTED', state: 'the-state', ...error });
    expect(eventSchema.parse(event)).toEqual(event);
  });

  it('VP:P10 EXPIRED has status and state alone', () => {
    const event = expiredEvent('the-state');
    expect(event).toEqual({ status: 'EXPIRED', state: 'the-state' });
    expect(eventSchema.parse(event)).toEqual(event);
  });
});

describe('18.10 minimal data', () => {
  const pseudonymise = (thumbprint: string) => `p${thumbprint.length}`;
  const minimal = async (more: Partial<VerifiedPresentation> = {}) => {
    const event = presentedCredentialsEvent('s', fulfilledWith(await withClaims({}, more)), pseudonymise);
    if (event.status !== 'FULFILLED') throw new Error(event.status);
    expect(eventSchema.safeParse(event).error).toBeUndefined();
    return event;
  };

  it('has no raw credentials and no thumbprint, and everything else as before', async () => {
    const presentation = await withClaims({});
    const full = presentedCredentialsEvent('s', fulfilledWith(presentation));
    const event = await minimal();
    expect(event).not.toHaveProperty('credentialsRaw');
    const [before] = full.status === 'FULFILLED' ? (full.credentials['pid'] ?? []) : [];
    expect(event.credentials['pid']).toEqual([{ ...before, kbKeyId: 'p43' }]);
    expect(JSON.stringify(event)).not.toContain(before?.kbKeyId);
  });

  it('leaves out a sub that repeats the key, and only such a one', async () => {
    const { holder } = await withClaims({});
    const own = `urn:ietf:params:oauth:jwk-thumbprint:sha-256:${holder?.keyThumbprint}`;
    const claimsWith = async (sub: string) =>
      (await minimal({ deliveredClaims: { name: 'Ada', sub } })).credentials['pid']?.[0]?.claims;
    expect(await claimsWith(own)).toEqual({ name: 'Ada' });
    expect(await claimsWith(`${own}x`)).toEqual({ name: 'Ada', sub: `${own}x` });
  });

  it('keeps a claim of any name as it is', async () => {
    const deliveredClaims = JSON.parse('{"__proto__":{"x":1},"constructor":2}') as JsonObject;
    const event = await minimal({ deliveredClaims });
    expect(JSON.stringify(event.credentials['pid']?.[0]?.claims)).toBe('{"__proto__":{"x":1},"constructor":2}');
  });
});
