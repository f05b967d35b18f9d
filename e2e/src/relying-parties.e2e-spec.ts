import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createHash } from 'node:crypto';
import { createCertificateAuthority, toPem } from '@vestibule/dev-pki';
import { createBench, type Attempt, type OwnBench } from './checklist-bench';

const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-parties-'));
const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
const ids = new Map<string, string>();
let bench: OwnBench;

/** An access certificate as an authority issues it to a relying party. */
async function certify(name: string): Promise<void> {
  const authority = await createCertificateAuthority({ name: 'Access CA', now: new Date() });
  const { certificate, privateKey } = await authority.issue({ name, dnsNames: [`${name}.example`] });
  write(`${name}.pem`, toPem(certificate));
  write(`${name}-key.pem`, toPem(privateKey));
  ids.set(name, `x509_hash:${createHash('sha256').update(certificate).digest('base64url')}`);
}

beforeAll(async () => {
  for (const name of ['shop', 'bank']) await certify(name);
  const relyingParties = ['shop', 'bank'].map((name) => ({
    name,
    accessCertificates: [{ certificate: `${name}.pem`, key: `${name}-key.pem` }],
    ...(name === 'shop' ? { clientName: 'The Shop', logoUri: 'https://shop.example/logo.png' } : {}),
  }));
  write('parties.json', JSON.stringify({ relyingParties }));
  const environment = {
    RELYING_PARTIES_FILE: path.join(folder, 'parties.json'),
    CALLBACK_DATA: 'minimal',
    PSEUDONYM_KEY: Buffer.alloc(32, 5).toString('base64url'),
  };
  bench = await createBench({ environment });
});
afterAll(async () => {
  await bench?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const inNameOf = (name?: string): Attempt => (name === undefined ? {} : { ask: { relying_party: name } });

describe('18.6 an installation with several relying parties', () => {
  it('EU:I1 signs each request with the access certificate of its party, and says its name', async () => {
    const shop = await bench.ask(inNameOf('shop'));
    const bank = await bench.ask(inNameOf('bank'));
    const usual = await bench.ask();
    expect([shop.clientId, bank.clientId]).toEqual([ids.get('shop'), ids.get('bank')]);
    expect([...ids.values()]).not.toContain(usual.clientId);
    for (const { header, clientId } of [shop, bank, usual]) {
      const [leaf = ''] = header['x5c'] as string[];
      const hash = createHash('sha256').update(Buffer.from(leaf, 'base64')).digest('base64url');
      expect(clientId).toBe(`x509_hash:${hash}`);
    }
    const named = { client_name: 'The Shop', logo_uri: 'https://shop.example/logo.png' };
    expect(shop.claims['client_metadata']).toMatchObject(named);
    expect(bank.claims['client_metadata']).not.toHaveProperty('client_name');
  });

  it('EU:I2 EU:I3 accepts a response for its own party alone, and each party knows the holder by another name', async () => {
    const seen: string[] = [];
    for (const name of ['shop', 'bank', undefined]) {
      const { state, status } = await bench.attempt(inNameOf(name));
      expect([name, status]).toEqual([name, 'FULFILLED']);
      const { credentials } = await bench.eventOf(state);
      const [{ kbKeyId } = { kbKeyId: '' }] = (credentials as { card: { kbKeyId: string }[] }).card;
      seen.push(kbKeyId);
    }
    expect(new Set(seen).size).toBe(3);
    const audience = ids.get('bank');
    const crossed = await bench.attempt({
      ...inNameOf('shop'),
      binding: ({ payload }) => ({ payload: { ...(payload as object), aud: audience } }),
    });
    expect([crossed.status, ...crossed.codes]).toEqual(['VERIFICATION_FAILED', 'key_binding_audience']);
  });

  it('refuses a name that is not configured, and shows what is', async () => {
    const query = { credentials: [{ id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['urn:a'] } }] };
    const body = { dcql_query: query, relying_party: 'nobody' };
    const answer = await bench.stage.management('POST', '/oidc4vp', body);
    expect([answer.status, answer.body['errors']]).toEqual([
      400,
      [{ path: 'relying_party', message: 'must be one of "shop", "bank"' }],
    ]);
    const metricsUrl = bench.stage.stack.process('verifier').readyUrl.replace('/health/ready', '/metrics');
    const metrics = await (await fetch(metricsUrl)).text();
    expect(metrics).toMatch(/^vestibule_presentation_requests_made_total\{.*relying_party="shop".*\} [1-9]/m);
    expect(metrics).toMatch(/^vestibule_relying_party_access_certificate_expiry_.*relying_party="bank".*\} [1-9]/m);
    const health = await bench.stage.management('GET', '/health/ready');
    expect(health.body).toMatchObject({
      services: { verifier: { expires: { relyingPartyCertificate: expect.any(String) } } },
    });
  });
});
