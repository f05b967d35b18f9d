import type { KeyObject } from 'node:crypto';
import { signEs256 } from '@vestibule/crypto';
import { RedirectedFailure, type EgressFailureCode, type EgressResponse, type GetOptions } from '@vestibule/egress';
import { ProcessingFailure, VerificationFailure } from '@vestibule/foundation';
import type { VerifiedPresentation } from '@vestibule/oid4vp';
import { packStatuses, signStatusListToken, STATUS_LIST_MEDIA_TYPE, type StatusEntry } from '@vestibule/status-list';
import { at, base64, createWorld, failsWith, NOW, STATUS, type World } from '../../testing/verifier.fixture-spec';
import { createNewestLists } from './newest-lists';
import { StatusLists } from './status-lists';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

interface TokenOptions {
  readonly entries?: readonly StatusEntry[];
  readonly signer?: { readonly privateKey: KeyObject; readonly chain: readonly Uint8Array[] };
  readonly uri?: string;
  readonly issuedAt?: Date;
  readonly ttlSeconds?: number;
}

/** A list of two bits for each credential, signed by the issuer of the world. */
function tokenOf(options: TokenOptions = {}): Promise<string> {
  const { entries = [], uri = STATUS.uri, issuedAt = NOW, ttlSeconds = 300 } = options;
  const signer = options.signer ?? world.pki.issuer;
  return signStatusListToken({
    uri,
    issuedAt,
    expiresAt: new Date(issuedAt.getTime() + 3_600_000),
    ttlSeconds,
    list: packStatuses(64, 2, entries),
    x5c: signer.chain.map(base64),
    signer: (input) => signEs256(signer.privateKey, input),
  });
}

const egressFailure = (code: EgressFailureCode) => new ProcessingFailure(code, 'not to be had');
const answer = (token: string, more: Partial<EgressResponse> = {}): EgressResponse => ({
  status: 200,
  contentType: STATUS_LIST_MEDIA_TYPE,
  body: Buffer.from(token),
  finalUrl: STATUS.uri,
  ...more,
});

/** A credential of the issuer of the world, as far as its status is concerned. */
function credential(status: VerifiedPresentation['status'] | null = STATUS): VerifiedPresentation {
  const chain = world.trust.chains.verify(world.pki.issuer.chain.map(base64), { now: NOW, purpose: 'credential' });
  const presentation = {
    vct: 'urn:example:pid:1',
    signedBy: { method: 'certificate', chain },
    ...(status ? { status } : {}),
  };
  return presentation as unknown as VerifiedPresentation;
}

/** Status lists over an egress that answers as it is told. */
function open(respond: (uri: string) => Promise<EgressResponse>, trust = world.trust) {
  const fetches: { uri: string; options: GetOptions }[] = [];
  const time = { now: NOW };
  const lists = new StatusLists({
    egress: {
      get(uri, options) {
        fetches.push({ uri, options });
        return respond(uri);
      },
      close: () => Promise.resolve(),
    },
    trust: () => trust,
    clock: () => time.now,
    skewSeconds: 60,
    graceSeconds: 0,
  });
  return { fetches, time, check: (presentation = credential()) => lists.check(presentation, time.now) };
}

