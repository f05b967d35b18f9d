import { joinBench, type Attempt, type Bench, type Ending } from './checklist-bench';
import { endIn } from './flows';
import { FAMILY_NAME, ISSUER, type Members } from './handmade-credential';

const RETURN = { redirect_uri: 'https://shop.example/return' };
const STATUSES = ['FULFILLED', 'REJECTED', 'EXPIRED', 'PROCESSING_ERROR', 'VERIFICATION_FAILED'] as const;
type Status = (typeof STATUSES)[number];

/** How requests come to each end but EXPIRED. */
const ATTEMPTS: Readonly<Record<Exclude<Status, 'EXPIRED'>, Attempt>> = {
  FULFILLED: {},
  REJECTED: { response: ({ state }) => ({ error: 'access_denied', state }) },
  PROCESSING_ERROR: { response: () => 'no JSON' },
  VERIFICATION_FAILED: { binding: 'none' },
};

let bench: Bench;
const asked = new Map<Status, string>();
const endings = new Map<Status, Ending>();
const events = new Map<Status, Members>();
const eventOf = (status: Status) => events.get(status) ?? {};

async function keep(status: Status, state: string): Promise<void> {
  asked.set(status, state);
  events.set(status, await bench.eventOf(state));
}

beforeAll(async () => {
  bench = await joinBench();
  for (const [status, attempt] of Object.entries(ATTEMPTS)) {
    const sameDevice = status !== 'FULFILLED';
    const ending = await bench.attempt({ ask: RETURN, sameDevice, ...attempt });
    endings.set(status as Status, ending);
    await keep(status as Status, ending.state);
  }
  const { state } = await bench.ask({ ask: RETURN, sameDevice: true });
  await endIn(bench.stage, 0, state);
  await keep('EXPIRED', state);
});
afterAll(() => bench?.stop());

describe('a Presented Credentials Event', () => {
  it.each(STATUSES)('C:2.15 C:2.24 C:2.25 C:6.2 C:6.6 with %s is the one event of its request', async (status) => {
    const state = asked.get(status) ?? '';
    expect(eventOf(status)).toMatchObject({ status, state });
    expect(await bench.stage.callbacksOf(state, 1)).toHaveLength(1);
  });

  it.each<[Status, string[]]>([
    ['FULFILLED', ['credentials', 'credentialsRaw']],
    ['REJECTED', ['errorDetails']],
    ['EXPIRED', []],
    ['PROCESSING_ERROR', ['errorDetails']],
    ['VERIFICATION_FAILED', ['errorDetails']],
  ])('C:2.27 C:2.28 C:2.29 C:2.30 C:3.4 C:3.9 C:3.11 C:4.16 with %s has %j', (status, members) => {
    expect(Object.keys(eventOf(status)).sort()).toEqual([...members, 'state', 'status']);
  });

  it('C:4.16 goes with no redirect unless it is FULFILLED', () => {
    for (const status of ['REJECTED', 'PROCESSING_ERROR', 'VERIFICATION_FAILED'] as const) {
      const { text, headers } = (endings.get(status) as Ending).http;
      expect([text.includes('redirect_uri'), headers.get('location')]).toEqual([false, null]);
    }
  });
});

describe('a verified credential', () => {
  const verified = () => (eventOf('FULFILLED')['credentials'] as Record<string, Members[]>)['card']?.[0] ?? {};
  const raw = () => (eventOf('FULFILLED')['credentialsRaw'] as Record<string, Members[]>)['card']?.[0] ?? {};

  it('C:1.14 C:2.2 C:3.3 is under the id of its query, in both members', () => {
    for (const member of ['credentials', 'credentialsRaw']) {
      expect(eventOf('FULFILLED')[member]).toEqual({ card: [expect.any(Object)] });
    }
  });

  it('C:2.31 C:2.45 names its issuer', () => {
    expect([verified()['issuer'], raw()['issuer']]).toEqual([ISSUER, ISSUER]);
  });

  it('C:2.5 C:2.32 has the claims that were asked for and disclosed, by name', () => {
    expect(verified()['claims']).toEqual({ family_name: FAMILY_NAME });
  });

  it('C:2.33 C:2.36 C:2.37 C:2.38 says that signature and chain hold', () => {
    expect(verified()).toMatchObject({ signatureIsValid: true, supportTrustAnchor: true, isTrusted: true });
  });

  it('C:2.6 C:2.7 C:2.42 C:5.10 is bound to its holder where the query says nothing about that', () => {
    expect(verified()).toMatchObject({ kbSignatureIsValid: true, kbKeyId: expect.stringMatching(/^[\w-]{43}$/) });
    expect(eventOf('VERIFICATION_FAILED')['errorDetails']).toMatch(/^key_binding_missing: /);
  });

  it('C:2.44 C:2.45 C:2.46 C:2.47 C:2.48 C:2.50 is raw too, with its claims in base64 and no flags', () => {
    expect(Object.keys(raw()).sort()).toEqual(['claims', 'issuer', 'kbKeyId', 'validFrom', 'validUntil']);
    expect(raw()['kbKeyId']).toBe(verified()['kbKeyId']);
    const claims = Buffer.from(String(raw()['claims']), 'base64');
    expect(claims.toString('base64')).toBe(raw()['claims']);
    expect(JSON.parse(claims.toString('utf8'))).toMatchObject({ family_name: FAMILY_NAME });
  });
});
