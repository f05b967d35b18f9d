import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readJsonSchemaFile } from './json-schema-file';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'json-schemas-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function fileOf(content: unknown): Promise<string> {
  const file = path.join(folder, 'schemas.json');
  await writeFile(file, JSON.stringify(content));
  return file;
}
const URL_OF_ONE = 'https://schemas.example/card.json';

describe('17.7 the list of JSON Schemas', () => {
  it('17.7 holds the schemas of the file by their addresses, and is empty without a file', async () => {
    const schema = { $id: URL_OF_ONE, type: 'object' };
    expect([...(await readJsonSchemaFile(await fileOf({ [URL_OF_ONE]: schema })))]).toEqual([[URL_OF_ONE, schema]]);
    await expect(readJsonSchemaFile(undefined)).resolves.toEqual(new Map());
  });

  it('17.7 says in one sentence what is wrong, of at most five entries', async () => {
    const many = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`card-${index}`, {}]));
    const refused = readJsonSchemaFile(await fileOf(many));
    await expect(refused).rejects.toThrow(/JSON_SCHEMAS_FILE is invalid: card-0 must .*; card-4 must .*; and 2 more$/);
    await expect(readJsonSchemaFile(path.join(folder, 'missing.json'))).rejects.toThrow(
      /is invalid: .*missing\.json cannot be read \(ENOENT\)$/,
    );
  });

  it.each<[string, unknown, string]>([
    ['a key that is no address', { card: {} }, 'card'],
    ['a regular expression', { [URL_OF_ONE]: { items: { pattern: 'a' } } }, `${URL_OF_ONE} items.pattern`],
    ['a schema that is none', { [URL_OF_ONE]: { type: 'text' } }, URL_OF_ONE],
    ['a boolean', { [URL_OF_ONE]: true }, URL_OF_ONE],
  ])('17.7 is refused with %s, naming its place', async (_what, content, place) => {
    const refused = { code: 'json_schema_file_invalid', faults: [{ path: place }] };
    await expect(readJsonSchemaFile(await fileOf(content))).rejects.toMatchObject(refused);
  });
});
