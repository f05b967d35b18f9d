import { readFileSync } from 'node:fs';
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

/** Law 1: time, randomness and the outside world are arguments of the core, never globals it reaches for. */
const impureGlobals = ['process', 'fetch', 'setTimeout', 'setInterval', 'setImmediate', 'performance', 'crypto'].map(
  (name) => ({ name, message: 'core is pure: take it as an argument' }),
);
const impureSyntax = [
  {
    selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    message: 'take the clock as an argument',
  },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'take the clock as an argument' },
  {
    selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
    message: 'take randomness as an argument',
  },
];
const ioModules = [
  'fs',
  'fs/promises',
  'net',
  'http',
  'https',
  'dns',
  'dns/promises',
  'child_process',
  'worker_threads',
  'os',
  'tls',
  'dgram',
  'cluster',
  'timers',
  'timers/promises',
].flatMap((name) => [name, `node:${name}`]);
const impureCrypto = ['node:crypto', 'crypto'].map((name) => ({
  name,
  importNames: [
    'randomBytes',
    'randomUUID',
    'randomInt',
    'randomFillSync',
    'randomFill',
    'generateKeyPairSync',
    'generateKeyPair',
    'webcrypto',
  ],
  message: 'core is pure: take randomness as an argument',
}));
const testLibraries = ['lib:testkit', 'lib:dev-pki'];

/** Who imports whom, by room and project: no other arrow is allowed, and `tools/structure.spec.ts` finds one that nobody uses. */
const arrows = JSON.parse(readFileSync(new URL('./tools/arrows.json', import.meta.url), 'utf8'));
const exactArrows = Object.entries(arrows).flatMap(([room, projects]) =>
  Object.entries(projects).map(([name, below]) => ({
    sourceTag: `${room === 'apps' ? 'app' : 'lib'}:${name}`,
    onlyDependOnLibsWithTags: below.map((library) => `lib:${library}`),
  })),
);

/** All but the contracts: these are the words that a use case answers in. */
const platformLibraries = Object.keys(arrows.platform)
  .filter((name) => name !== 'contracts')
  .map((name) => `@vestibule/${name}`);

/** Who may import whom. Tests may also use the test libraries, and any package as a second opinion. */
function boundaries({ forTests }) {
  const also = forTests ? testLibraries : [];
  const packages = (...names) => (forTests ? {} : { allowedExternalImports: names });
  const only = (sourceTag, tags, rest = {}) => ({ sourceTag, onlyDependOnLibsWithTags: [...tags, ...also], ...rest });
  return [
    ...(forTests ? [] : exactArrows),
    only(
      'type:core',
      ['type:core'],
      packages('jose', '@peculiar/*', 'asn1js', '@digitalbazaar/*', 'jsonld', 'rdf-canonize', 'reflect-metadata'),
    ),
    only('lib:foundation', [], packages()),
    only('lib:crypto', ['lib:foundation']),
    only('lib:x509-trust', ['lib:foundation', 'lib:crypto']),
    only('lib:oauth', ['lib:foundation', 'lib:crypto']),
    only('lib:dcql', ['lib:foundation', 'lib:crypto']),
    only('lib:claims-schema', ['lib:foundation', ...(forTests ? ['lib:oid4vci'] : [])]),
    only('lib:sd-jwt-vc', ['lib:foundation', 'lib:crypto', 'lib:x509-trust']),
    only('lib:status-list', ['lib:foundation', 'lib:crypto', 'lib:x509-trust']),
    only('lib:vcdm', ['lib:foundation', 'lib:crypto']),
    { sourceTag: 'lib:oid4vp', notDependOnLibsWithTags: ['lib:oid4vci'] },
    { sourceTag: 'lib:oid4vci', notDependOnLibsWithTags: ['lib:oid4vp'] },
    only('type:contracts', ['lib:foundation'], packages('zod')),
    only('type:platform', [
      'type:platform',
      'type:contracts',
      'lib:foundation',
      'lib:crypto',
      ...(forTests ? ['lib:dev-stack'] : []),
    ]),
    only('type:app', [
      'type:core',
      'type:contracts',
      'type:platform',
      ...(forTests ? ['lib:dev-stack', 'lib:wallet-box'] : []),
    ]),
    {
      sourceTag: 'app:gateway',
      onlyDependOnLibsWithTags: ['type:contracts', 'lib:foundation', 'lib:messaging', 'lib:process', ...also],
      bannedExternalImports: ['typeorm', 'pg', '@peculiar/*'],
    },
    // For backends: nothing of this repository, and no package. Its tests sign callbacks as the product does.
    only('type:kit', forTests ? ['lib:callbacks'] : [], packages()),
    // Samples are written as integrators write them.
    only('type:example', ['type:kit']),
    only('type:dev', ['type:dev', 'type:contracts', 'type:kit', 'lib:foundation', 'lib:crypto']),
    only('lib:dev-pki', ['lib:foundation', 'lib:crypto']),
    only('lib:testkit', ['lib:foundation']),
    {
      sourceTag: 'type:e2e',
      onlyDependOnLibsWithTags: ['type:core', 'type:contracts', 'type:kit', 'type:dev', 'type:testkit'],
    },
    {
      sourceTag: 'type:tool',
      onlyDependOnLibsWithTags: [
        'type:core',
        'type:contracts',
        'type:platform',
        'type:kit',
        'type:example',
        'type:dev',
        'type:testkit',
      ],
    },
  ];
}
const boundaryRule = (forTests) => [
  'error',
  { enforceBuildableLibDependency: false, allow: [], depConstraints: boundaries({ forTests }) },
];

