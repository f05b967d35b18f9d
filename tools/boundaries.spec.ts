import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PLANTED_FOLDER } from './docs/repository-files';

jest.setTimeout(600_000);

const root = path.resolve(__dirname, '..');

const BOUNDARIES = '@nx/enforce-module-boundaries';
const IMPORTS = 'no-restricted-imports';

interface Planted {
  readonly what: string;
  /** The folder of the project that the file is planted in. */
  readonly at: string;
  readonly text: string;
  /** The rule that must see it; none for what is allowed. */
  readonly rule: string | undefined;
}

const imports = (name: string, from: string) => `import { ${name} } from '${from}';\nexport const used = ${name};\n`;

const PLANTED: readonly Planted[] = [
  {
    what: 'core that imports Nest',
    at: 'libs/core/oid4vp/src',
    text: imports('Module', '@nestjs/common'),
    rule: BOUNDARIES,
  },
  { what: 'core that reads files', at: 'libs/core/dcql/src', text: imports('readFileSync', 'node:fs'), rule: IMPORTS },
  {
    what: 'core that opens connections',
    at: 'libs/core/oauth/src',
    text: imports('request', 'node:https'),
    rule: IMPORTS,
  },
  {
    what: 'core that draws randomness',
    at: 'libs/core/crypto/src',
    text: imports('randomBytes', 'node:crypto'),
    rule: IMPORTS,
  },
  {
    what: 'core that reads the clock',
    at: 'libs/core/sd-jwt-vc/src',
    text: 'export const now = () => Date.now();\n',
    rule: 'no-restricted-syntax',
  },
  {
    what: 'core that makes the current date',
    at: 'libs/core/status-list/src',
    text: 'export const now = () => new Date();\n',
    rule: 'no-restricted-syntax',
  },
  {
    what: 'core that reaches for the network',
    at: 'libs/core/x509-trust/src',
    text: "export const load = () => fetch('https://issuer.example/');\n",
    rule: 'no-restricted-globals',
  },
  {
    what: 'core that imports a platform library',
    at: 'libs/core/oid4vci/src',
    text: imports('createDatabase', '@vestibule/persistence'),
    rule: BOUNDARIES,
  },
  {
    what: 'a lower core library that imports a higher one',
    at: 'libs/core/dcql/src',
    text: imports('parseSdJwtVc', '@vestibule/sd-jwt-vc'),
    rule: BOUNDARIES,
  },
  {
    what: 'contracts that import pg',
    at: 'libs/platform/contracts/src',
    text: imports('Client', 'pg'),
    rule: BOUNDARIES,
  },
  {
    what: 'a platform library that imports core',
    at: 'libs/platform/persistence/src',
    text: imports('parseDcqlQuery', '@vestibule/dcql'),
    rule: BOUNDARIES,
  },
  {
    what: 'an app that imports another app',
    at: 'apps/verifier/src',
    text: imports('issuerConfiguration', '../../../issuer/src/config'),
    rule: BOUNDARIES,
  },
  {
    what: 'a gateway that imports persistence',
    at: 'apps/gateway/src',
    text: imports('createDatabase', '@vestibule/persistence'),
    rule: BOUNDARIES,
  },
  {
    what: 'a gateway that imports callbacks',
    at: 'apps/gateway/src',
    text: imports('createDeliverer', '@vestibule/callbacks'),
    rule: BOUNDARIES,
  },
  { what: 'a gateway that imports pg', at: 'apps/gateway/src', text: imports('Pool', 'pg'), rule: BOUNDARIES },
  {
    what: 'a gateway that imports protocol core',
    at: 'apps/gateway/src',
    text: imports('openWalletResponse', '@vestibule/oid4vp'),
    rule: BOUNDARIES,
  },
  {
    what: 'a use case that imports an adapter',
    at: 'apps/verifier/src/use-cases',
    text: imports('PresentationRequestStore', '../../adapters/postgres/presentation-request.store'),
    rule: IMPORTS,
  },
  {
    what: 'a use case that imports Nest',
    at: 'apps/issuer/src/use-cases',
    text: imports('Injectable', '@nestjs/common'),
    rule: IMPORTS,
  },
  {
    what: 'a use case that imports a platform library',
    at: 'apps/wallet-store/src/use-cases',
    text: imports('createDatabase', '@vestibule/persistence'),
    rule: IMPORTS,
  },
  {
    what: 'a domain file that reads the clock',
    at: 'apps/issuer/src/domain',
    text: 'export const now = () => new Date();\n',
    rule: 'no-restricted-syntax',
  },
  {
    what: 'product code that imports the development stack',
    at: 'apps/issuer/src',
    text: imports('startStack', '@vestibule/dev-stack'),
    rule: BOUNDARIES,
  },
  {
    what: 'product code that imports the test kit',
    at: 'libs/platform/messaging/src',
    text: imports('fakeClock', '@vestibule/testkit'),
    rule: BOUNDARIES,
  },
  {
    what: 'product code that imports the development certificates',
    at: 'libs/core/x509-trust/src',
    text: imports('createDevelopmentPki', '@vestibule/dev-pki'),
    rule: BOUNDARIES,
  },
  {
    what: 'a relative import into another library',
    at: 'libs/core/oauth/src',
    text: imports('sha256', '../../../crypto/src/hash'),
    rule: BOUNDARIES,
  },
  {
    what: 'code that reads the environment by itself',
    at: 'apps/verifier/src/adapters',
    text: "export const level = process.env['LOG_LEVEL'];\n",
    rule: 'no-restricted-properties',
  },
  {
    what: 'an arrow downwards that does not exist',
    at: 'libs/core/vcdm/src',
    text: imports('parseDcqlQuery', '@vestibule/dcql'),
    rule: BOUNDARIES,
  },
  {
    what: 'an app that imports a library that it has no use for',
    at: 'apps/issuer/src',
    text: imports('parseDcqlQuery', '@vestibule/dcql'),
    rule: BOUNDARIES,
  },
  {
    what: 'the client of backends that imports a library',
    at: 'libs/kit/client/src',
    text: imports('isJsonObject', '@vestibule/foundation'),
    rule: BOUNDARIES,
  },
  {
    what: 'the client of backends that imports a package',
    at: 'libs/kit/client/src',
    text: imports('z', 'zod'),
    rule: BOUNDARIES,
  },
  {
    what: 'product code that imports the client of backends',
    at: 'apps/gateway/src',
    text: imports('createClient', '@vestibule/client'),
    rule: BOUNDARIES,
  },
  {
    what: 'the client of backends that imports a module of Node.js',
    at: 'libs/kit/client/src',
    text: imports('createHmac', 'node:crypto'),
    rule: undefined,
  },
  {
    what: 'core that imports lower core',
    at: 'libs/core/oid4vp/src',
    text: imports('sha256', '@vestibule/crypto'),
    rule: undefined,
  },
  {
    what: 'a use case that imports core',
    at: 'apps/verifier/src/use-cases',
    text: imports('openWalletResponse', '@vestibule/oid4vp'),
    rule: undefined,
  },
  {
    what: 'an adapter that imports a platform library',
    at: 'apps/verifier/src/adapters',
    text: imports('createIdempotency', '@vestibule/persistence'),
    rule: undefined,
  },
];

