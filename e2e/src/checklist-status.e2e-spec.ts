import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { createSelfSignedLeaf, toPem } from '@vestibule/dev-pki';
import { claims, header, refusing } from './attempts';
import { joinBench, type Attempt, type JoinedBench } from './checklist-bench';
import { issueBelow, issuedBy } from './foreign-identity';
import {
  createHolder,
  nowSeconds,
  x5cOf,
  type Change,
  type Identity,
  type JwtDraft,
  type Members,
} from './handmade-credential';
import { startStatusHost, STATUSES, statusToken, type StatusHost } from './status-host';

let bench: JoinedBench;
let host: StatusHost;
beforeAll(async () => {
  bench = await joinBench();
  host = await startStatusHost({ openDoor: bench.stage.openDoor });
});
afterAll(async () => {
  await bench?.stop();
  await host?.stop();
});

const refuses = refusing(() => bench);
const referring = (uri: string, idx = 0): Attempt => claims({ status: { status_list: { idx, uri } } });

let served = 0;
/** An address of its own for each list: nothing of one test is in the verifier's memory for another. */
const serve = (change?: Change<JwtDraft>, signer: Identity = bench.pki.issuer) =>
  host.serve(`/lists/${(served += 1)}`, (uri) => statusToken(uri, signer, change));
const withClaims =
  (patch: Members): Change<JwtDraft> =>
  ({ payload }) => ({ payload: { ...(payload as Members), ...patch } });
const withMembers =
  (patch: Members): Change<JwtDraft> =>
  ({ header: right }) => ({ header: { ...right, ...patch } });
const list = (lst: unknown, bits: unknown = 2) => withClaims({ status_list: { bits, lst } });
const encoded = (bytes: Buffer) => bytes.toString('base64url');

type TokenRow = readonly [what: string, change: Change<JwtDraft>, code: string];

describe('a status list token', () => {
  it.each<TokenRow>([
    ['VP:O4 without typ', withMembers({ typ: undefined }), 'status_token_type'],
    ['VP:O4 with typ JWT', withMembers({ typ: 'JWT' }), 'status_token_type'],
    ['VP:O5 with alg none', withMembers({ alg: 'none' }), 'status_token_algorithm_not_allowed'],
    ['VP:O5 with alg HS256', withMembers({ alg: 'HS256' }), 'status_token_algorithm_not_allowed'],
    ['VP:O5 without certificates', withMembers({ x5c: undefined }), 'status_token_certificate_missing'],
    ['VP:O5 signed with another key', () => ({ key: createHolder().key }), 'status_token_signature_invalid'],
    ['VP:O7 without sub', withClaims({ sub: undefined }), 'status_token_subject_mismatch'],
    ['VP:O7 whose sub is in capitals', upperCaseSubject, 'status_token_subject_mismatch'],
    ['VP:O7 whose sub has a slash too many', subjectWithSlash, 'status_token_subject_mismatch'],
    ['VP:O8 without iat', withClaims({ iat: undefined }), 'status_token_claims_malformed'],
    ['VP:O8 with iat as text', withClaims({ iat: '1' }), 'status_token_claims_malformed'],
    ['VP:O8 from the future', withClaims({ iat: nowSeconds() + 900 }), 'status_token_not_yet_valid'],
    ['VP:O8 that has expired', withClaims({ exp: nowSeconds() - 120 }), 'status_token_expired'],
    ['VP:O8 with exp 0', withClaims({ exp: 0 }), 'status_token_expired'],
    ['VP:O8 with ttl 0', withClaims({ ttl: 0 }), 'status_token_claims_malformed'],
    ['VP:O8 with a negative ttl', withClaims({ ttl: -1 }), 'status_token_claims_malformed'],
    ['VP:O9 without a list', withClaims({ status_list: undefined }), 'status_list_malformed'],
    ['VP:O9 with 3 bits', list(encoded(deflateSync(STATUSES)), 3), 'status_list_malformed'],
    ['VP:O9 with bits as text', list(encoded(deflateSync(STATUSES)), '2'), 'status_list_malformed'],
    ['VP:O9 without lst', list(undefined), 'status_list_malformed'],
    ['VP:O9 whose lst is standard base64', list('+/8A'), 'status_list_malformed'],
    ['VP:O10 in raw deflate', list(encoded(deflateRawSync(STATUSES))), 'status_list_compression_invalid'],
    ['VP:O10 in gzip', list(encoded(gzipSync(STATUSES))), 'status_list_compression_invalid'],
    ['VP:O10 cut off', list(encoded(deflateSync(STATUSES).subarray(0, -5))), 'status_list_compression_invalid'],
    ['VP:O10 that inflates to 64 MiB', list(encoded(deflateSync(Buffer.alloc(67_108_864)))), 'status_list_too_large'],
  ])('%s ends as VERIFICATION_FAILED', async (what, change, code) => refuses(what, referring(serve(change)), code));

  it('VP:O6 of another issuer under the same root ends as VERIFICATION_FAILED', async () => {
    const other = await bench.pki.root.issueAuthority({ name: 'Other CA' });
    const signer = await issueBelow([bench.pki.root, other]);
    await refuses('', referring(serve(undefined, signer)), 'status_signer_not_authorised');
  });

  it('VP:O6 of another key that the same authority has certified is taken', async () => {
    const signer = await issueBelow([bench.pki.root, bench.pki.intermediate], { name: 'Status Signer' });
    const ending = await bench.attempt(referring(serve(undefined, signer)));
    expect([ending.status, ending.codes]).toEqual(['FULFILLED', []]);
  });

  it('VP:O5 VP:N12 under an anchor that is not for status lists ends as VERIFICATION_FAILED', async () => {
    const issuer = await issueBelow([bench.pki.authorities.forCredentials]);
    const { credential: afterwards } = referring(serve(undefined, issuer));
    await refuses('', { ...issuedBy(issuer), ...(afterwards ? { afterwards } : {}) }, 'untrusted_issuer');
  });

  it('VP:O5 VP:N6 whose certificate has expired ends as VERIFICATION_FAILED', async () => {
    const past = { notAfter: new Date(Date.now() - 60_000) };
    const signer = await issueBelow([bench.pki.root, bench.pki.intermediate], past);
    await refuses('', referring(serve(undefined, signer)), 'status_token_signer_not_trusted');
  });

  it('VP:O5 VP:N2 signed with a key that its certificate carries as PEM ends as VERIFICATION_FAILED', async () => {
    const { certificate, privateKey: key } = await createSelfSignedLeaf({ name: 'Uncertified', now: new Date() });
    const value = Buffer.from(`\n${toPem(certificate)}`);
    const extensions = [{ oid: '1.3.6.1.4.1.99999.7', critical: false, value }];
    const { chain } = await issueBelow([bench.pki.root, bench.pki.intermediate], { extensions });
    await refuses('', referring(serve(undefined, { chain, key })), 'status_token_signature_invalid');
  });

  it('VP:O5 VP:N4 with the root in its chain ends as VERIFICATION_FAILED', async () => {
    const x5c = x5cOf([...bench.pki.issuer.chain, bench.pki.root.certificate]);
    await refuses('', referring(serve(withMembers({ x5c }))), 'status_token_signer_not_trusted');
  });
});

