import type { KeyObject } from 'node:crypto';
import { signEs256 } from '@vestibule/crypto';
import type { EgressFailureCode, EgressResponse, GetOptions } from '@vestibule/egress';
import { ProcessingFailure } from '@vestibule/foundation';
import type { VerifiedPresentation } from '@vestibule/oid4vp';
import { packStatuses, signStatusListToken, STATUS_LIST_MEDIA_TYPE, type StatusEntry } from '@vestibule/status-list';
import { StatusLists } from '../adapters/http/status-lists';
import { base64, NOW, STATUS, type World } from './verifier.fixture-spec';

export const MAX_AGE_SECONDS = 172_800;

export interface TokenOptions {
  readonly entries?: readonly StatusEntry[];
  readonly signer?: { readonly privateKey: KeyObject; readonly chain: readonly Uint8Array[] };
  readonly uri?: string;
  readonly issuedAt?: Date;
  readonly lifeSeconds?: number;
  readonly ttlSeconds?: number;
  readonly bits?: 1 | 2;
  readonly size?: number;
}

export const egressFailure = (code: EgressFailureCode) => new ProcessingFailure(code, 'not to be had');

/** A list as its host sends it. */
export const answer = (token: string, more: Partial<EgressResponse> = {}): EgressResponse => ({
  status: 200,
  contentType: STATUS_LIST_MEDIA_TYPE,
  body: Buffer.from(token),
  finalUrl: STATUS.uri,
  ...more,
});

export interface ListsOptions {
  readonly trust?: World['trust'];
  readonly graceSeconds?: number;
  readonly statusSigners?: 'authority' | 'issuer';
}

/** Status lists, and credentials that refer to them, of the issuer of a world that a test makes before it asks. */
export function statusListsOf(current: () => World) {
  /** A list with two bits for each credential, signed by the issuer unless another one is named. */
  const tokenOf = (options: TokenOptions = {}): Promise<string> => {
    const { entries = [], uri = STATUS.uri, issuedAt = NOW, lifeSeconds = 3_600, ttlSeconds = 300 } = options;
    const { bits = 2, size = 64 } = options;
    const signer = options.signer ?? current().pki.issuer;
    return signStatusListToken({
      uri,
      issuedAt,
      expiresAt: new Date(issuedAt.getTime() + lifeSeconds * 1_000),
      ttlSeconds,
      list: packStatuses(size, bits, entries),
      x5c: signer.chain.map(base64),
      signer: (input) => signEs256(signer.privateKey, input),
    });
  };

  /** A credential, as far as its status is concerned. */
  const credential = (status: VerifiedPresentation['status'] | null = STATUS): VerifiedPresentation => {
    const { trust, pki } = current();
    const chain = trust.chains.verify(pki.issuer.chain.map(base64), { now: NOW, purpose: 'credential' });
    const presentation = {
      vct: 'urn:example:pid:1',
      signedBy: { method: 'certificate', chain },
      ...(status ? { status } : {}),
    };
    return presentation as unknown as VerifiedPresentation;
  };

  /** Status lists over an egress that answers as it is told. */
  const open = (respond: (uri: string, how: GetOptions) => Promise<EgressResponse>, options: ListsOptions = {}) => {
    const { trust = current().trust, graceSeconds = 0, statusSigners } = options;
    const fetches: { uri: string; options: GetOptions }[] = [];
    const notes: string[] = [];
    const time = { now: NOW };
    const lists = new StatusLists({
      egress: {
        get(uri, how) {
          fetches.push({ uri, options: how });
          return respond(uri, how);
        },
        close: () => Promise.resolve(),
      },
      trust: () => ({ ...trust, ...(statusSigners && { statusSigners }) }),
      clock: () => time.now,
      skewSeconds: 60,
      graceSeconds,
      maxAgeSeconds: MAX_AGE_SECONDS,
    });
    const check = (presentation = credential(), answered: object = {}) =>
      lists.check(presentation, time.now, { answer: answered, note: (text) => void notes.push(text) });
    return { fetches, notes, time, check };
  };

  /** Somebody with a certificate of another authority below the same root. */
  const otherIssuer = async () => {
    const authority = await current().pki.root.issueAuthority({ name: 'Other CA', pathLength: 0 });
    const { privateKey, certificate } = await authority.issue({ name: 'Other issuer' });
    return { privateKey, chain: [certificate, authority.certificate] };
  };

  return { tokenOf, credential, open, otherIssuer };
}
