import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { strictDescription } from './strict-description';
import { PythonMissing, pythonWith } from '@vestibule/testkit';

const root = path.resolve(__dirname, '../../..');
const read = (name: string) => readFileSync(path.join(__dirname, name), 'utf8');

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
}

/** The operations of every description, by path. */
const operations = readdirSync(path.join(root, 'docs/openapi')).flatMap((file) => {
  const { paths } = JSON.parse(readFileSync(path.join(root, 'docs/openapi', file), 'utf8')) as {
    paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  return Object.entries(paths).map(([name, methods]) => ({ name, methods: Object.values(methods) }));
});
const described = operations.map(({ name }) => name);
const regexes = [...read('schemathesis.toml').matchAll(/include-path-regex = "([^"]+)"/g)].map(
  ([, regex = '']) => new RegExp(regex),
);

describe('the exceptions of Schemathesis', () => {
  const tables = read('schemathesis.toml')
    .split(/^\[(?!operations\.)/m)
    .slice(1);

  it('each have a reason', () => {
    expect(tables.length).toBeGreaterThan(4);
    for (const table of tables) {
      const [name] = table.split('\n');
      expect([name, /^# \S/m.test(table)]).toEqual([name, true]);
    }
  });

  it('name operations that are described', () => {
    const counts = regexes.map((regex) => described.filter((one) => regex.test(one)).length);
    expect(counts.length).toBeGreaterThan(1);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(4);
    const named = /include-path = \[([^\]]+)\]/.exec(read('schemathesis.toml'))?.[1]?.match(/\/[^"]+/g) ?? [];
    expect(named).not.toEqual([]);
    expect(named.filter((one) => !described.includes(one))).toEqual([]);
  });
});

it('the description that Schemathesis judges by binds each error to its status and codes', () => {
  const published = readFileSync(path.join(root, 'docs/openapi/wallet-content-0.40.11.json'), 'utf8');
  const { paths } = JSON.parse(strictDescription(published)) as {
    paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, object> }> }>>;
  };
  const responses = Object.values(paths).flatMap((methods) => Object.values(methods).map((one) => one.responses));
  const errors = responses.flatMap((one) => Object.entries(one)).filter(([status]) => Number(status) >= 400);
  expect(errors.length).toBeGreaterThan(100);
  for (const [status, { content }] of errors) {
    expect(JSON.stringify(content)).toContain(`{"status":{"const":${status}},"code":{"anyOf":[{"enum":["`);
  }
  expect(JSON.stringify(paths['/drafts']).match(/\^vc_/g)).toHaveLength(1);
});

describe('the exception for required headers', () => {
  const required = (methods: readonly Operation[]) =>
    methods.flatMap(({ parameters = [] }) => parameters).filter((one) => one.in === 'header' && one.required);

  it('hides only the header that asks for a version', () => {
    const [regex] = regexes.filter(({ source }) => source.includes('published-schemas'));
    const hidden = operations.filter(({ name }) => regex?.test(name)).flatMap(({ methods }) => required(methods));
    expect([...new Set(hidden.map(({ name }) => name))]).toEqual(['X-Service-OAS-Version']);
    const others = operations.filter(({ name }) => !regex?.test(name)).flatMap(({ methods }) => required(methods));
    expect(others.map(({ name }) => name)).not.toContain('X-Service-OAS-Version');
  });
});

describe('the Python of the proof', () => {
  it('gets one exact version of each package', () => {
    const lines = read('requirements.txt')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.some((line) => line.startsWith('schemathesis=='))).toBe(true);
    expect(lines.filter((line) => !/^[A-Za-z0-9._-]+==[0-9][0-9A-Za-z.]*$/.test(line))).toEqual([]);
  });

  it('is asked for plainly where there is none', () => {
    const cache = mkdtempSync(path.join(tmpdir(), 'no-python-'));
    try {
      const ask = () => pythonWith(path.join(__dirname, 'requirements.txt'), cache, ['no-such-python']);
      expect(ask).toThrow(PythonMissing);
      expect(ask).toThrow('install python3 and python3-venv');
      expect(readdirSync(cache)).toEqual([]);
    } finally {
      rmSync(cache, { recursive: true });
    }
  });

  it('says plainly that the index does not give its packages, and leaves nothing behind', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'no-packages-'));
    try {
      const python = path.join(folder, 'python');
      const environment =
        'mkdir -p "$3/bin" && printf "#!/bin/sh\nexit 1\n" >"$3/bin/python" && chmod +x "$3/bin/python"';
      const script = `#!/bin/sh\nif [ "$1" = -c ]; then echo 3.12; else ${environment}; fi\n`;
      writeFileSync(python, script, { mode: 0o755 });
      const cache = path.join(folder, 'cache');
      const ask = () => pythonWith(path.join(__dirname, 'requirements.txt'), cache, [python]);
      expect(ask).toThrow(PythonMissing);
      expect(ask).toThrow(/could not be installed from the Python package index.*PIP_INDEX_URL/);
      expect(readdirSync(cache)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
