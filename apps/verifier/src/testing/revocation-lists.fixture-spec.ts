import {
  createCertificateAuthority,
  createRevocationList,
  crlDistributionPoints,
  type Authority,
  type RevocationListOptions,
} from '@vestibule/dev-pki';
import type { EgressResponse } from '@vestibule/egress';
import { ProcessingFailure } from '@vestibule/foundation';
import { parseCertificate, verifyChain, type VerifiedChain } from '@vestibule/x509-trust';
import { RevocationLists, type RevocationListsOptions } from '../adapters/http/revocation-lists';
import { fakeEgress, jsonAnswer } from './published-issuer.fixture-spec';
import { at, NOW } from './verifier.fixture-spec';

export const URIS = ['http://crl.example/1.crl', 'https://mirror.example/1.crl', 'https://third.example/1.crl'];

interface ListOptions extends Partial<Omit<RevocationListOptions, 'revoked'>> {
  readonly revoked?: boolean;
  readonly signer?: Authority;
}

type Respond = (url: string) => EgressResponse | Promise<EgressResponse>;

export const served = (body: Buffer, status = 200): EgressResponse => ({ ...jsonAnswer({}), body, status });
export const DOWN = () => Promise.reject(new ProcessingFailure('egress_timeout', 'not in time'));
export const BROKEN = () => served(Buffer.from('<html>'));

type ListedChain = Awaited<ReturnType<typeof createListedChain>>;

/** An authority, its lists, and a chain whose leaf names their addresses. */
async function createListedChain() {
  const root = await createCertificateAuthority({ name: 'Root', now: NOW });
  const verified = (certificates: readonly Buffer[], anchored = true): VerifiedChain => {
    const anchor = { certificate: parseCertificate(root.certificate), purposes: ['credential'] as const };
    return verifyChain(certificates.map(parseCertificate), anchored ? [anchor] : [], {
      now: NOW,
      purpose: 'credential',
    });
  };
  const { certificate } = await root.issue({ name: 'Issuer', extensions: [crlDistributionPoints(...URIS)] });
  const chain = verified([certificate]);

  const listOf = ({ revoked = false, signer = root, ...parts }: ListOptions = {}): Promise<Buffer> => {
    const named = revoked ? [{ certificate: chain.leaf.der }] : [];
    return createRevocationList(signer, { revoked: named, thisUpdate: at(-60), nextUpdate: at(86_400), ...parts });
  };

  const open = (respond: Respond, mode: RevocationListsOptions['mode'] = 'hard-fail') => {
    const { egress, fetches } = fakeEgress(respond);
    const time = { now: NOW };
    const uses: string[] = [];
    const onUse = (use: string) => void uses.push(use);
    const lists = new RevocationLists({ egress, clock: () => time.now, mode, onUse });
    const check = (of = chain) => lists.check(of);
    return { time, fetches, uses, urls: () => fetches.map(({ url }) => url), check };
  };
  return { root, verified, chain, listOf, open };
}

/** The listed chain of a test file, made before its tests. */
export function useListedChain() {
  let made: ListedChain;
  beforeAll(async () => {
    made = await createListedChain();
  });
  const listOf: ListedChain['listOf'] = (options) => made.listOf(options);
  const open: ListedChain['open'] = (...options) => made.open(...options);
  return { pki: () => made, listOf, open };
}
