import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createEgress, type Egress } from '@vestibule/egress';
import { DomainError, type JsonObject } from '@vestibule/foundation';
import {
  canonicalize,
  createDidKey,
  CREDENTIALS_V2,
  signCredential,
  vcdmFailure,
  type VerifiedStatusList,
} from '@vestibule/vcdm';
import { StatusListCredentials, type StatusListCredentialsOptions } from './status-list-credentials';

const contexts = { find: () => Promise.resolve(undefined), isOwn: () => false, findTexts: () => Promise.resolve([]) };
const signer = createDidKey(randomBytes);
const began = new Date('2026-03-01T12:00:00Z');

let server: Server;
let host: string;
let egress: Egress;
let answer: RequestListener;
let asked: string[];
let now: Date;

const urlOf = (path: string) => `http://${host}${path}`;
const after = (seconds: number) => new Date(began.getTime() + seconds * 1000);

async function listAt(path: string, subject: JsonObject = {}, more: JsonObject = {}, by = signer): Promise<string> {
  const document = {
    '@context': [CREDENTIALS_V2],
    id: urlOf(path),
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    issuer: by.did,
    credentialSubject: {
      type: 'BitstringStatusList',
      statusPurpose: 'revocation',
      encodedList: `u${gzipSync(Buffer.alloc(16_384)).toString('base64url')}`,
      ttl: 60_000,
      ...subject,
    },
    ...more,
  };
  return JSON.stringify(await signCredential(document, { signer: by, now: began, contexts, canonicalize }));
}

const sending =
  (text: string, type = 'application/vc', status = 200): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': type }).end(text);

function open(change: Partial<StatusListCredentialsOptions> = {}): StatusListCredentials {
  const understand = () => ({ contexts, canonicalize });
  const own = { egress, clock: () => now, skewSeconds: 60, hosts: [host], issuers: [], understand };
  return new StatusListCredentials({ ...own, ...change });
}

