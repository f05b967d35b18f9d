import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { judge, parseExceptions, type Exception } from './audit.cjs';

const ID = 'GHSA-aaaa-bbbb-cccc';
const advisory = (change: object = {}) => ({
  id: 1,
  url: `https://github.com/advisories/${ID}`,
  title: 'victim runs what strangers send',
  severity: 'high',
  vulnerable_versions: '<2.0.0',
  cwe: [],
  cvss: { score: 8, vectorString: null },
  ...change,
});
const exception = (change: object = {}): Exception => ({
  advisory: ID,
  package: 'victim',
  reason: 'the broken function is never called by this program',
  until: '9999-12-31',
  ...change,
});

/** How the registry answers a question about advisories. */
type Reply = (body: Record<string, string[]>) => { readonly status?: number; readonly text: string };

let folder: string;
let server: Server;
let registry: string;
let reply: Reply;
let asked: Record<string, string[]>[];
beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      if (request.method === 'GET') return response.end(packument(decodeURIComponent(request.url ?? '').slice(1)));
      const bytes = Buffer.concat(chunks);
      const body = JSON.parse((request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString());
      asked.push(body as Record<string, string[]>);
      const { status = 200, text } = reply(body as Record<string, string[]>);
      response.statusCode = status;
      return response.end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const packument = (name: string) =>
  JSON.stringify({ name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { name, version: '1.0.0' } } });

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vestibule-audit-'));
  asked = [];
  reply = () => ({ text: '{}' });
  const dependencies = { victim: '1.0.0' };
  const devDependencies = { tool: '1.0.0' };
  writeJson('package.json', { name: 'app', version: '1.0.0', dependencies, devDependencies });
  writeJson('package-lock.json', {
    name: 'app',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'app', version: '1.0.0', dependencies, devDependencies },
      'node_modules/victim': { version: '1.0.0', resolved: `${registry}victim/-/victim-1.0.0.tgz` },
      'node_modules/tool': { version: '1.0.0', resolved: `${registry}tool/-/tool-1.0.0.tgz`, dev: true },
    },
  });
});
afterEach(() => rmSync(folder, { recursive: true }));

const writeJson = (name: string, content: unknown) => writeFileSync(path.join(folder, name), JSON.stringify(content));
function except(content: unknown): void {
  mkdirSync(path.join(folder, '.ci'), { recursive: true });
  writeFileSync(
    path.join(folder, '.ci/audit-exceptions.json'),
    typeof content === 'string' ? content : JSON.stringify(content),
  );
}