const fileOf = (index: number) => path.join(root, (PLANTED[index] as Planted).at, PLANTED_FOLDER, `case-${index}.ts`);

function removeAll(): void {
  for (const { at } of PLANTED) rmSync(path.join(root, at, PLANTED_FOLDER), { recursive: true, force: true });
}

function run(program: string, ...parameters: string[]): string {
  const file = path.join(root, 'node_modules', program);
  const { stdout, stderr } = spawnSync(process.execPath, [file, ...parameters], {
    cwd: root,
    encoding: 'utf8',
    // It only ends what hangs.
    timeout: 500_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (stdout === '') throw new Error(`${program} said nothing on its standard output, but: ${stderr.slice(0, 2_000)}`);
  return stdout;
}

/** The rules that each planted file breaks, from one run of ESLint. */
function lintPlanted(): ReadonlyMap<string, readonly string[]> {
  removeAll();
  try {
    PLANTED.forEach(({ text }, index) => {
      mkdirSync(path.dirname(fileOf(index)), { recursive: true });
      writeFileSync(fileOf(index), text);
    });
    // Without the project graph the rule for boundaries is skipped in silence.
    run('nx/dist/bin/nx.js', 'show', 'projects');
    const output = run('eslint/bin/eslint.js', '--format', 'json', ...PLANTED.map((_, index) => fileOf(index)));
    const results = JSON.parse(output) as {
      filePath: string;
      messages: { ruleId: string | null; message: string }[];
    }[];
    return new Map(
      results.map(({ filePath, messages }) => [filePath, messages.map(({ ruleId, message }) => ruleId ?? message)]),
    );
  } finally {
    removeAll();
  }
}

describe('lint', () => {
  let broken: ReadonlyMap<string, readonly string[]>;
  beforeAll(() => {
    broken = lintPlanted();
  });

  it.each(PLANTED.map(({ what, rule }, index) => [rule === undefined ? 'allows' : 'refuses', what, index] as const))(
    '%s %s',
    (_verdict, _what, index) => {
      const { rule } = PLANTED[index] as Planted;
      expect(broken.get(fileOf(index))).toEqual(rule === undefined ? [] : expect.arrayContaining([rule]));
    },
  );
});
