import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { claims, disclosing, header, refusing, type FaultRow } from './attempts';
import { joinBench, type Attempt, type Bench } from './checklist-bench';
import {
  decoy,
  disclosureOf,
  nowSeconds,
  TYPE,
  withDisclosures,
  withPayload,
  type Members,
} from './handmade-credential';

let bench: Bench;
let server: Server;
let origin: string;
const calls: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    calls.push(request.url ?? '');
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  bench = await joinBench();
  origin = `http://127.0.0.1:${await bench.stage.openDoor(port)}`;
});
afterAll(async () => {
  await bench?.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const refuses = refusing(() => bench);
/** `cnf` made of the holder's key. */
const confirmation = (make: (key: Members) => unknown): Attempt => ({
  credential: ({ payload }) => ({ payload: { ...payload, cnf: make(bench.holder.jwk) } }),
});
const P521 = { kty: 'EC', crv: 'P-521', x: 'A'.repeat(88), y: 'A'.repeat(88) };
const ED25519 = { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) };

describe('the validity', () => {
  it.each<FaultRow>([
    ['VP:K19 exp in the past by more than the skew', claims(() => ({ exp: nowSeconds() - 90 })), 'expired'],
    ['VP:K19 exp 0', claims({ exp: 0 }), 'expired'],
    ['VP:K19 exp as text', claims(() => ({ exp: String(nowSeconds() + 600) })), 'claim_malformed'],
    ['VP:K19 exp null', claims({ exp: null }), 'claim_malformed'],
    ['VP:K19 nbf in the future', claims(() => ({ nbf: nowSeconds() + 300 })), 'not_yet_valid'],
    ['VP:K19 nbf as text', claims({ nbf: '0' }), 'claim_malformed'],
    ['VP:K19 iat in the future', claims(() => ({ iat: nowSeconds() + 300 })), 'issued_in_future'],
    ['VP:K19 iat true', claims({ iat: true }), 'claim_malformed'],
    [
      'VP:K19 a past exp that hides in a disclosure',
      {
        credential: withPayload({ exp: undefined }),
        afterwards: withDisclosures(disclosureOf('exp', nowSeconds() - 90)),
      },
      'registered_claim_disclosed',
    ],
    [
      'VP:K19 a disclosed iat in the future',
      {
        credential: withPayload({ iat: undefined }),
        afterwards: withDisclosures(disclosureOf('iat', nowSeconds() + 300)),
      },
      'issued_in_future',
    ],
  ])('%s is refused', refuses);
});

describe('the type', () => {
  it.each<FaultRow>([
    ['VP:L1 without typ', header({ typ: undefined }), 'type_header_wrong'],
    ['VP:L1 with typ JWT', header({ typ: 'JWT' }), 'type_header_wrong'],
    ['VP:L1 with typ kb+jwt', header({ typ: 'kb+jwt' }), 'type_header_wrong'],
    ['VP:L1 VP:D14 with typ vc+sd-jwt of old drafts', header({ typ: 'vc+sd-jwt' }), 'type_header_wrong'],
    ['VP:L1 with typ in an array', header({ typ: ['dc+sd-jwt'] }), 'type_header_wrong'],
    ['VP:L2 without vct', claims({ vct: undefined }), 'vct_missing'],
    ['VP:L2 with an empty vct', claims({ vct: '' }), 'vct_missing'],
    ['VP:L2 with vct in an array', claims({ vct: [TYPE] }), 'claim_malformed'],
    ['VP:L2 with a number as vct', claims({ vct: 1 }), 'claim_malformed'],
    ['VP:L14 with vct#integrity that is no text', claims({ 'vct#integrity': 1 }), 'claim_malformed'],
    ['VP:L6 with iss that is no text', claims({ iss: ['https://issuer.example'] }), 'claim_malformed'],
  ])('%s is refused', refuses);
});

describe('a registered claim', () => {
  const values: Readonly<Record<string, unknown>> = {
    iss: 'https://issuer.example',
    nbf: 1,
    exp: nowSeconds() + 600,
    vct: TYPE,
    'vct#integrity': 'sha256-AAAA',
    status: { status_list: { idx: 0, uri: 'https://status.example/1' } },
    aka_vcts: [TYPE],
  };

  it.each<FaultRow>([
    ...Object.entries(values).map(([name, value]): FaultRow => [
      `VP:L3 ${name} in a disclosure`,
      { credential: withPayload({ [name]: undefined }), afterwards: withDisclosures(disclosureOf(name, value)) },
      'registered_claim_disclosed',
    ]),
    [
      'VP:L3 cnf in a disclosure',
      {
        credential: withPayload({ cnf: undefined }),
        afterwards: (right) => withDisclosures(disclosureOf('cnf', { jwk: bench.holder.jwk }))(right),
      },
      'registered_claim_disclosed',
    ],
    ['VP:L4 cnf with digests', confirmation((key) => ({ jwk: key, _sd: [decoy()] })), 'registered_claim_disclosed'],
    [
      'VP:L4 cnf.jwk with digests',
      confirmation((key) => ({ jwk: { ...key, _sd: [decoy()] } })),
      'registered_claim_disclosed',
    ],
    ['VP:L4 status with digests', claims({ status: { _sd: [decoy()] } }), 'registered_claim_disclosed'],
    ['VP:L4 aka_vcts with hidden elements', claims({ aka_vcts: [{ '...': decoy() }] }), 'registered_claim_disclosed'],
  ])('%s is refused', refuses);

  it('VP:L3 that stands in the payload is not overwritten by a disclosed one', async () => {
    await refuses('', disclosing(disclosureOf('exp', nowSeconds() + 9_000)), 'registered_claim_disclosed');
  });
});

describe('the way to the key of the issuer', () => {
  it.each<FaultRow>([
    ['VP:L7 no certificates', header({ x5c: undefined }), 'x5c_missing'],
    ['VP:L10 a key id instead of certificates', header({ x5c: undefined, kid: 'key-1' }), 'x5c_missing'],
    [
      'VP:L7 certificates in the payload',
      {
        credential: ({ header: { x5c, ...rest }, payload }) => ({ header: rest, payload: { ...payload, x5c } }),
      },
      'x5c_missing',
    ],
  ])('%s is refused', refuses);

  it('VP:L8 VP:L10 VP:Q6 is x5c alone: nothing that the credential names is fetched', async () => {
    const named = { x5c: undefined, kid: 'key-1', jku: `${origin}/jku`, x5u: `${origin}/x5u` };
    const attempt = { ...header(named), afterwards: withPayload({ iss: origin, jwks_uri: `${origin}/jwks` }) };
    await refuses('', attempt, 'x5c_missing');
    expect(calls).toEqual([]);
  });
});

describe('the key of the holder', () => {
  it.each<FaultRow>([
    ['VP:L11 missing', claims({ cnf: undefined }), 'confirmation_key_missing'],
    ['VP:L11 with an empty cnf', claims({ cnf: {} }), 'confirmation_key_missing'],
    ['VP:L11 with cnf that is a text', claims({ cnf: 'key' }), 'confirmation_key_missing'],
    ['VP:L11 with cnf null', claims({ cnf: null }), 'confirmation_key_missing'],
    ['VP:L11 by kid only', claims({ cnf: { kid: 'key-1' } }), 'confirmation_key_missing'],
    ['VP:L11 by jku only', claims({ cnf: { jku: 'https://keys.example/1' } }), 'confirmation_key_missing'],
    ['VP:L11 by x5u only', claims({ cnf: { x5u: 'https://keys.example/1' } }), 'confirmation_key_missing'],
    [
      'VP:L11 by jwk and jku',
      confirmation((key) => ({ jwk: key, jku: 'https://keys.example/1' })),
      'confirmation_key_not_allowed',
    ],
    [
      'VP:L11 with its private part',
      confirmation((key) => ({ jwk: { ...key, d: 'A'.repeat(43) } })),
      'confirmation_key_not_allowed',
    ],
    ['VP:L11 in an array', confirmation((key) => ({ jwk: [key] })), 'confirmation_key_not_allowed'],
    ['VP:L11 on P-521', claims({ cnf: { jwk: P521 } }), 'confirmation_key_not_allowed'],
    ['VP:L11 on Ed25519', claims({ cnf: { jwk: ED25519 } }), 'confirmation_key_not_allowed'],
    ['VP:L11 symmetric', claims({ cnf: { jwk: { kty: 'oct', k: 'AAAA' } } }), 'confirmation_key_not_allowed'],
    [
      'VP:L11 that is no point of the curve',
      confirmation((key) => ({ jwk: { ...key, y: key['x'] } })),
      'confirmation_key_not_allowed',
    ],
    [
      'VP:L11 with a short coordinate',
      confirmation((key) => ({ jwk: { ...key, x: 'AAAA' } })),
      'confirmation_key_not_allowed',
    ],
    [
      'VP:L11 for another algorithm',
      confirmation((key) => ({ jwk: { ...key, alg: 'ES384' } })),
      'confirmation_key_not_allowed',
    ],
  ])('%s is refused', refuses);
});

describe('the status', () => {
  const at = (statusList: unknown) => claims({ status: { status_list: statusList } });
  const uri = 'https://status.example/1';

  it.each<FaultRow>([
    ['VP:L12 empty', claims({ status: {} }), 'status_malformed'],
    ['VP:L12 as a text', claims({ status: 'valid' }), 'status_malformed'],
    ['VP:L12 null', claims({ status: null }), 'status_malformed'],
    ['VP:L12 of another mechanism', claims({ status: { other: {} } }), 'status_malformed'],
    ['VP:L12 with a list that is a text', at('list'), 'status_malformed'],
    ['VP:O2 with a negative index', at({ idx: -1, uri }), 'status_reference_malformed'],
    ['VP:O2 with half an index', at({ idx: 0.5, uri }), 'status_reference_malformed'],
    ['VP:O2 with a text as index', at({ idx: '0', uri }), 'status_reference_malformed'],
    ['VP:O2 without an index', at({ uri }), 'status_reference_malformed'],
    ['VP:O2 without an address', at({ idx: 0 }), 'status_reference_malformed'],
    ['VP:O2 with an address that is none', at({ idx: 0, uri: 'status list 1' }), 'status_reference_malformed'],
  ])('%s is refused', refuses);
});

it('VP:Q7 each made one callback, which names the fault of the record', () => bench.expectOneCallbackEach());
