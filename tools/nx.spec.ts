import { readFileSync } from 'node:fs';
import path from 'node:path';
import { filesBelow } from './docs/repository-files';
import { createNxCopy, NX_SOURCES, type NxCopy, type NxEnvironment } from './nx-copy';

jest.setTimeout(600_000);

const root = path.resolve(__dirname, '..');
let copy: NxCopy;
beforeAll(() => void (copy = createNxCopy()));
afterAll(() => copy.remove());

const PROJECTS = ['crypto', 'verifier'];
const TARGETS = ['build', 'lint', 'test', 'typecheck'];
/** Which target a program belongs to. */
const PROGRAMS: Readonly<Record<string, string>> = {
  ...{ build: 'build', jest: 'test', tsc: 'typecheck' },
  ...{ eslint: 'lint', oxlint: 'lint', format: 'lint' },
};

/** Runs the targets of two projects and says which of them were not taken from the cache. */
function run(environment: NxEnvironment = {}): string[] {
  copy.forgetRan();
  const [targets, projects] = [TARGETS, PROJECTS].map((names) => names.join(','));
  copy.nx(['run-many', `--targets=${targets}`, `--projects=${projects}`, '--parallel=2'], environment);
  // A build builds what it needs before.
  return copy
    .ranLines()
    .flatMap((line) => {
      const [program = ''] = line.split(' ');
      const project = PROJECTS.find((name) => line.includes(`/${name}`));
      // Lint is two programs.
      return project === undefined || program === 'oxlint' ? [] : [`${project}:${PROGRAMS[program]}`];
    })
    .sort();
}

/** Runs the targets of the whole workspace that have a cache, and says which of them were not taken from it. */
function runWhole(): string[] {
  copy.forgetRan();
  copy.nx(['run-many', '--targets=build,lint,typecheck', '--projects=workspace', '--parallel=1']);
  return [...new Set(copy.ranLines().map((line) => PROGRAMS[line.split(' ')[0] ?? ''] ?? line))].sort();
}

const of = (target: string) => PROJECTS.map((project) => `${project}:${target}`);
const [BUILD, LINT, TEST] = [of('build'), of('lint'), of('test')];
const VERIFIER = TARGETS.map((target) => `verifier:${target}`);
const ALL = TARGETS.flatMap(of);

/** What may change, the input that it is in nx.json, how it changes, and what must run then. */
const CHANGES: readonly (readonly [
  what: string,
  input: string,
  change: string | NxEnvironment,
  runs: readonly string[],
])[] = [
  ['the rules of lint', '{workspaceRoot}/eslint.config.mjs', 'eslint.config.mjs', LINT],
  ['the rules of lint that need types', '{workspaceRoot}/.oxlintrc.json', '.oxlintrc.json', LINT],
  ['the configuration of Jest', '{workspaceRoot}/jest.config.cjs', 'jest.config.cjs', TEST],
  ['how Jest compiles', '{workspaceRoot}/tools/*.cjs', 'tools/jest-transform.cjs', TEST],
  ['the official vectors', 'runtime node tools/vectors-digest.cjs', { SPEC_VECTORS_DIR: 'vectors' }, TEST],
  ['the runs of properties', 'env FUZZ_TIMES', { FUZZ_TIMES: '7' }, TEST],
  ['how the build works', '{workspaceRoot}/tools/build.cjs', 'tools/build.cjs', [...BUILD, ...TEST]],
  [
    'what the build asks of the compiler',
    '{workspaceRoot}/tools/swc-options.cjs',
    'tools/swc-options.cjs',
    [...BUILD, ...TEST],
  ],
  ['how services are linked', '{workspaceRoot}/tools/link.cjs', 'tools/link.cjs', [...BUILD, ...TEST]],
  [
    'how files of packages are linked',
    '{workspaceRoot}/tools/package-file.cjs',
    'tools/package-file.cjs',
    [...BUILD, ...TEST],
  ],
  [
    'how linked programs run',
    '{workspaceRoot}/tools/linked-program.cjs',
    'tools/linked-program.cjs',
    [...BUILD, ...TEST],
  ],
  ['the packages that are linked', '{workspaceRoot}/package-lock.json', 'package-lock.json', BUILD],
  ['the options of the compiler', '{workspaceRoot}/tsconfig.base.json', 'tsconfig.base.json', ALL],
  ['the packages', '{workspaceRoot}/package.json', 'package.json', ALL],
  ['a library below both', '^{projectRoot}/**/*', 'libs/core/foundation/src/index.ts', ALL],
  ['a library below one of them', '^{projectRoot}/**/*', 'libs/core/dcql/src/index.ts', VERIFIER],
  ['an app', '{projectRoot}/**/*', 'apps/verifier/src/config.ts', VERIFIER],
  [
    'the test of an app',
    '!{projectRoot}/**/*spec.ts',
    'apps/verifier/src/verifier.module.spec.ts',
    VERIFIER.filter((name) => name !== 'verifier:build'),
  ],
  ['a page that nobody compiles', '(none)', 'docs/flows.md', []],
];
/** Inputs without a case, and why. */
const WITHOUT_CASE: Readonly<Record<string, string>> = {
  'runtime node --version': 'it is one version that runs this test',
  '!{projectRoot}/**/*.stage.ts': 'as *spec.ts: the same kind of input',
  '!{projectRoot}/**/testing/**': 'as *spec.ts: the same kind of input',
  '!{projectRoot}/**/*.md': 'as *spec.ts: the same kind of input',
};

