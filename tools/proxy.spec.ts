import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import path from 'node:path';
import { parse } from 'yaml';
import type { AppModules } from './docs';

type Networks = Readonly<
  Record<string, { readonly ipv4_address?: string; readonly aliases?: readonly string[] } | null>
>;
interface Container {
  readonly environment: Readonly<Record<string, string>>;
  readonly networks: Networks;
}
interface Compose {
  readonly services: {
    readonly gateway: Container;
    readonly proxy: Container & { readonly profiles: readonly string[] };
  };
  readonly networks: Readonly<Record<string, { readonly internal?: boolean; readonly ipam?: { readonly config: readonly { readonly subnet: string }[] } } | null>>; // prettier-ignore
}

const root = path.resolve(__dirname, '..');
// Tools may not import apps.
const { describePublicPaths } = createRequire(__filename)(path.join(root, 'apps/gateway/src/describe-apis.ts')) as Pick<
  AppModules,
  'describePublicPaths'
>;
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const caddyfile = read('deploy/Caddyfile');

/** The pattern of a matcher of the Caddyfile. */
function matcher(name: string): RegExp {
  const [, pattern] = new RegExp(`^\\s*@${name} path_regexp (\\S+)$`, 'm').exec(caddyfile) ?? [];
  if (pattern === undefined) throw new Error(`no matcher ${name}`);
  return new RegExp(pattern);
}
const [wallets, content] = [matcher('public'), matcher('content')];

/** Addresses of the public listener, below a host of its own: parameters have a value that they may have. */
const paths = describePublicPaths().flatMap(({ path: pattern, isAddress, isFolder, isContent }) => {
  const at = pattern.replace(/:version/, '3').replaceAll(/:\w+/g, 'a-name');
  return [...(isAddress ? [at] : []), ...(isFolder ? [`${at}/more`, `${at}/more/and-more`] : [])].map((address) => ({
    address,
    isContent,
  }));
});

describe('the Caddyfile', () => {
  it.each(paths)('passes on $address', ({ address, isContent }) => {
    expect([address, (isContent ? content : wallets).test(address)]).toEqual([address, true]);
  });

  it('passes on nothing without which the gateway would have the same routes', () => {
    const alternatives = [...`${wallets.source}|${content.source}`.matchAll(/\\\/([a-z0-9.\\-]+[a-z0-9])/g)].map(
      ([, segment = '']) => `/${segment.replaceAll('\\', '')}`,
    );
    const first = new Set(
      paths.flatMap(({ address }) =>
        address
          .split('/')
          .slice(1)
          .map((segment) => `/${segment}`),
      ),
    );
    expect(alternatives.filter((one) => !first.has(one))).toEqual([]);
    expect(alternatives.length).toBeGreaterThan(6);
  });

  it.each([
    '/',
    '/metrics',
    '/health/live',
    '/health/ready',
    '/openapi.json',
    '/callbacks/verifier',
    '/offers',
    '/oidc4vp',
    '/oidc4vci',
    '/presentations/verify',
    '/.well-known/other',
    '/x/oidc4vp/a',
    '/oidc4vpx/a',
    '/api',
    '/api/wallet',
    '/draftsx',
  ])('does not pass on %s', (address) => {
    expect([wallets.test(address), content.test(address)]).toEqual([false, false]);
  });

  it.each(['', '/context', '/json-schema', '/type-metadata'])(
    'passes on published schemas (%s) also where the content is closed',
    (part) => {
      expect(wallets.test(`/schemas/6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11/badge/1${part}`)).toBe(true);
      for (const other of ['/schemas', '/schemas/search', '/schemas/an-id/publish', '/schemas/a/b/c']) {
        expect(wallets.test(other)).toBe(false);
      }
    },
  );

  it('closes idle connections to the gateway before the gateway does: a POST sent at that moment would be lost', () => {
    const [, kept] = /transport http \{\s*keepalive (\d+)s/.exec(caddyfile) ?? [];
    const [, byGateway] = /IDLE_MILLISECONDS = (\d+)_000;/.exec(read('apps/gateway/src/http/listener.ts')) ?? [];
    expect(Number(kept)).toBeLessThan(Number(byGateway));
    expect(read('docs/proxy.md')).toContain(`after less than ${byGateway} s`);
    expect(read('docs/integration.md')).toContain(`idle for ${byGateway} s`);
  });

  it('passes on status lists, and nothing near them', () => {
    const list = '/credential-status/6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11/AAAAAAAAAAAAAAAAAAAAAA';
    expect(wallets.test(list)).toBe(true);
    for (const other of ['/credential-status', '/credential-status/a', `${list}/more`]) {
      expect([wallets.test(other), content.test(other)]).toEqual([false, false]);
    }
  });
});

describe('the profile "proxy" of compose', () => {
  const interpolated = (text: string) => text.replaceAll(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1');
  const { services, networks } = parse(read('docker-compose.yml'), { merge: true }) as Compose;
  const { gateway, proxy } = services;

  it('is trusted by the gateway with exactly its address, which is fixed', () => {
    const [, edge] = Object.entries(proxy.networks).find(([name]) => name === 'edge') ?? [];
    expect(proxy.profiles).toEqual(['proxy']);
    expect(edge?.ipv4_address).toBe(gateway.environment['TRUSTED_PROXIES']);
    const address = interpolated(gateway.environment['TRUSTED_PROXIES'] ?? '');
    expect(isIP(address)).toBe(4);
    const [subnet = '', bits] = interpolated(networks['edge']?.ipam?.config[0]?.subnet ?? '').split('/');
    expect(address.split('.').slice(0, 3)).toEqual(subnet.split('.').slice(0, 3));
    // Docker gives 172.17.0.0/16 to 172.31.0.0/16 and 192.168.0.0/16 to networks that name no addresses, one after the other.
    expect(subnet).toMatch(/^172\.16\./);
    // The last: the gateway starts before the proxy and gets the first address that is free.
    const last = Number(subnet.split('.')[3]) + 2 ** (32 - Number(bits)) - 2;
    expect(address.split('.')[3]).toBe(String(last));
  });

  it('comes from that address, because the name by which it asks the gateway leads through the network "edge"', () => {
    const names = Object.entries(gateway.networks).map(([name, network]) => [name, network?.aliases ?? []]);
    expect(names.filter(([, aliases]) => aliases?.length)).toEqual([['edge', ['edge-gateway']]]);
    expect(proxy.environment['GATEWAY']).toBe('edge-gateway:8080');
    expect(caddyfile).toContain('reverse_proxy {$GATEWAY:gateway:8080} {');
  });

  it('reaches the gateway alone', () => {
    expect(Object.keys(gateway.networks)).toContain('edge');
    expect(networks['edge']?.internal).toBe(true);
    expect(Object.keys(proxy.networks).sort()).toEqual(['edge', 'outside']);
  });
});

describe('the page about the proxy', () => {
  it('names every path that a proxy passes on', () => {
    const page = read('docs/proxy.md');
    const missing = describePublicPaths()
      .map(({ path: pattern }) => pattern.replaceAll(/:(\w+)/g, '{$1}'))
      .filter((address) => !page.includes(`\`${address}`));
    expect(missing).toEqual([]);
  });
});
