import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { BACKEND_CONTROLLERS } from '../backend/backend.module';
import { operationsControllers } from '../backend/operations.module';
import { ContentModule } from '../content/content.module';
import { schemaExamples } from '../content/schema-api-examples';
import { publicRoutes } from '../gateway';
import { startGateway, type Gateway } from '../testing/gateway.stage';
import { findRouteLiterals } from '../testing/route-literals.stage';
import { API_VERSIONS } from '@vestibule/contracts';
import { patternOf } from './addresses';
import { EXAMPLES } from './openapi-examples';
import { RouteTable, type Route } from './routes';

const TENANT = { apiKeyDigest: 'a digest' };
const management = new RouteTable([
  ...BACKEND_CONTROLLERS,
  ...operationsControllers({ servesDocs: true }),
  ...ContentModule.onManagement(TENANT),
]);
const wallets = publicRoutes({ servesContent: true });
const all = [...management.all, ...wallets.all];
const named = ({ method, path: address }: Route): string => `${method} ${address}`;

const sources = path.resolve(__dirname, '..');
/** Test code may say what it expects. */
const isProduct = (file: string): boolean => /\.ts$/.test(file) && !/spec\.ts$|^testing\//.test(file);
/** Examples of what other services answer. */
const EXAMPLE_FILES = ['http/openapi-examples.ts', 'content/schema-api-examples.ts'];

describe('the routes of the gateway', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ environment: { VC_API_KEY_DIGEST: Buffer.alloc(32).toString('base64url') } });
  });
  afterAll(() => gateway.close());

  it('are those that Nest has mapped, on each listener', () => {
    expect(management.all.map(named).sort()).toEqual([...gateway.managementRoutes()].sort());
    expect(wallets.all.map(named).sort()).toEqual([...gateway.publicRoutes()].sort());
    expect(all.length).toBeGreaterThan(60);
  });

  it.each([
    ['management', management],
    ['public', wallets],
  ])('are declared once each on the %s listener', (_listener, { all: routes }) => {
    const names = routes.map(named);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('stand in the decorators of their controllers and in no other literal', () => {
    const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(isProduct);
    expect(files).toEqual(expect.arrayContaining([...EXAMPLE_FILES, 'wallet/oauth-answer.ts', 'gateway.ts']));
    const found = files
      .filter((file) => !EXAMPLE_FILES.includes(file) && !file.endsWith('.controller.ts'))
      .flatMap((file) =>
        findRouteLiterals(readFileSync(path.join(sources, file), 'utf8'), all).map(({ line, text }) => [
          file,
          line,
          text,
        ]),
      );
    expect(found).toEqual([]);
  });

  it('a controller names only its own', () => {
    const controllers = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.controller.ts'),
    );
    const found = controllers.flatMap((file) => {
      const text = readFileSync(path.join(sources, file), 'utf8');
      const others = all.filter(({ controller }) => !text.includes(`class ${controller.name} `));
      const own = all.filter(({ controller }) => text.includes(`class ${controller.name} `));
      expect([file, own.length > 0]).toEqual([file, true]);
      const ownWords = new Set(own.flatMap((route) => route.path.split('/')));
      return findRouteLiterals(text, others).filter((literal) => !ownWords.has(literal.text));
    });
    expect(found).toEqual([]);
  });

  it('are what the addresses in the examples lead to', () => {
    const examples = JSON.stringify([EXAMPLES, ...API_VERSIONS.map(schemaExamples)]);
    const addresses = [...decodeURIComponent(examples).matchAll(/https:\/\/connector\.example(\/[^?"]*)/g)].map(
      ([, address]) => address as string,
    );
    expect(addresses.length).toBeGreaterThan(2);
    const isRoute = (address: string) =>
      wallets.all.some((one) => new RegExp(`^${patternOf(one.path)}$`).test(address));
    expect(addresses.filter((address) => !isRoute(address))).toEqual([]);
  });
});

describe('a second declaration of a route', () => {
  it.each([
    ['a table of methods', 'const ROUTES = [[/^\\/oidc4vci\\/(?:token|nonce)$/, ["POST"]]];'],
    ['a pattern of addresses', 'const BACKEND = /^\\/(?:api\\/wallet|schemas|drafts)(?:\\/|$)/;'],
    ['an alternative of a pattern', 'const BACKEND = /^\\/(?:nothing|drafts)(?:\\/|$)/;'],
    ['a table by address', "const ENDPOINTS = { '/oidc4vci/token': 'token' };"],
    ['the pattern of a route', "new Map([['/oidc4vp/:state/response', refuse]]);"],
    ['a list of first segments', "const SCHEMA_ROUTES = ['/schemas', '/drafts'];"],
    ['a list of documents', "const DOCUMENTS = ['openid-credential-issuer'];"],
    ['an address that is built', 'const at = `${origin}/.well-known/security.txt`;'],
    ['the rest of an address that is built', 'const at = `${base}/offers/${id}`;'],
    ['a comparison', "if (request.url === '/health/live') return;"],
    ['a path without its slash', "isBelow('api/wallet');"],
    ['an argument that only stands in such a call', "Get(on('oidc4vci/nonce'));"],
  ])('is found: %s', (_what, source) => {
    expect(findRouteLiterals(source, all)).not.toEqual([]);
  });

  it.each([
    ['the declaration itself', "@Controller('oidc4vci') class A { @Post('token') b() {} }"],
    ['an import', "import { DraftsController } from './content/drafts.controller';"],
    ['a comment', '/** Answers `POST /oidc4vci/token`. */'],
    ['a media type', "const TYPE = 'application/json';"],
    ['a sentence', "const detail = 'needs either claims or status, the wallet/credential of an offer';"],
    ['a pointer into a document', "const at = '#/components/schemas/';"],
    ['a word', "const endpoint = 'token';"],
    ['an address of nobody', "const NO_ROUTE = '/.not-found';"],
    ['a longer word', "const other = '/draftsmen /healthy';"],
  ])('is not seen in %s', (_what, source) => {
    expect(findRouteLiterals(source, all)).toEqual([]);
  });
});