const WHOLE = ['build', 'lint', 'typecheck'];
const CHECKS = ['lint', 'typecheck'];
/** The same for the targets whose project names their inputs itself, as the whole workspace does. */
const WHOLE_CHANGES: readonly (readonly [what: string, input: string, file: string, runs: readonly string[]])[] = [
  ['a library', '{workspaceRoot}/{apps,libs,tools,examples}/**/*', 'libs/core/dcql/src/index.ts', WHOLE],
  ['an app', '{workspaceRoot}/{apps,libs,tools,examples}/**/*', 'apps/verifier/src/config.ts', WHOLE],
  ['how the build works', '{workspaceRoot}/{apps,libs,tools,examples}/**/*', 'tools/build.cjs', WHOLE],
  ['the options of the compiler', '{workspaceRoot}/tsconfig.base.json', 'tsconfig.base.json', WHOLE],
  ['the packages', '{workspaceRoot}/package.json', 'package.json', WHOLE],
  ['the packages that are linked', '{workspaceRoot}/package-lock.json', 'package-lock.json', WHOLE],
  ['the rules of lint', '{workspaceRoot}/**/*', 'eslint.config.mjs', CHECKS],
  ['a page', '{workspaceRoot}/**/*', 'docs/flows.md', CHECKS],
  ['a test of whole flows', '{workspaceRoot}/**/*', 'e2e/src/presentation.e2e-spec.ts', CHECKS],
];

type Input = string | { readonly runtime?: string; readonly env?: string };
interface Target {
  readonly inputs?: readonly Input[];
  readonly cache?: boolean;
}
type Targets = Readonly<Record<string, Target>>;
interface NxJson {
  readonly namedInputs: Readonly<Record<string, readonly Input[]>>;
  readonly targetDefaults: Targets;
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(path.join(root, file), 'utf8'));
const nxJson = readJson('nx.json') as NxJson;
/** The targets that projects declare themselves, beyond what nx.json says for all. */
const ownTargets = (): [name: string, target: Target][] =>
  ['project.json', ...NX_SOURCES.flatMap((folder) => filesBelow(root, folder))]
    .filter((file) => path.basename(file) === 'project.json')
    .flatMap((file) => {
      const { name, targets } = readJson(file) as { readonly name: string; readonly targets: Targets };
      return Object.entries(targets).map(([target, rest]): [string, Target] => [`${name}:${target}`, rest]);
    });

/** Every input that the targets declare, down to files, variables and commands; `^` marks those of dependencies. */
function declaredInputs({ namedInputs }: NxJson, targets: readonly Target[]): string[] {
  const resolve = (input: Input): string[] => {
    if (typeof input !== 'string') return [input.env === undefined ? `runtime ${input.runtime}` : `env ${input.env}`];
    const [, ofDependencies = '', name = ''] = /^(\^?)(.*)$/.exec(input) ?? [];
    const named = namedInputs[name];
    if (!named) return [input];
    const resolved = named.flatMap(resolve);
    // Files of the workspace are the same for dependencies, and what is left out of theirs is what is left out of ours.
    return ofDependencies === ''
      ? resolved
      : resolved.filter((one) => one.startsWith('{projectRoot}')).map((one) => `^${one}`);
  };
  return [...new Set(targets.flatMap(({ inputs = [] }) => inputs.flatMap(resolve)))].sort();
}

describe('the cache of Nx', () => {
  it('has a case for every input that a target declares, and for no other', () => {
    const declared = declaredInputs(nxJson, Object.values(nxJson.targetDefaults));
    const known = [...CHANGES.map(([, input]) => input), ...Object.keys(WITHOUT_CASE)];
    expect([...new Set(known)].filter((input) => input !== '(none)').sort()).toEqual(declared);
  });

  it('runs each target once', () => {
    expect(run()).toEqual([...ALL].sort());
    expect(run()).toEqual([]);
  });
  // From here on everything is in the cache: each test leaves it so.

  it.each(CHANGES)('notices a change of %s', (_what, _input, change, expected) => {
    if (typeof change === 'string') copy.touch(change);
    expect(run(typeof change === 'string' ? {} : change)).toEqual([...expected].sort());
  });
});

describe('the cache of targets whose project names their inputs itself', () => {
  it('has a case for every such input, and for no other', () => {
    const targets = ownTargets().map(([, target]) => target);
    const declared = declaredInputs(nxJson, targets);
    const known = [...WHOLE_CHANGES.map(([, input]) => input), 'runtime node --version'];
    expect([...new Set(known)].sort()).toEqual(declared);
  });

  it('is there for no others than those that are tried here', () => {
    const cached = ownTargets().flatMap(([name, { cache }]) => (cache ? [name] : []));
    expect(cached.sort()).toEqual(['workspace:build', 'workspace:lint', 'workspace:typecheck']);
  });

  it('runs each target once', () => {
    expect(runWhole()).toEqual(WHOLE);
    expect(runWhole()).toEqual([]);
  });

  it.each(WHOLE_CHANGES)('notices a change of %s', (_what, _input, file, expected) => {
    copy.touch(file);
    expect(runWhole()).toEqual(expected);
  });
});
