import type { RequestListener } from 'node:http';
import { createPublicKey } from 'node:crypto';
import { createRevocationList, crlDistributionPoints, type IssuedCertificate } from '@vestibule/dev-pki';
import { until } from '@vestibule/testkit';
import { claims, refusing } from './attempts';
import { createBench, type Attempt, type OwnBench } from './checklist-bench';
import { identityOf, issuedBy } from './foreign-identity';
import { createHolder, TYPE, withPayload, type Identity, type Members } from './handmade-credential';
import { startHttpsHosts, type HttpsHosts } from './https-host';
import { statusToken } from './status-host';

/** Issuers whose keys come from their metadata, by the path of their `iss`: one for each test, for metadata is remembered. */
const PATHS = [...Array.from({ length: 24 }, (_, index) => `/issuers/${index}`), '/issuers/slash/', '/issuers/typed'];

let bench: OwnBench;
let hosts: HttpsHosts;
let unused: string[];
beforeAll(async () => {
  hosts = await startHttpsHosts();
  const { origin } = hosts.trusted;
  unused = PATHS.slice(0, -2).map((path) => `${origin}${path}`);
  const metadataIssuers = [
    ...PATHS.slice(0, -1).map((path) => `${origin}${path}`),
    { issuer: `${origin}${PATHS.at(-1)}`, vcts: ['urn:example:other'] },
    `${hosts.stranger.origin}/issuer`,
  ];
  bench = await createBench({
    environment: {
      EGRESS_DEVELOPMENT_HOSTS: hosts.developmentHosts,
      EGRESS_CA_FILE: hosts.caFile,
      CERTIFICATE_REVOCATION: 'hard-fail',
    },
    trust: async (pki) => pki.trust([{ certificate: pki.root.certificate }], { metadataIssuers }),
  });
});
afterAll(async () => {
  await bench?.stop();
  await hosts?.stop();
});

const refuses = refusing(() => bench);

/** A document cannot be had: nobody's verdict, and the wallet may try again. */
async function cannotProcess(attempt: Attempt, code: string): Promise<void> {
  const { http, status, codes } = await bench.attempt(attempt);
  expect([status, codes, http.status]).toEqual(['PROCESSING_ERROR', [code], 503]);
}

async function credentialOf(attempt: Attempt): Promise<Members> {
  const ending = await bench.attempt(attempt);
  expect([ending.status, ending.codes]).toEqual(['FULFILLED', []]);
  const { credentials } = await bench.eventOf(ending.state);
  return (credentials as Record<string, Members[]>)['card']?.[0] as Members;
}

const answering =
  (body: unknown, type = 'application/json', status = 200): RequestListener =>
  (_request, response) =>
    void response
      .writeHead(status, { 'content-type': type })
      .end(typeof body === 'string' ? body : JSON.stringify(body));

/** The right credential without certificates, of an issuer that its metadata makes known, signed with its key `k1`. */
const published = (iss: string, kid: string | undefined = 'k1'): Attempt => ({
  credential: ({ header: { x5c: _, ...right } }) => ({ header: { ...right, ...(kid ? { kid } : {}) } }),
  afterwards: withPayload({ iss }),
});