describe('VP:O17 an older list', () => {
  /** Lists in this order, each usable for five minutes. */
  const inOrder = async (...tokens: readonly TokenOptions[]) => {
    const answers = await Promise.all(tokens.map(async (one) => answer(await tokenOf(one))));
    return open(() => Promise.resolve(answers.shift() ?? answer('')));
  };
  const revoked: TokenOptions = { issuedAt: at(-60), entries: [{ idx: STATUS.idx, status: 1 }] };

  it('does not bring a credential back to life', async () => {
    const { check, time } = await inOrder(revoked, { issuedAt: at(-120) }, { issuedAt: at(-61) });
    await expect(check()).rejects.toEqual(failsWith('credential_revoked'));
    for (const seconds of [301, 602]) {
      time.now = at(seconds);
      await expect(check()).rejects.toEqual(failsWith('status_list_rolled_back'));
    }
  });

  it('is not remembered: the right one counts at once', async () => {
    const { check, time, fetches } = await inOrder(
      { issuedAt: at(-60) },
      { issuedAt: at(-120) },
      { issuedAt: at(-60) },
    );
    await check();
    time.now = at(301);
    await expect(check()).rejects.toEqual(failsWith('status_list_rolled_back'));
    await check();
    expect(fetches).toHaveLength(3);
  });

  it('may be of the same time, or newer', async () => {
    const { check, time } = await inOrder({ issuedAt: at(-60) }, { issuedAt: at(-60) }, { issuedAt: at(0) });
    for (const seconds of [0, 301, 602]) {
      time.now = at(seconds);
      await check();
    }
  });

  it('is none compared with that of a signer who is not authorised', async () => {
    const authority = await world.pki.root.issueAuthority({ name: 'Other CA', pathLength: 0 });
    const { privateKey, certificate } = await authority.issue({ name: 'Other issuer' });
    const signer = { privateKey, chain: [certificate, authority.certificate] };
    const { check, time } = await inOrder({ signer, issuedAt: at(0) }, { issuedAt: at(-60) });
    await expect(check()).rejects.toEqual(failsWith('status_signer_not_authorised'));
    time.now = at(301);
    await check();
  });

  it('is told for each address by itself, for as many as are remembered', () => {
    const newest = createNewestLists(2);
    newest.remember('a', at(0));
    newest.remember('b', at(0));
    newest.remember('a', at(-9));
    expect(newest.isOlder('a', at(-1))).toBe(true);
    newest.remember('c', at(0));
    expect(newest.isOlder('b', at(-1))).toBe(false);
    expect(newest.isOlder('a', at(-1))).toBe(true);
  });

  describe('at an address of a known issuer that credentials of a type without an anchor name, too,', () => {
    const stranger = (): VerifiedPresentation => {
      const known = credential();
      return { ...known, signedBy: { ...known.signedBy, trusted: false } } as VerifiedPresentation;
    };

    it('is fetched anew, and fails nobody', async () => {
      const { check, fetches, time } = await inOrder({ issuedAt: at(-60) }, { issuedAt: at(10) }, { issuedAt: at(10) });
      await check(stranger());
      time.now = at(20);
      await check();
      await check(stranger());
      await check(stranger());
      expect(fetches).toHaveLength(3);
    });

    it('is not believed, whoever saw the newer one', async () => {
      const { check } = await inOrder(revoked, { issuedAt: at(-90) }, { issuedAt: at(-61) });
      await expect(check()).rejects.toEqual(failsWith('credential_revoked'));
      await expect(check(stranger())).rejects.toEqual(failsWith('status_list_rolled_back'));
      await expect(check(stranger())).rejects.toEqual(failsWith('status_list_rolled_back'));
    });

    it('that is kept is not believed where the newer one cannot be had again', async () => {
      const answers = [await tokenOf({ issuedAt: at(-60) }), await tokenOf({ ...revoked, issuedAt: at(0) })];
      const { check } = open(() => {
        const token = answers.shift();
        return token === undefined ? Promise.reject(egressFailure('egress_too_large')) : Promise.resolve(answer(token));
      });
      await check(stranger());
      await expect(check()).rejects.toEqual(failsWith('credential_revoked'));
      await expect(check(stranger())).rejects.toEqual(failsWith('egress_too_large'));
    });
  });
});

describe('VP:Q5 an address that must not be fetched', () => {
  it.each(['egress_refused_url', 'egress_refused_address'] as const)(
    'is the fault of the credential: %s',
    async (code) => {
      const { check } = open(() => Promise.reject(egressFailure(code)));
      const error: unknown = await check().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(VerificationFailure);
      expect(error).toMatchObject({ code });
    },
  );

  it('is the fault of the host where it redirects there', async () => {
    const { check } = open(() => Promise.reject(new RedirectedFailure('egress_refused_address', 'not to be had')));
    await expect(check()).rejects.toBeInstanceOf(ProcessingFailure);
  });
});