/** Runs the program as continuous integration does, with a registry of the test. */
function audit(change: Record<string, string> = {}): Promise<{ code: number | null; output: string }> {
  const home = path.join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const own = { HOME: home, npm_config_cache: path.join(home, '.npm'), npm_config_registry: registry };
  const { PATH = '' } = process.env; // eslint-disable-line no-restricted-properties -- npm has to be found
  const env = { PATH, CI: 'true', NPM_CONFIG_AUDIT: 'false', ...own, ...change };
  const program = spawn(process.execPath, [path.join(__dirname, 'audit.cjs'), folder], { env });
  let output = '';
  for (const stream of [program.stdout, program.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  return new Promise((resolve) => program.on('close', (code) => resolve({ code, output })));
}

describe('the audit of a lock file, with a registry that answers', () => {
  it('passes where nothing is known, and asks about what is installed for production only', async () => {
    expect(await audit()).toEqual({ code: 0, output: 'no known vulnerability\n' });
    expect(asked).toEqual([{ victim: ['1.0.0'] }]);
  });

  it.each(['high', 'critical'])('fails for severity %s, and names the advisory', async (severity) => {
    reply = () => ({ text: JSON.stringify({ victim: [advisory({ severity })] }) });
    const { code, output } = await audit();
    expect([code, output]).toEqual([1, `FOUND: ${ID} victim, ${severity}: victim runs what strangers send\n`]);
  });

  it.each(['low', 'moderate'])('notes severity %s and passes', async (severity) => {
    reply = () => ({ text: JSON.stringify({ victim: [advisory({ severity })] }) });
    const { code, output } = await audit();
    expect([code, output]).toEqual([0, expect.stringMatching(`^noted: ${ID} victim, ${severity}`)]);
  });

  it('passes with an exception that holds, and says until when and why', async () => {
    reply = () => ({ text: JSON.stringify({ victim: [advisory()] }) });
    except([exception()]);
    const { code, output } = await audit();
    expect([code, output]).toEqual([0, expect.stringMatching(/^excepted until 9999-12-31: .*never called/)]);
  });

  it('fails when the exception has ended', async () => {
    reply = () => ({ text: JSON.stringify({ victim: [advisory()] }) });
    except([exception({ until: '2026-01-31' })]);
    const { code, output } = await audit();
    expect([code, output]).toEqual([1, expect.stringContaining('(its exception ended on 2026-01-31)')]);
  });

  it('fails for another advisory than the excepted one', async () => {
    reply = () => ({ text: JSON.stringify({ victim: [advisory()] }) });
    except([exception({ advisory: 'GHSA-1111-2222-3333' }), exception({ package: 'tool' })]);
    expect((await audit()).code).toBe(1);
  });
});

describe('the audit of a lock file, with a registry that does not answer', () => {
  it.each([
    ['405, as a mirror does', { status: 405, text: '' }],
    ['404', { status: 404, text: '{"error":"not found"}' }],
    ['500', { status: 500, text: 'oops' }],
    ['a page', { status: 200, text: '<html></html>' }],
  ])('says so and passes: %s', async (_what, answer) => {
    reply = () => answer;
    const { code, output } = await audit();
    expect([code, output]).toEqual([0, expect.stringMatching(/^NOT AUDITED: the registry did not answer \(.+\)\n$/)]);
  });

  it('says so and passes where nobody listens', async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const { code, output } = await audit({
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_fetch_retry_mintimeout: '10',
      npm_config_fetch_retry_maxtimeout: '20',
    });
    expect([code, output]).toEqual([0, expect.stringMatching(/^NOT AUDITED/)]);
  });

  it('fails all the same for a broken list of exceptions, and without a lock file', async () => {
    except('{');
    expect(await audit()).toEqual({ code: 1, output: '.ci/audit-exceptions.json is not JSON\n' });
    expect(asked).toEqual([]);
    except([]);
    rmSync(path.join(folder, 'package-lock.json'));
    expect(await audit()).toEqual({
      code: 1,
      output: expect.stringMatching(/^the lock file could not be audited: ENOLOCK/),
    });
  });
});

describe('the list of exceptions', () => {
  it.each<[string, unknown]>([
    ['no array', {}],
    ['no object', ['x']],
    ['without reason', [{ advisory: ID, package: 'victim', until: '2026-01-01' }]],
    ['with an empty reason', [exception({ reason: ' '.repeat(30) })]],
    ['with another member', [{ ...exception(), severity: 'low' }]],
    ['without end', [exception({ until: 'never' })]],
    ['that ends on no day', [exception({ until: '2026-02-30' })]],
    ['for every advisory', [exception({ advisory: '*' })]],
    ['for no package', [exception({ package: '' })]],
  ])('is refused %s', (_what, content) => {
    expect(parseExceptions(JSON.stringify(content)).faults).toHaveLength(1);
  });

  it('of the project holds', () => {
    const file = path.join(__dirname, '../.ci/audit-exceptions.json');
    mkdirSync(path.join(folder, '.ci'));
    cpSync(file, path.join(folder, '.ci/audit-exceptions.json'));
    return expect(audit()).resolves.toMatchObject({ code: 0 });
  });

  it('holds on its last day and not on the next', () => {
    const via = [{ source: 1, name: 'victim', url: advisory().url, severity: 'high', title: 'x' }, 'other'];
    const report = { auditReportVersion: 2, vulnerabilities: { victim: { via }, user: { via: ['victim'] } } };
    const entries = [exception({ until: '2026-05-31' })];
    expect(['2026-05-31', '2026-06-01'].map((day) => judge(report, entries, day).failed)).toEqual([false, true]);
  });

  it('tells what it does not need any more', () => {
    const { failed, lines } = judge({ auditReportVersion: 2, vulnerabilities: {} }, [exception()], '2026-05-31');
    expect([failed, lines]).toEqual([false, [`no longer needed in .ci/audit-exceptions.json: ${ID} victim`]]);
  });
});