describe('an issuer that is known by its JWT VC Issuer Metadata', () => {
  const jwk = (kid = 'k1') => ({ ...createPublicKey(bench.pki.issuer.key).export({ format: 'jwk' }), kid });
  const next = () => unused.pop() as string;
  const serve = (iss: string, answer: RequestListener) => {
    const { pathname } = new URL(iss);
    return hosts.trusted.at(`/.well-known/jwt-vc-issuer${pathname.replace(/\/$/, '')}`, answer);
  };
  /** Metadata of a fresh issuer; what it says besides the issuer, or an answer of its own. */
  const issuerWith = (make: (iss: string) => object | RequestListener): string => {
    const iss = next();
    const made = make(iss);
    serve(iss, typeof made === 'function' ? (made as RequestListener) : answering({ issuer: iss, ...made }));
    return iss;
  };
  const rightKeys = () => ({ jwks: { keys: [jwk()] } });

  it('C:2.36 C:2.38 VP:L9 VP:L10 VP:Q5 is accepted over https of a company authority; the event claims no trust anchor', async () => {
    const card = await credentialOf(published(issuerWith(rightKeys)));
    expect(card).toMatchObject({ supportTrustAnchor: false, signatureIsValid: true });
    expect(card).not.toHaveProperty('isTrusted');
  });

  it('VP:L9 is accepted with a slash at the end of its path, which the address leaves out', async () => {
    const iss = `${hosts.trusted.origin}/issuers/slash/`;
    serve(iss, answering({ issuer: iss, ...rightKeys() }));
    expect(await credentialOf(published(iss))).toMatchObject({ issuer: iss });
  });

  it('VP:L9 is accepted with keys behind jwks_uri', async () => {
    const jwksUri = hosts.trusted.at('/keys', answering({ keys: [jwk('other'), jwk()] }, 'application/jwk-set+json'));
    await credentialOf(published(issuerWith(() => ({ jwks_uri: jwksUri }))));
  });

  it.each<readonly [string, (iss: string) => object | RequestListener, string]>([
    ['names another issuer', () => ({ ...rightKeys(), issuer: 'https://other.example' }), 'issuer_metadata_mismatch'],
    [
      'names the issuer with a slash more',
      (iss) => ({ ...rightKeys(), issuer: `${iss}/` }),
      'issuer_metadata_mismatch',
    ],
    ['has jwks and jwks_uri', (iss) => ({ ...rightKeys(), jwks_uri: iss }), 'issuer_metadata_keys'],
    ['has neither', () => ({}), 'issuer_metadata_keys'],
    ['has a jwks_uri with http', () => ({ jwks_uri: 'http://issuer.example/keys' }), 'issuer_metadata_keys'],
    ['has no key', () => ({ jwks: { keys: [] } }), 'issuer_metadata_keys'],
    ['is no JSON', () => answering('{'), 'issuer_metadata_malformed'],
    ['is an array', () => answering([]), 'issuer_metadata_malformed'],
    ['has the key under another name', () => ({ jwks: { keys: [jwk('k2')] } }), 'issuer_key_not_found'],
    ['has two keys of that name', () => ({ jwks: { keys: [jwk(), jwk()] } }), 'issuer_key_not_found'],
    ['has another key', () => ({ jwks: { keys: [{ ...createHolder().jwk, kid: 'k1' }] } }), 'issuer_signature_invalid'],
  ])('VP:L9 whose metadata %s is refused', async (what, make, code) =>
    refuses(what, published(issuerWith(make)), code),
  );

  it.each<readonly [string, RequestListener, string]>([
    ['is missing', answering('', 'application/json', 404), 'egress_status'],
    ['is a web page', answering('<html>', 'text/html'), 'egress_content_type'],
    ['is larger than the limit', answering(JSON.stringify({ a: 'x'.repeat(70_000) })), 'egress_too_large'],
    [
      'is elsewhere',
      (_request, response) => void response.writeHead(302, { location: '/elsewhere' }).end(),
      'egress_redirects',
    ],
    ['breaks off', (_request, response) => void response.socket?.destroy(), 'egress_failed'],
  ])('VP:L9 VP:Q5 whose metadata %s cannot be judged: PROCESSING_ERROR', async (_what, answer, code) =>
    cannotProcess(published(issuerWith(() => answer)), code),
  );

  it('VP:L9 VP:Q5 whose host shows a certificate of an unknown authority cannot be judged', async () => {
    const calls = hosts.stranger.calls.length;
    await cannotProcess(published(`${hosts.stranger.origin}/issuer`), 'egress_tls');
    expect(hosts.stranger.calls).toHaveLength(calls);
  });

  it('VP:L8 VP:T22 that sends certificates all the same is refused, and is not asked', async () => {
    const iss = issuerWith(rightKeys);
    const before = hosts.trusted.calls.length;
    await refuses('', claims({ iss }), 'issuer_method_not_allowed');
    expect(hosts.trusted.calls).toHaveLength(before);
  });

  it('VP:L8 VP:L10 VP:Q6 that nobody listed is refused, and is not asked', async () => {
    const before = hosts.trusted.calls.length;
    await refuses('', published(`${hosts.trusted.origin}/unlisted`), 'x5c_missing');
    expect(hosts.trusted.calls).toHaveLength(before);
  });

  it('VP:L9 VP:Q3 may not vouch for a type that is not its own', async () => {
    const iss = `${hosts.trusted.origin}/issuers/typed`;
    serve(iss, answering({ issuer: iss, ...rightKeys() }));
    await refuses('', published(iss), 'issuer_type_not_allowed');
  });
});

