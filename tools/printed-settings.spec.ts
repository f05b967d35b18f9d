import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parse } from 'yaml';
import Ajv2020 from 'ajv/dist/2020';
import { readAppConfigurations } from './docs/configuration-page';
import { filesBelow } from './docs/repository-files';

const root = path.resolve(__dirname, '..');
const load = createRequire(__filename);
const configurations = readAppConfigurations(
  (app) => load(path.join(root, 'apps', app, 'src/config.ts')) as Readonly<Record<string, unknown>>,
);
const variables = Object.values(configurations).flatMap((definition) => Object.values(definition));
/** Says that something of the reader's own belongs there. */
const LEFT_OPEN = /[…$<>]/;

/** Each setting in the text, as a whole span of code or on a line of a block: name and value. */
function printedSettings(text: string): [string, string][] {
  const spans = [...text.matchAll(/`([A-Z][A-Z_]{3,})=([^`\n]+)`/g)];
  const blocks = [...text.matchAll(/^```(?:sh)?\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block).join('\n');
  const lines = [...blocks.matchAll(/(?:^|[ \n])([A-Z][A-Z_]{3,})=([^\s'"]+)/g)];
  const yaml = [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block).join('\n');
  const members = [...yaml.matchAll(/\b([A-Z][A-Z_]{3,}): '?([^\s,'}]+)/g)];
  return [...spans, ...lines, ...members].map(([, name = '', value = '']) => [name, value.split(' ')[0] ?? '']);
}

/** The known settings in the text whose value no service takes. */
function refusedSettings(text: string): string[] {
  return printedSettings(text).flatMap(([name, value]) => {
    const known = variables.filter((variable) => variable.name === name);
    const isTaken = known.length === 0 || known.some(({ schema }) => schema.safeParse(value).success);
    return isTaken || LEFT_OPEN.test(value) ? [] : [`${name}=${value}`];
  });
}

const pages = [
  'README.md',
  'SECURITY.md',
  ...['docs', 'apps', 'libs', 'deploy', 'examples'].flatMap((folder) => filesBelow(root, folder)),
].filter((file) => file.endsWith('.md'));

describe('what pages say about settings', () => {
  it('is read from spans of code and from blocks', () => {
    const text =
      'With `CALLBACK_DATA=minimal`:\n\n```\nCALLBACK_DATA=less\nA=b RELOAD_SECONDS=0 vestibule\n```\n\n```yaml\nx: { BATCH_SIZE: 0 }\n```\n';
    expect(printedSettings(text).map(([name]) => name)).toEqual([
      'CALLBACK_DATA',
      'CALLBACK_DATA',
      'RELOAD_SECONDS',
      'BATCH_SIZE',
    ]);
    expect(refusedSettings(text)).toEqual(['CALLBACK_DATA=less', 'RELOAD_SECONDS=0', 'BATCH_SIZE=0']);
  });

  it('has only values that a service takes', () => {
    const texts = pages.map((file) => [file, readFileSync(path.join(root, file), 'utf8')] as const);
    expect(texts.flatMap(([, text]) => printedSettings(text)).length).toBeGreaterThan(50);
    expect(texts.flatMap(([file, text]) => refusedSettings(text).map((setting) => `${file}: ${setting}`))).toEqual([]);
  });
});

type Values = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The values over those of the chart, as Helm puts them. */
const over = (own: Values, given: Values): Values => ({
  ...own,
  ...Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const below = own[name];
      return [name, isObject(below) && isObject(value) ? over(below, value) : value];
    }),
  ),
});

describe('the values of the chart on docs/kubernetes.md', () => {
  const page = readFileSync(path.join(root, 'docs/kubernetes.md'), 'utf8');
  const [, printed = ''] = /^```yaml\n# installation\.yaml\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const read = (file: string) => readFileSync(path.join(root, 'deploy/kubernetes', file), 'utf8');
  const values = parse(read('values.yaml')) as Values;
  const isValid = new Ajv2020({ strict: false }).compile(JSON.parse(read('values.schema.json')) as object);

  it('are taken by its schema, which refuses others', () => {
    expect(printed).toContain('baseUrl:');
    expect([isValid(over(values, parse(printed) as Values)), isValid.errors]).toEqual([true, null]);
    expect(isValid(over(values, { baseUrl: 'http://wallets.example' }))).toBe(false);
    expect(isValid(over(values, { networkPolicies: {} }))).toBe(false);
  });
});
