import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCertificateAuthority, toPem, type Authority, type IssuedCertificate } from '@vestibule/dev-pki';
import { startGateway, type Gateway } from '../testing/gateway.stage';

const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-names-'));
const file = (name: string, text: string): string => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};
let authority: Authority;
let own: IssuedCertificate;
const opened: Gateway[] = [];

beforeAll(async () => {
  authority = await createCertificateAuthority({ name: 'Machines', now: new Date() });
  own = await authority.issue({ name: 'gateway', dnsNames: ['localhost', 'gateway.internal'] });
});
afterAll(async () => {
  await Promise.all(opened.map((gateway) => gateway.close()));
  rmSync(folder, { recursive: true });
});

async function start(names?: string, clock?: () => Date): Promise<Gateway> {
  const gateway = await startGateway({
    clock,
    environment: {
      MANAGEMENT_TLS_CERTIFICATE_FILE: file('server.pem', toPem(own.certificate)),
      MANAGEMENT_TLS_KEY: toPem(own.privateKey),
      MANAGEMENT_CLIENT_CA_FILE: file('ca.pem', toPem(authority.certificate)),
      ...(names === undefined ? {} : { MANAGEMENT_CLIENT_NAMES: names }),
    },
  });
  opened.push(gateway);
  return gateway;
}

/** Status and code of an answer to a client with this certificate. */
function get(gateway: Gateway, identity?: IssuedCertificate, agent: Agent | false = false) {
  const tls = { ca: toPem(authority.certificate), servername: 'localhost', agent };
  const shown = identity ? { cert: toPem(identity.certificate), key: toPem(identity.privateKey) } : {};
  const url = new URL('/openapi.json', gateway.managementUrl.replace('http:', 'https:'));
  return new Promise<[number | undefined, unknown]>((resolve, reject) => {
    request(url, { ...tls, ...shown }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { code } = JSON.parse(Buffer.concat(chunks).toString()) as { code?: string };
        resolve([response.statusCode, code]);
      });
    })
      .on('error', reject)
      .end();
  });
}

const NOT_ALLOWED = [403, 'client_certificate_not_allowed'];

describe('MANAGEMENT_CLIENT_NAMES', () => {
  it('admits by a DNS name of the certificate, else by its common name, and nobody else of the authority', async () => {
    const gateway = await start('shop.internal, Billing.Internal.,legacy');
    const admitted = [
      { name: 'a', dnsNames: ['shop.internal'] },
      { name: 'b', dnsNames: ['other.internal', 'billing.internal'] },
      { name: 'legacy' },
      { name: 'LEGACY' },
    ];
    for (const subject of admitted) {
      expect([subject, ...(await get(gateway, await authority.issue(subject)))]).toEqual([subject, 200, undefined]);
    }
    const refused = [
      { name: 'shop.internal', dnsNames: ['other.internal'] },
      { name: 'other', dnsNames: ['*.internal'] },
      { name: 'other', dnsNames: ['shop.internal.example', 'xshop.internal'] },
      { name: 'legacy2' },
      { name: 'leg*' },
    ];
    for (const subject of refused) {
      expect([subject, await get(gateway, await authority.issue(subject))]).toEqual([subject, NOT_ALLOWED]);
    }
    expect(await get(gateway, own)).toEqual(NOT_ALLOWED);
    expect(await get(gateway)).toEqual([403, 'client_certificate_required']);
  });

  it('when not set admits every certificate of the authority but that of the listener itself', async () => {
    const gateway = await start();
    expect(await get(gateway, await authority.issue({ name: 'anybody' }))).toEqual([200, undefined]);
    expect(await get(gateway, own)).toEqual(NOT_ALLOWED);
  });

  it('must be host names', async () => {
    await expect(start('shop internal')).rejects.toThrow();
    await expect(start('*.internal')).rejects.toThrow();
  });
});

describe('a certificate that ends while its connection is kept', () => {
  it('opens nothing from then on', async () => {
    const ends = new Date(Date.now() + 3_600_000);
    let now = new Date();
    const gateway = await start(undefined, () => now);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const brief = await authority.issue({ name: 'brief', notAfter: ends });
    expect(await get(gateway, brief, agent)).toEqual([200, undefined]);
    const [socket] = Object.values(agent.freeSockets).flat();
    now = new Date(ends.getTime() - 1_000);
    expect(await get(gateway, brief, agent)).toEqual([200, undefined]);
    expect(Object.values(agent.freeSockets).flat()).toEqual([socket]);
    now = new Date(ends.getTime() + 1_000);
    expect(await get(gateway, brief, agent)).toEqual([403, 'client_certificate_required']);
    agent.destroy();
  });
});