describe('Type Metadata', () => {
  it('VP:L15 VP:L14 VP:Q6 behind the address of a type is never asked for', async () => {
    const vct = `${hosts.trusted.origin}/types/card`;
    const before = hosts.trusted.calls.length;
    const typed = claims({ vct, 'vct#integrity': 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' });
    await credentialOf({ ...typed, query: { meta: { vct_values: [vct] } } });
    await refuses('', { ...typed, query: { meta: { vct_values: [TYPE] } } }, 'vct_not_requested');
    expect(hosts.trusted.calls).toHaveLength(before);
  });
});

describe('the revocation list of a certificate', () => {
  const HOUR = 3_600_000;
  const inHours = (hours: number) => new Date(Date.now() + hours * HOUR);
  const current = () => ({ thisUpdate: inHours(-1), nextUpdate: inHours(1) });
  let lists = 0;

  /** A leaf below the intermediate with an address of its own, where the list stands that `make` makes of it. */
  async function listed(make: (leaf: IssuedCertificate) => Promise<Buffer | RequestListener>): Promise<Attempt> {
    const { intermediate } = bench.pki;
    const path = `/crl/${(lists += 1)}`;
    const extensions = [crlDistributionPoints(`${hosts.trusted.origin}${path}`)];
    const leaf = await intermediate.issue({ name: 'Issuer', dnsNames: ['issuer.example'], extensions });
    const made = await make(leaf);
    const listener: RequestListener = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'application/pkix-crl' }).end(made);
    hosts.trusted.at(path, typeof made === 'function' ? made : listener);
    return issuedBy(identityOf(leaf, intermediate));
  }
  const listOf = (...revoked: readonly IssuedCertificate[]) =>
    createRevocationList(bench.pki.intermediate, { revoked, ...current() });

  it('VP:N11 that does not name it lets it pass', async () => {
    const other = await bench.pki.intermediate.issue({ name: 'Other' });
    expect(await credentialOf(await listed(() => listOf(other)))).toMatchObject({ isTrusted: true });
  });

  it.each<readonly [string, (leaf: IssuedCertificate) => Promise<Buffer | RequestListener>, string]>([
    ['names it', (leaf) => listOf(leaf), 'certificate_revoked'],
    [
      'was made by somebody else',
      () => createRevocationList({ ...bench.pki.intermediate, privateKey: createHolder().key }, current()),
      'crl_invalid',
    ],
    ['was made by the authority above', () => createRevocationList(bench.pki.root, current()), 'crl_invalid'],
    [
      'is out of date',
      () => createRevocationList(bench.pki.intermediate, { thisUpdate: inHours(-2), nextUpdate: inHours(-1) }),
      'crl_expired',
    ],
    [
      'is from the future',
      () => createRevocationList(bench.pki.intermediate, { thisUpdate: inHours(1), nextUpdate: inHours(2) }),
      'crl_not_yet_valid',
    ],
    ['is none', () => Promise.resolve(Buffer.from('<html>')), 'crl_malformed'],
    ['breaks off', async () => (await listOf()).subarray(0, -1), 'crl_malformed'],
  ])('VP:N11 that %s fails the credential', async (what, make, code) => refuses(what, await listed(make), code));

  it('VP:N11 fails a credential whose authority it names', async () => {
    const path = '/crl/authority';
    const extensions = [crlDistributionPoints(`${hosts.trusted.origin}${path}`)];
    const authority = await bench.pki.root.issueAuthority({ name: 'Compromised CA', extensions });
    const list = await createRevocationList(bench.pki.root, { revoked: [authority], ...current() });
    hosts.trusted.at(path, (_request, response) => void response.end(list));
    const leaf = await authority.issue({ name: 'Issuer', dnsNames: ['issuer.example'] });
    await refuses('', issuedBy(identityOf(leaf, authority)), 'certificate_revoked');
  });

  it('VP:N11 that cannot be had ends as PROCESSING_ERROR', async () => {
    const gone: RequestListener = (_request, response) => void response.writeHead(404).end();
    await cannotProcess(await listed(() => Promise.resolve(gone)), 'crl_unavailable');
  });

  it('VP:N11 VP:O1 is not asked for a credential that is refused already', async () => {
    const attempt = await listed((leaf) => listOf(leaf));
    const before = hosts.trusted.calls.length;
    await refuses('', { ...attempt, binding: 'none' }, 'key_binding_missing');
    expect(hosts.trusted.calls).toHaveLength(before);
  });

  it('VP:N11 VP:O5 names the signer of a status list: the credential fails', async () => {
    let signer: Identity = bench.pki.issuer;
    await listed(async (leaf) => {
      signer = identityOf(leaf, bench.pki.intermediate);
      return listOf(leaf);
    });
    const uri = hosts.trusted.serve('/lists/revoked-signer', (address) => statusToken(address, signer));
    await refuses('', claims({ status: { status_list: { idx: 0, uri } } }), 'certificate_revoked');
  });
});