async function outcome(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'found';
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  egress = createEgress({ allowDevelopmentHosts: [host] });
});
beforeEach(() => {
  asked = [];
  now = began;
});
afterAll(async () => {
  await egress.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('status list credentials', () => {
  it('are fetched once for all who wait, and again when their ttl is over', async () => {
    answer = sending(await listAt('/1'));
    const lists = open();
    const found = await Promise.all(Array.from({ length: 20 }, () => lists.forCall().find(urlOf('/1'))));
    expect(new Set(found.map(({ issuerDid }) => issuerDid))).toEqual(new Set([signer.did]));
    now = after(59);
    await lists.forCall().find(urlOf('/1'));
    expect(asked).toEqual(['/1']);
    now = after(60);
    await lists.forCall().find(urlOf('/1'));
    expect(asked).toEqual(['/1', '/1']);
  });

  it('are not used past their ttl when no new one is available', async () => {
    answer = sending(await listAt('/1'));
    const lists = open();
    expect(await outcome(lists.forCall().find(urlOf('/1')))).toBe('found');
    answer = sending('', 'text/plain', 503);
    now = after(61);
    expect(await outcome(lists.forCall().find(urlOf('/1')))).toBe('vc_status_unavailable');
    answer = sending(await listAt('/1'));
    expect(await outcome(lists.forCall().find(urlOf('/1')))).toBe('found');
  });

  it('are fetched again before their ttl is over if they say nothing about a credential, at most every ten seconds', async () => {
    const lists = open();
    const other = createDidKey(randomBytes);
    const ask = (seconds: number) => {
      now = after(seconds);
      const judge = ({ issuerDid }: VerifiedStatusList) => {
        if (issuerDid !== signer.did) throw vcdmFailure('vc_status_issuer_mismatch');
      };
      return outcome(lists.forCall().find(urlOf('/1'), judge));
    };
    answer = sending(await listAt('/1', {}, {}, other));
    expect([await ask(0), await ask(9), await ask(10), await ask(19)]).toEqual(
      Array(4).fill('vc_status_issuer_mismatch'),
    );
    expect(asked).toEqual(['/1', '/1']);
    answer = sending('', 'text/plain', 503);
    expect([await ask(20), await ask(29)]).toEqual(Array(2).fill('vc_status_issuer_mismatch'));
    answer = sending(await listAt('/1'));
    expect([await ask(30), await ask(31)]).toEqual(['found', 'found']);
    expect(asked).toHaveLength(4);
  });

  it('say nothing still while their host hangs, and leave time for the other lists of the call', async () => {
    const lists = open();
    const refuse = () => {
      throw vcdmFailure('vc_status_issuer_mismatch');
    };
    answer = sending(await listAt('/1'));
    await lists.forCall().find(urlOf('/1'));
    const other = sending(await listAt('/2'));
    answer = (request, response) => (request.url === '/2' ? other(request, response) : undefined);
    now = after(10);
    const call = lists.forCall();
    expect(await outcome(call.find(urlOf('/1'), refuse))).toBe('vc_status_issuer_mismatch');
    expect(await outcome(call.find(urlOf('/2')))).toBe('found');
    expect(asked).toEqual(['/1', '/1', '/2']);
  });

  it('are unavailable where an older version comes than before, of the same issuer, by more than clocks differ', async () => {
    const lists = open();
    const serve = async (seconds: number, by = signer) => {
      const validFrom = after(seconds).toISOString().replace('.000', '');
      answer = sending(await listAt('/1', {}, { validFrom }, by));
      now = new Date(now.getTime() + 61_000);
      return outcome(lists.forCall().find(urlOf('/1')));
    };
    expect(await serve(0)).toBe('found');
    expect(await serve(-60)).toBe('found');
    expect(await serve(-61)).toBe('vc_status_unavailable');
    expect(await serve(-86_400, createDidKey(randomBytes))).toBe('found');
    expect(await serve(-61)).toBe('vc_status_unavailable');
    expect(await serve(60)).toBe('found');
    expect(await serve(-1)).toBe('vc_status_unavailable');
  });

  it('from when the clock was ahead do not make those unavailable that come once it is set back', async () => {
    const lists = open();
    const textOf = (seconds: number) => after(seconds).toISOString().replace('.000', '');
    answer = sending(await listAt('/1', {}, { validFrom: textOf(86_300), validUntil: textOf(86_400) }));
    now = after(86_400);
    expect(await outcome(lists.forCall().find(urlOf('/1')))).toBe('found');
    now = began;
    answer = sending(await listAt('/1', {}, { validFrom: textOf(0) }));
    expect(await outcome(lists.forCall().find(urlOf('/1')))).toBe('found');
    expect(asked).toEqual(['/1', '/1']);
  });

  it.each<[string, (url: string) => string, (own: string) => readonly string[]]>([
    ['no host is listed', (url) => url, () => []],
    ['another port is listed', (url) => url, (own) => [own.replace(/\d$/, (digit) => `${(Number(digit) + 1) % 10}`)]],
    ['the host without its port is listed', (url) => url, (own) => [own.split(':')[0] as string]],
    ['the listed host is only the user', (url) => url.replace('//', '//listed.example@'), () => ['listed.example']],
    ['the listed host is only a part', () => 'https://listed.example.evil.example/1', () => ['listed.example']],
    ['it is below the listed host', () => 'https://evil.listed.example/1', () => ['listed.example']],
    ['it has no host', () => 'urn:list', () => ['listed.example']],
  ])('are not requested if %s', async (_what, named, hosts) => {
    answer = sending(await listAt('/1'));
    const find = open({ hosts: hosts(host) })
      .forCall()
      .find(named(urlOf('/1')));
    expect(await outcome(find)).toBe('vc_status_host_not_allowed');
    expect(asked).toEqual([]);
  });

  it('are found whatever the case of the listed host, and with the default port', async () => {
    const hosts = ['Status.Example', 'other.example:443'];
    const closed: Egress = { ...egress, get: () => Promise.reject(new DomainError({ ...REACHED })) };
    for (const url of ['https://status.example/1', 'https://other.example/1'])
      expect(await outcome(open({ hosts, egress: closed }).forCall().find(url))).toBe(REACHED.code);
  });

  it('are taken from the listed host only, not from where it redirects to', async () => {
    answer = (_request, response) => void response.writeHead(302, { location: '/2' }).end();
    expect(await outcome(open().forCall().find(urlOf('/1')))).toBe('vc_status_unavailable');
    expect(asked).toEqual(['/1']);
  });

  it.each(['https://127.0.0.1/1', 'https://[::1]/1', 'http://listed.example/1', 'https://localhost/1'])(
    'are not requested from %s, even if the operator lists it, without the switch for development',
    async (url) => {
      const hosts = ['127.0.0.1', '[::1]', 'listed.example', 'localhost'];
      expect(await outcome(open({ hosts }).forCall().find(url))).toBe('vc_status_unavailable');
    },
  );

  it.each<[string, string, () => RequestListener | Promise<RequestListener>]>([
    ['vc_status_unavailable', 'a page that is not found', () => sending('{}', 'application/vc', 404)],
    ['vc_status_unavailable', 'another media type', async () => sending(await listAt('/1'), 'text/html')],
    ['vc_status_unavailable', 'more than 1 MiB', () => sending(' '.repeat(1_048_577))],
    ['vc_status_unavailable', 'a broken connection', () => (request) => void request.socket.destroy()],
    ['vc_status_list_invalid', 'no JSON', () => sending('no JSON')],
    ['vc_status_list_invalid', 'JSON that is no credential', () => sending('{"encodedList":"u"}')],
    ['vc_status_list_invalid', 'the list of another URL', async () => sending(await listAt('/2'))],
    [
      'vc_status_list_invalid',
      'a member twice',
      async () => sending((await listAt('/1')).replace('{', '{"id":"urn:a",')),
    ],
  ])('fail with %s for %s', async (code, _what, answering) => {
    answer = await answering();
    expect(await outcome(open().forCall().find(urlOf('/1')))).toBe(code);
  });

  it('of one call have one time limit together', async () => {
    answer = () => undefined;
    const lists = open({ callMilliseconds: 300 }).forCall();
    expect(await outcome(lists.find(urlOf('/1')))).toBe('vc_status_unavailable');
    expect(await outcome(lists.find(urlOf('/2')))).toBe('vc_status_unavailable');
    answer = sending(await listAt('/3'));
    expect(await outcome(lists.find(urlOf('/3')))).toBe('vc_status_unavailable');
  });
});

const REACHED = { kind: 'denied', code: 'vc_too_complex', detail: 'the host was reached' } as const;