export default [
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      '.nx/**',
      '.vestibule/**',
      'coverage/**',
      'libs/kit/client/src/generated/**',
    ],
  },
  ...tseslint.configs.recommended.map((config) => ({ ...config, files: ['**/*.ts', '**/*.tsx'] })),
  {
    files: ['**/*.ts', '**/*.tsx'],
    plugins: { '@nx': nx },
    languageOptions: {
      parser: tseslint.parser,
      // As in tsconfig.base.json, for consistent-type-imports: types that decorators emit are values.
      parserOptions: { experimentalDecorators: true, emitDecoratorMetadata: true },
    },
    rules: {
      '@nx/enforce-module-boundaries': boundaryRule(false),
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      'no-empty': ['error', { allowEmptyCatch: false }],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'configuration is read once, through @vestibule/process' },
        {
          object: 'AbortSignal',
          property: 'any',
          message: 'garbage collection can take the time limits in it away: use an AbortController and a timer',
        },
      ],
      complexity: ['error', 12],
      'max-params': ['error', 4],
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 60 }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    // A factory of a Nest module takes its providers one by one, in the order of `inject`.
    files: ['apps/*/src/*.module.ts', 'apps/*/src/use-case-providers.ts'],
    rules: { 'max-params': ['error', 8] },
  },
  {
    // One describe() block holds many tests: its length says nothing.
    files: ['**/*spec.ts'],
    rules: { 'max-lines-per-function': 'off', '@nx/enforce-module-boundaries': boundaryRule(true) },
  },
  {
    files: ['libs/core/*/src/**/*.ts'],
    ignores: ['**/*spec.ts'],
    rules: {
      'no-restricted-globals': ['error', ...impureGlobals],
      'no-restricted-syntax': ['error', ...impureSyntax],
      'no-restricted-imports': [
        'error',
        { paths: [...ioModules.map((name) => ({ name, message: 'core does no I/O' })), ...impureCrypto] },
      ],
    },
  },
  {
    files: ['apps/*/src/{domain,use-cases}/**/*.ts'],
    ignores: ['**/*spec.ts'],
    rules: {
      'no-restricted-globals': ['error', ...impureGlobals],
      'no-restricted-syntax': ['error', ...impureSyntax],
      'no-restricted-imports': [
        'error',
        {
          paths: [
            ...ioModules.map((name) => ({ name, message: 'a use case does no I/O of its own' })),
            ...impureCrypto,
          ],
          patterns: [
            {
              group: ['@nestjs/*', 'typeorm', 'pg', '@nats-io/*', 'fastify', 'undici'],
              message: 'a use case knows no framework',
            },
            { group: ['**/adapters/**'], message: 'adapters depend on use cases, not the reverse' },
            {
              group: platformLibraries,
              message: 'platform libraries belong to the adapters',
            },
          ],
        },
      ],
    },
  },
];
