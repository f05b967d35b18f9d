import { execFileSync } from 'node:child_process';
import path from 'node:path';

const FOLDER = 'libs/kit/client/src/generated';
const HEAD = '// Written by `npm run docs` from docs/openapi. Do not edit.\n';
const METHODS = ['get', 'post', 'patch', 'delete'] as const;

interface Parameter {
  readonly in: string;
  readonly name: string;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
}
interface Document {
  readonly paths: Readonly<Record<string, Partial<Record<(typeof METHODS)[number], Operation>>>>;
}

/** The documents of which the client is made, and the table of operations that each has. */
const TABLES: Readonly<Record<string, string>> = {
  management: 'MANAGEMENT',
  'wallet-content-0.40.11': 'WALLET_CONTENT',
  'wallet-content-0.38.2': 'PREVIOUS_WALLET_CONTENT',
};

function describeOperation(method: string, route: string, { parameters = [] }: Operation) {
  const has = (kind: string, name: string) => parameters.some((one) => one.in === kind && one.name === name);
  const isSearch = route.endsWith('/search');
  return {
    method: method.toUpperCase(),
    path: route,
    // Whether a second attempt is safe: it reads, it deletes, or it carries the key of the first attempt.
    repeatable: ['get', 'delete'].includes(method) || isSearch || has('header', 'Idempotency-Key'),
    idempotencyKey: has('header', 'Idempotency-Key'),
    ifMatch: has('header', 'If-Match'),
  };
}

function operationsOf({ paths }: Document): object {
  return Object.fromEntries(
    Object.entries(paths).flatMap(([route, methods]) =>
      METHODS.flatMap((method) => {
        const operation = methods[method];
        return operation ? [[operation.operationId, describeOperation(method, route, operation)]] : [];
      }),
    ),
  );
}

/** Every code that a problem of one of the documents can have. */
function problemCodes(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { 'x-codes': here = [] } = value as { 'x-codes'?: readonly string[] };
  return [...here, ...Object.values(value).flatMap(problemCodes)];
}

function operationsPage(documents: Readonly<Record<string, object>>): string {
  const tables = Object.entries(TABLES).map(([name, table]) => {
    const operations = JSON.stringify(operationsOf(documents[name] as Document), null, 2);
    return `export const ${table}_OPERATIONS = ${operations} as const;\n`;
  });
  const codes = [...new Set(Object.keys(TABLES).flatMap((name) => problemCodes(documents[name])))].sort();
  const union = codes.map((code) => `\n  | "${code}"`).join('');
  return `${HEAD}\n${tables.join('\n')}\n/** Each \`code\` that an operation has in the API descriptions; docs/errors.md has more: \`method_not_allowed\`, \`vc_…\`. */\nexport type ProblemCode =${union};\n`;
}

/** The generated sources of `@vestibule/client`: types by openapi-typescript, and a table of the operations. */
export function clientPages(
  root: string,
  documents: Readonly<Record<string, object>>,
): Readonly<Record<string, string>> {
  const input = JSON.stringify(Object.fromEntries(Object.keys(TABLES).map((name) => [name, documents[name]])));
  const types = JSON.parse(
    execFileSync(process.execPath, [path.join(root, 'tools/openapi-types.cjs')], {
      cwd: root,
      encoding: 'utf8',
      input,
      maxBuffer: 64 * 1024 * 1024,
    }),
  ) as Readonly<Record<string, string>>;
  const pages = Object.entries(types).map(([name, text]) => [
    `${FOLDER}/${name.replaceAll('.', '-')}.ts`,
    `${HEAD}\n${text}`,
  ]);
  return Object.fromEntries([...pages, [`${FOLDER}/operations.ts`, operationsPage(documents)]]) as Record<
    string,
    string
  >;
}
