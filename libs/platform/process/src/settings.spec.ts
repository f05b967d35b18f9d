import { hostileUrls } from '@vestibule/testkit';
import { type z } from 'zod';
import {
  appSchemesSetting,
  booleanSetting,
  choiceSetting,
  hostListSetting,
  integerSetting,
  keySetting,
  mappingSetting,
  listSetting,
  logLevelSetting,
  natsUrlsSetting,
  originProxiesSetting,
  portSetting,
  postgresUrlSetting,
  publicUrlSetting,
  purposeProxiesSetting,
  receiverUrlSetting,
  sealingKeysSetting,
  textSetting,
  walletEndpointSetting,
} from './settings';

const urlsWithFaults = hostileUrls('rp.example').map(([, text]) => text);
const key = Buffer.alloc(32, 7).toString('base64url');

type Case = readonly [
  setting: z.ZodType<unknown, string>,
  good: readonly (readonly [string, unknown])[],
  bad: readonly string[],
];
const PROXY = 'http://proxy.internal:3128';
const WITH_LOGIN = 'https://user:p%40ss%2C%3D@proxy.internal';
const noProxies = [
  ...['', 'proxy:3128', 'socks5://proxy:1080', `${PROXY}/path`, `${PROXY}?a=b`, `${PROXY}#x`, 'http://:3128'],
  ...['http://us%3Aer:x@proxy', 'http://user:%ff@proxy', 'http://user:%0@proxy', `crl=`, `=${PROXY}`, `${PROXY},`],
];
const cases: Readonly<Record<string, Case>> = {
  'proxies by purpose': [
    purposeProxiesSetting(['crl', 'lists']),
    [
      [
        PROXY,
        new Map([
          ['crl', PROXY],
          ['lists', PROXY],
        ]),
      ],
      [`crl=${WITH_LOGIN}`, new Map([['crl', WITH_LOGIN]])],
      [
        `crl=${PROXY}, lists=${WITH_LOGIN}`,
        new Map([
          ['crl', PROXY],
          ['lists', WITH_LOGIN],
        ]),
      ],
    ],
    [
      ...noProxies,
      `other=${PROXY}`,
      `crl=${PROXY},crl=${PROXY}`,
      `crl=${PROXY},${PROXY}`,
      `https://a.example=${PROXY}`,
    ],
  ],
  'proxies by origin': [
    originProxiesSetting(),
    [
      [WITH_LOGIN, new Map([['*', WITH_LOGIN]])],
      [`https://a.example=${PROXY}`, new Map([['https://a.example', PROXY]])],
    ],
    [
      ...noProxies,
      `https://a.example/path=${PROXY}`,
      `a.example=${PROXY}`,
      `https://a.example=${PROXY},https://a.example=${PROXY}`,
    ],
  ],
  text: [textSetting(), [['x', 'x']], ['']],
  integer: [
    integerSetting(1, 10),
    [
      ['1', 1],
      ['10', 10],
    ],
    ['0', '11', '1.5', '1e1', '', ' 1', '0x1'],
  ],
  port: [
    portSetting(),
    [
      ['0', 0],
      ['65535', 65535],
    ],
    ['-1', '65536', 'http'],
  ],
  boolean: [
    booleanSetting(),
    [
      ['true', true],
      ['false', false],
    ],
    ['1', 'yes', 'TRUE', 'toString'],
  ],
  choice: [choiceSetting(['a', 'b']), [['a', 'a']], ['c', '']],
  'log level': [logLevelSetting(), [['warn', 'warn']], ['trace']],
  list: [listSetting(), [['a, b', ['a', 'b']]], ['', 'a,,b']],
  hosts: [
    hostListSetting(),
    [
      ['status.example, Other.example:8443', ['status.example', 'Other.example:8443']],
      ['[::1]:8080', ['[::1]:8080']],
    ],
    ['', 'https://a.example', 'a.example/lists', 'user@a.example', 'a.example:port', 'a.example,,b.example', 'a b'],
  ],
  'public URL': [
    publicUrlSetting(),
    [
      ['https://example.org', 'https://example.org'],
      ['https://example.org/base/', 'https://example.org/base'],
      ['http://localhost:8080', 'http://localhost:8080'],
      ['http://[::1]:1', 'http://[::1]:1'],
    ],
    [
      'http://example.org',
      'http://127.0.0.1.example.org',
      'https://u:p@example.org',
      'https://example.org?x',
      'https://example.org/#',
      'https://example.org/a//b',
      'https://example.org//',
      'ftp://example.org',
      'example.org',
      '',
      ...urlsWithFaults,
    ],
  ],
  'receiver URL': [
    receiverUrlSetting(),
    [['http://backend:3000/hook?a=1', 'http://backend:3000/hook?a=1']],
    ['http://u:p@backend/', 'http://backend/#x', 'amqp://backend', '', ...urlsWithFaults],
  ],
  'Postgres URL': [
    postgresUrlSetting(),
    [
      ['postgres://h/d', 'postgres://h/d'],
      [
        'postgresql://role:p%40ss@h:5432/d?sslmode=verify-full',
        'postgresql://role:p%40ss@h:5432/d?sslmode=verify-full',
      ],
      ['postgres:///d?host=/run/postgresql', 'postgres:///d?host=/run/postgresql'],
      ['postgres://h/d?sslmode=disable', 'postgres://h/d?sslmode=disable'],
    ],
    [
      ...['require', 'prefer', 'allow', 'verify-ca', 'no-verify', 'VERIFY-FULL', ''].map(
        (mode) => `postgres://h/d?sslmode=${mode}`,
      ),
      'postgres://h/d?sslmode=verify-full&sslmode=disable',
      'postgres://h/d?sslmode=disable&ssl=true',
      'postgres://h/d?sslmode=verify-full&uselibpqcompat=true',
      'postgres://h/d?sslmode=verify-full&sslrootcert=/etc/ca.pem',
      'postgres://h/d?statement_timeout=0',
      'mysql://h/d',
      'h',
      'postgres://role:100%@h/d',
      'postgres://role:p ss@h/d',
      'postgres://h/d\n',
      'postgres://r:p^s@h/d',
    ],
  ],
  'NATS URLs': [
    natsUrlsSetting(),
    [
      ['nats://a:1, nats://b', ['nats://a:1', 'nats://b']],
      ['tls://a:1,tls://b', ['tls://a:1', 'tls://b']],
      ['nats://user:word@host:4222', ['nats://user:word@host:4222']],
      ['nats://127.0.0.1:4222', ['nats://127.0.0.1:4222']],
    ],
    [
      'nats://a:1, tls://b',
      'TLS://a, nats://b',
      'tls://127.0.0.1:4222',
      'tls://[::1]:4222',
      'tls://a,tls://10.0.0.1',
      'nats://us%er:word@host:4222',
      'http://a',
      'nats://a,',
      '',
      'nats://a b',
      'nats://a\\b',
      'nats://host:4222/%',
      'nats:\\\\a',
    ],
  ],
  'schemes of apps': [
    appSchemesSetting(),
    [['eu.example.app, OTHER', ['eu.example.app', 'other']]],
    ['', 'app:', 'a pp', '1app', 'https', 'javascript', 'JavaScript', 'eu.example.app,data', 'file', 'blob', 'app://'],
  ],
  'wallet endpoint': [
    walletEndpointSetting((text, more) => (more.some((scheme) => text === `${scheme}://`) ? undefined : 'is wrong')),
    [
      ['eudiw://', 'eudiw://'],
      ['openid4vp://', 'openid4vp://'],
    ],
    ['', 'javascript://', 'intent', 'data://', 'https://', 'eudiw:'],
  ],
  mapping: [
    mappingSetting(['a', 'b']),
    [
      ['https://x.example/?y=z=a', new Map([['https://x.example/?y=z', 'a']])],
      [
        'urn:x:1=a, urn:x:2=b',
        new Map([
          ['urn:x:1', 'a'],
          ['urn:x:2', 'b'],
        ]),
      ],
    ],
    ['', 'urn:x:1', 'urn:x:1=c', 'urn:x:1=a,', 'urn:x:1=a,urn:x:1=b', '=a', 'no uri=a', 'urn:x:1=a=b=', 'x=a'],
  ],
  'one key': [
    keySetting(),
    [[key, Buffer.alloc(32, 7)]],
    ['', key.slice(1), `${key},${key}`, `${key}=`, Buffer.alloc(16).toString('base64url')],
  ],
  'sealing keys': [
    sealingKeysSetting(),
    [[`${key},${key}`, [Buffer.alloc(32, 7), Buffer.alloc(32, 7)]]],
    ['', key.slice(1), `${key},`, `${key}=`, Buffer.alloc(16).toString('base64url'), 'wrapped:/run/key.json'],
  ],
};

describe.each(Object.entries(cases))('the setting %s', (_, [setting, good, bad]) => {
  it.each(good)('accepts %j', (text, value) => {
    expect(setting.parse(text)).toEqual(value);
  });
  it.each(bad)('refuses %j without quoting it', (text) => {
    const result = setting.safeParse(text);
    expect(result.success).toBe(false);
    if (text.length > 8) expect(result.error?.issues[0]?.message).not.toContain(text);
  });
});
