import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parseWebhookKey, webhookHeaders, type WebhookKey } from '@vestibule/callbacks';
import { filesBelow } from './docs/repository-files';

const root = path.resolve(__dirname, '..');
const TOP = /^(apps|libs|docs|deploy|tools|e2e)\//;
const FILE = /^[\w.-]+(?:\/[\w.-]+)*\.(?:ts|cjs|mjs|md|sh|conf|yml|json)$/;
/** Files that exist on an operator's machine only, or after a build. */
const ELSEWHERE =
  /^(dist|secrets|config|deploy\/(secrets|config))(\/|$)|^docker-compose\.override\.yml$|^(trust|issuance|secrets|openapi)\.json$|^main\.js$/;

function markdownFiles(): string[] {
  const below = (folder: string) => filesBelow(root, folder);
  const readmes = ['apps', 'libs', 'deploy', 'e2e', 'examples', 'tools']
    .flatMap(below)
    .filter((file) => file.endsWith('README.md'));
  const top = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].filter((file) =>
    existsSync(path.join(root, file)),
  );
  return [...top, ...below('docs').filter((file) => file.endsWith('.md')), ...readmes];
}

const withoutBlocks = (text: string) => text.replace(/^ *```[\s\S]*?^ *```/gm, '');

/** A path may be given from the root, from its document's folder, from `src` beside it, or as what every service app has. */
function isThere(document: string, named: string): boolean {
  const here = path.dirname(document);
  const candidates = TOP.test(named)
    ? [named]
    : [named, path.join(here, named), path.join(here, 'src', named), path.join('apps/verifier/src', named)];
  return candidates.some((candidate) => existsSync(path.join(root, candidate)));
}

/** What stands in backticks and looks like a path of the repository. */
function namedPaths(text: string): string[] {
  const spans = [...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, span]) =>
    (span as string).replace(/\/$/, ''),
  );
  const plain = spans.filter((span) => !/[\s*{}<>…$]/.test(span));
  return plain.filter((span) => (TOP.test(span) || FILE.test(span)) && !ELSEWHERE.test(span));
}