describe('the entry of a credential', () => {
  it.each([
    ['1 VP:O13 is revoked', 1, 'credential_revoked'],
    ['2 VP:O13 is suspended', 2, 'credential_suspended'],
    ['3 VP:O13 VP:D10 has a meaning of its own', 3, 'credential_status_unknown'],
    ['16 VP:O12 does not exist', 16, 'status_index_out_of_range'],
  ])('VP:L13 VP:O11 VP:T15 %s: VERIFICATION_FAILED', async (what, idx, code) =>
    refuses(what, referring(serve(), idx), code),
  );

  it('C:2.34 C:2.35 VP:O11 VP:O21 0 is valid: FULFILLED, and the event says that it can be revoked and is not', async () => {
    const ending = await bench.attempt(referring(serve(), 0));
    expect([ending.status, ending.codes]).toEqual(['FULFILLED', []]);
    const event = await bench.eventOf(ending.state);
    expect(event['credentials']).toMatchObject({ card: [{ supportRevocation: true, isRevoked: false }] });
  });

  it.each<readonly [string, Attempt, string]>([
    ['VP:O14 that has expired', claims({ exp: 1 }), 'expired'],
    [
      'that is signed with another key',
      { credential: () => ({ key: createHolder().key }) },
      'issuer_signature_invalid',
    ],
    ['that is not what was asked for', { query: { claims: [{ path: ['birthdate'] }] } }, 'claim_missing'],
    ['whose key binding is missing', { binding: 'none' }, 'key_binding_missing'],
    ['without certificates', header({ x5c: undefined }), 'x5c_missing'],
  ])('VP:O1 of a credential %s is not looked up', async (what, attempt, code) => {
    const uri = serve();
    const { credential: afterwards } = referring(uri);
    await refuses(what, { ...attempt, ...(afterwards ? { afterwards } : {}) }, code);
    expect(host.calls).not.toContain(new URL(uri).pathname);
  });

  it('VP:O16 VP:O19 is read in one list that is fetched once by 12 at the same time and again later', async () => {
    const uri = serve();
    const endings = await Promise.all(
      Array.from({ length: 12 }, (_, index) => bench.attempt(referring(uri, index % 2))),
    );
    expect(endings.map(({ codes }) => codes[0])).toEqual(
      endings.map((_, index) => [undefined, 'credential_revoked'][index % 2]),
    );
    expect((await bench.attempt(referring(uri))).status).toBe('FULFILLED');
    expect(host.calls.filter((path) => path === new URL(uri).pathname)).toHaveLength(1);
  });
});

it('VP:Q7 each made one callback, which names the fault of the record', () => bench.expectOneCallbackEach());

function upperCaseSubject({ payload }: JwtDraft) {
  const right = payload as Members;
  return { payload: { ...right, sub: String(right['sub']).toUpperCase() } };
}

function subjectWithSlash({ payload }: JwtDraft) {
  const right = payload as Members;
  return { payload: { ...right, sub: `${String(right['sub'])}/` } };
}
