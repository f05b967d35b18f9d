import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { runInNewContext } from 'node:vm';
import { startGateway, type Gateway } from '../testing/gateway.stage';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'favicon-32x32.png'];
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('17.12: Swagger UI at /docs', () => {
  it('is a page that loads everything from this listener, and runs no inline script', async () => {
    const { status, headers, text } = await gateway.toManagement('/docs');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const references = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, reference]) => reference as string);
    expect(references.length).toBeGreaterThan(4);
    for (const reference of references) {
      expect(reference).toMatch(/^docs\/[a-z0-9.-]+$/);
      expect((await gateway.toManagement(`/${reference}`)).status).toBe(200);
    }
    expect(text).not.toMatch(/<script>|<script [^>]*>[^<]|style=|<style|\bon[a-z]+=/);
    const policy = (headers['content-security-policy'] ?? '').split('; ');
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'", "connect-src 'self'"]));
    expect(policy.join()).not.toMatch(/unsafe|https?:|\*/);
    expect(policy).toEqual(expect.arrayContaining(["frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'"]));
  });

  it('allows the style elements that the package writes, by their digests, and no others', async () => {
    const scripts = FILES.filter((name) => name.endsWith('.js')).map((name) =>
      readFileSync(createRequire(__filename).resolve(`swagger-ui-dist/${name}`), 'utf8'),
    );
    const styles = scripts.flatMap((text) => [...text.matchAll(/createElement\("style"(?:,null,"([^"\\]*)"\))?/g)]);
    expect(styles).toHaveLength(1);
    const allowed = styles.map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
    const { headers } = await gateway.toManagement('/docs');
    const policy = (headers['content-security-policy'] ?? '').split('; ');
    expect(policy).toContain(["style-src 'self'", ...allowed].join(' '));
  });

  /** What the page passes to Swagger UI, where it is at this address. */
  async function optionsAt(href: string) {
    const { text } = await gateway.toManagement('/docs/start.js');
    let options: Record<string, unknown> = {};
    const SwaggerUIBundle = Object.assign((given: typeof options) => (options = given), { presets: { apis: 1 } });
    runInNewContext(text, { SwaggerUIBundle, SwaggerUIStandalonePreset: 2, location: { href }, URL });
    return options;
  }

  it('offers every description that this listener serves, keeps no key and asks no validator', async () => {
    const options = await optionsAt('http://127.0.0.1:8081/docs');
    expect(options).toMatchObject({ validatorUrl: null, persistAuthorization: false, queryConfigEnabled: false });
    const urls = options['urls'] as { name: string; url: string }[];
    expect(urls.length).toBeGreaterThan(2);
    for (const { url } of urls) {
      const { status, json } = await gateway.toManagement(`/${url}`);
      expect([url, status, typeof json['openapi']]).toEqual([url, 200, 'string']);
    }
  });

  it.each([
    ['http://127.0.0.1:18081/docs', 'http://127.0.0.1:18081'],
    [
      'https://vestibule.example/internal/docs?urls.primaryName=management#/Issuance',
      'https://vestibule.example/internal',
    ],
  ])(
    'sends what is tried out to the listener of the page at %s, and nothing of other listeners',
    async (href, here) => {
      const options = await optionsAt(href);
      const [plugin] = options['plugins'] as [() => { statePlugins: { spec: Spec } }];
      interface Spec {
        readonly wrapActions: { updateJsonSpec(update: (one: object) => object): (description: object) => object };
        readonly wrapSelectors: { allowTryItOutFor(): () => boolean };
      }
      const { wrapActions, wrapSelectors } = plugin().statePlugins.spec;
      const show = wrapActions.updateJsonSpec((description) => description);
      const canTry = wrapSelectors.allowTryItOutFor();
      const shown: [string, boolean][] = [];
      for (const { name, url } of options['urls'] as { name: string; url: string }[]) {
        const { json } = await gateway.toManagement(`/${url}`);
        const { servers, ...rest } = show(json) as { servers: unknown; paths: unknown };
        expect(rest.paths).toEqual(json['paths']);
        const isHere = canTry();
        expect(servers).toEqual(isHere ? [{ url: here, description: 'This listener' }] : json['servers']);
        shown.push([name, isHere]);
      }
      expect(shown.filter(([, isHere]) => !isHere).map(([name]) => name)).toEqual(['public']);
      expect(shown.length).toBeGreaterThan(2);
    },
  );

  it.each(FILES)('serves %s of the package as it is', async (name) => {
    const response = await fetch(`${gateway.managementUrl}/docs/${name}`);
    expect([response.status, response.headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
    expect(response.headers.get('content-type')).toMatch(/^(text\/(css|javascript); charset=utf-8|image\/png)$/);
    const original = readFileSync(createRequire(__filename).resolve(`swagger-ui-dist/${name}`));
    expect(digest(Buffer.from(await response.arrayBuffer()))).toBe(digest(original));
  });

  it.each([
    '/docs/',
    '/docs/index.html',
    '/docs/package.json',
    '/docs/..%2Fpackage.json',
    '/docs/..%2F..%2F..%2Fpackage.json',
    '/docs/swagger-ui.css/',
    '/docs/swagger-ui.css%00',
    '/docs/constructor',
    '/docs/%2e%2e/metrics2',
  ])('serves nothing else: %s', async (path) => {
    expect((await gateway.toManagement(path)).status).toBe(404);
  });

  it('is not on the public listener, and is off with API_DOCS=false, where the descriptions stay', async () => {
    for (const path of ['/docs', '/docs/start.js', '/docs/swagger-ui.css'])
      expect((await gateway.toPublic(path)).status).toBe(404);
    const without = await startGateway({ environment: { API_DOCS: 'false' } });
    for (const path of ['/docs', '/docs/start.js', '/docs/swagger-ui.css'])
      expect((await without.toManagement(path)).status).toBe(404);
    expect((await without.toManagement('/openapi.json')).status).toBe(200);
    await without.close();
  });

  it('is as protected as everything else on this listener', async () => {
    const key = 'a-bearer-key';
    const MANAGEMENT_KEY_DIGESTS = createHash('sha256').update(key).digest('base64url');
    const guarded = await startGateway({ environment: { MANAGEMENT_KEY_DIGESTS } });
    for (const path of ['/docs', '/docs/swagger-ui.css']) {
      expect((await guarded.toManagement(path)).status).toBe(401);
      const allowed = await guarded.toManagement(path, { headers: [['authorization', `Bearer ${key}`]] });
      expect(allowed.status).toBe(200);
    }
    await guarded.close();
  });
});