function linkedPaths(text: string): string[] {
  const targets = [...withoutBlocks(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target as string);
  return targets.filter((target) => !/^(https?:|mailto:|#)/.test(target));
}

/** The anchor that a heading gets. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .trim()
    .replaceAll(' ', '-');

function hasAnchor(file: string, anchor: string): boolean {
  const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    anchorOf(heading as string),
  );
  return headings.includes(anchor);
}

function brokenLinks(document: string): string[] {
  return linkedPaths(readFileSync(path.join(root, document), 'utf8')).filter((target) => {
    const [file = '', anchor] = target.split('#');
    const full = path.join(root, path.dirname(document), file);
    return !existsSync(full) || (anchor !== undefined && !hasAnchor(full, anchor));
  });
}

const documents = markdownFiles();
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

describe('the documents', () => {
  it('are all there', () => {
    const pages = [
      'architecture',
      'flows',
      'integration',
      'operations',
      'performance',
      'privacy',
      'errors',
      'configuration',
      'conformance',
    ];
    const others = ['README.md', 'CONTRIBUTING.md', 'examples/shop/README.md'];
    expect(documents).toEqual(expect.arrayContaining([...others, ...pages.map((page) => `docs/${page}.md`)]));
    const projects = ['apps', 'libs/core', 'libs/platform', 'libs/kit', 'libs/dev'].flatMap((room) =>
      readdirSync(path.join(root, room)).map((name) => `${room}/${name}`),
    );
    expect(projects.filter((project) => !existsSync(path.join(root, project, 'README.md')))).toEqual([]);
  });

  it('notice a path that does not exist', () => {
    expect(namedPaths('see `apps/gateway/src/nowhere.ts` and `other.ts`, not `a.b` or `POST /offers`')).toEqual([
      'apps/gateway/src/nowhere.ts',
      'other.ts',
    ]);
    expect(isThere('docs/flows.md', 'apps/gateway/src/nowhere.ts')).toBe(false);
  });
});

describe.each(documents)('%s', (document) => {
  const text = readFileSync(path.join(root, document), 'utf8');

  it('names only paths that exist', () => {
    expect(namedPaths(text).filter((named) => !isThere(document, named))).toEqual([]);
  });

  it('links only to files and headings that exist', () => {
    expect(brokenLinks(document)).toEqual([]);
  });

  it('names only npm commands that package.json has', () => {
    const commands = [...text.matchAll(/(?:npm run |`npm (?!run)|&& npm (?!run))([a-z:-]+)/g)].map(
      ([, command]) => command as string,
    );
    expect(commands.filter((command) => command !== 'ci' && !Object.hasOwn(manifest.scripts, command))).toEqual([]);
  });
});

describe('the tables of docs/integration.md', () => {
  const page = readFileSync(path.join(root, 'docs/integration.md'), 'utf8');
  const api = JSON.parse(readFileSync(path.join(root, 'docs/openapi/management.json'), 'utf8')) as {
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  };
  interface Schema {
    readonly properties: object;
    readonly required?: string[];
  }

  it.each([
    ['/oidc4vp', 'PresentationRequest'],
    ['/offers', 'CredentialOffer'],
  ])('have every member of POST %s, and say which are required', (place, schemaName) => {
    const [, table = ''] = new RegExp(`^## [^\\n]+\`POST ${place}\`\\n([\\s\\S]*?)\\n\\n[^|]`, 'm').exec(page) ?? [];
    const rows = [...table.matchAll(/^\| `(\w+)` +\| ([^|]+?) +\|/gm)];
    const schema = api.components.schemas[schemaName];
    expect(rows.map(([, name]) => name).sort()).toEqual(Object.keys(schema?.properties ?? {}).sort());
    const required = rows.filter(([, , type = '']) => type.includes('required')).map(([, name]) => name);
    expect(required).toEqual(schema?.required);
  });
});

describe('the flows', () => {
  it('name files along both ways, in the gateway, the bus, the use cases, the core and the stores', () => {
    const named = namedPaths(readFileSync(path.join(root, 'docs/flows.md'), 'utf8'));
    expect(named.length).toBeGreaterThan(30);
    for (const part of [
      'apps/gateway',
      'apps/verifier',
      'apps/issuer',
      'libs/core/oid4vp',
      'libs/core/oid4vci',
      'libs/platform/callbacks',
    ]) {
      expect(named.some((file) => file.startsWith(part))).toBe(true);
    }
  });
});

type Headers = Readonly<Record<string, string | undefined>>;
type IsGenuine = (headers: Headers, rawBody: Buffer, secret: string, now?: number) => boolean;

const guide = readFileSync(path.join(root, 'docs/callback-signatures.md'), 'utf8');

function sampleInJavaScript(): IsGenuine {
  const [, code = ''] = /```js\n(const \{ createHmac[\s\S]*?)```/.exec(guide) ?? [];
  return new Function('require', `${code}; return isGenuine;`)(createRequire(__filename)) as IsGenuine;
}

/** Each question starts the interpreter once, as a backend does. */
function sampleInPython(): IsGenuine {
  const [, code = ''] = /```python\n([\s\S]*?)```/.exec(guide) ?? [];
  const program = `${code}
import json, sys
asked = json.load(sys.stdin)
body = base64.b64decode(asked["body"])
print(json.dumps(is_genuine(asked["headers"], body, asked["secret"], asked["now"])))
`;
  return (headers, rawBody, secret, now = Date.now()) => {
    const input = JSON.stringify({ headers, body: rawBody.toString('base64'), secret, now: now / 1000 });
    const { stdout, stderr } = spawnSync('python3', ['-c', program], { input, encoding: 'utf8' });
    if (stderr !== '') throw new Error(stderr);
    return JSON.parse(stdout) as boolean;
  };
}

const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) process.stderr.write('the sample in Python is NOT TESTED: this machine lacks Python\n');

describe.each([
  ['JavaScript', sampleInJavaScript],
  ...(hasPython ? [['Python', sampleInPython] as const] : []),
] as const)('the sample that verifies webhook signatures in %s', (_language, sampleIn) => {
  const isGenuine = sampleIn();
  const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
  const [current, old, foreign] = [secretOf(1), secretOf(2), secretOf(3)];
  const sentAt = new Date('2026-01-01T00:00:00Z');
  const body = Buffer.from('{"status":"EXPIRED","state":"s"}');
  const keys = [current, old].map((secret) => parseWebhookKey(secret) as WebhookKey);
  const headers = webhookHeaders({ id: 'event-1', sentAt, body }, keys);
  const judge = (changes: object, secret = current, bytes = body) =>
    isGenuine({ ...headers, ...changes }, bytes, secret, sentAt.getTime() + 1_000);

  it('accepts what we send, under each secret of a rotation', () => {
    expect([judge({}), judge({}, old)]).toEqual([true, true]);
  });

  it.each([
    ['another secret', () => judge({}, foreign)],
    ['another body', () => judge({}, current, Buffer.from('{}'))],
    ['another id', () => judge({ 'webhook-id': 'event-2' })],
    ['an old timestamp', () => judge({ 'webhook-timestamp': '1' })],
    ['no timestamp', () => judge({ 'webhook-timestamp': undefined })],
    ['no signature', () => judge({ 'webhook-signature': undefined })],
    ['a signature that is none', () => judge({ 'webhook-signature': 'v1,é v1,' })],
  ])('refuses %s', (_what, attempt) => {
    expect(attempt()).toBe(false);
  });
});