describe('the refresh of a status list', () => {
  const now = () => Date.now() / 1000;
  const usableFor = (seconds: number) => (uri: string) =>
    statusToken(uri, bench.pki.issuer, ({ payload }) => ({
      payload: { ...(payload as Members), exp: Math.floor(now()) + seconds },
    }));
  const forged = (uri: string) => statusToken(uri, bench.pki.issuer, () => ({ key: createHolder().key }));

  /** A list that was fetched and then used once more while its host had a forged one; it lives longer where the machine is slow. */
  async function usedWhileForged() {
    for (const seconds of [4, 20, 90]) {
      const path = `/lists/refreshed-${seconds}`;
      const uri = hosts.trusted.serve(path, usableFor(seconds));
      const referring = claims({ status: { status_list: { idx: 0, uri } } });
      const endsAt = Math.floor(now()) + seconds;
      await credentialOf(referring);
      hosts.trusted.serve(path, forged);
      const failure = await credentialOf(referring).then(
        () => undefined,
        (error: Error) => error,
      );
      if (now() >= endsAt) continue;
      if (failure) throw failure;
      expect(hosts.trusted.calls.filter((call) => call === path)).toHaveLength(1);
      // The host has dated it at the time of the request, a moment later than this.
      return { path, referring, endsAt: now() + seconds };
    }
    throw new Error('two presentations took longer than 90 s');
  }

  it('VP:O17 VP:O16 that is forged or cannot be had neither replaces the good list nor prolongs its life', async () => {
    const { trusted } = hosts;
    const { path, referring, endsAt } = await usedWhileForged();
    await until(() => now() > endsAt, 120);
    await refuses('', referring, 'status_token_signature_invalid');
    trusted.at(path, (_request, response) => void response.writeHead(500).end());
    await cannotProcess(referring, 'egress_status');
    trusted.serve(path, usableFor(300));
    await credentialOf(referring);
    // One good, one forged, three for what could not be had, one good again.
    expect(trusted.calls.filter((call) => call === path)).toHaveLength(6);
  });
});

it('VP:Q7 each made one callback, which names the fault of the record', () => bench.expectOneCallbackEach());
