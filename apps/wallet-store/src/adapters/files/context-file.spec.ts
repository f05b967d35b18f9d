import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hostileUrls, printedJson } from '@vestibule/testkit';
import { readContextFile } from './context-file';
import { textsOf } from './document-file';
import { readJsonSchemaFile } from './json-schema-file';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'contexts-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function fileOf(content: string): Promise<string> {
  const file = path.join(folder, 'contexts.json');
  await writeFile(file, content);
  return file;
}
const URL_OF_ONE = 'https://terms.example/v1';

describe('the allow-list of JSON-LD contexts', () => {
  it('holds the documents of the file by their addresses', async () => {
    const document = { '@context': { name: 'https://schema.org/name' } };
    const contexts = await readContextFile(await fileOf(JSON.stringify({ [URL_OF_ONE]: document })));
    expect([...contexts]).toEqual([[URL_OF_ONE, document]]);
  });

  it('17.8 may be the one that docs/wallet-operations.md prints, and so may the list of schemas', async () => {
    const [contexts = '', schemas = ''] = printedJson('wallet-operations.md');
    expect((await readContextFile(await fileOf(contexts))).size).toBe(1);
    expect((await readJsonSchemaFile(await fileOf(schemas))).size).toBe(1);
  });

  it('17.8 may hold the exact text of a document, which its digest is compared with', async () => {
    const text = '{\n\t"@context": { "name": "https://schema.org/name" }\n}\n';
    const contexts = await readContextFile(await fileOf(JSON.stringify({ [URL_OF_ONE]: text })));
    const document = contexts.get(URL_OF_ONE);
    expect(document).toEqual({ '@context': { name: 'https://schema.org/name' } });
    expect(document && textsOf(document)).toEqual([text]);
  });

  it('17.8 knows of a document that is no text how programs write it', async () => {
    const listed = { '@context': { name: 'urn:n' } };
    const contexts = await readContextFile(await fileOf(JSON.stringify({ [URL_OF_ONE]: listed })));
    const compact = '{"@context":{"name":"urn:n"}}';
    const indented = '{\n  "@context": {\n    "name": "urn:n"\n  }\n}';
    const document = contexts.get(URL_OF_ONE);
    expect(document && textsOf(document)).toEqual([compact, `${compact}\n`, indented, `${indented}\n`]);
  });

  it('is empty without a file', async () => {
    await expect(readContextFile(undefined)).resolves.toEqual(new Map());
  });

  it.each<[string, string]>([
    ['no JSON', '{'],
    ['an array', '[]'],
    ['a key that is no address', '{"terms": {"@context": {}}}'],
    ...hostileUrls('terms.example').map(
      ([what, text]) => [`an address with ${what}`, JSON.stringify({ [text]: { '@context': {} } })] as [string, string],
    ),
    ['a text that is no JSON', `{"${URL_OF_ONE}": "{"}`],
    ['a text without @context', `{"${URL_OF_ONE}": "{}"}`],
    ['a document without @context', `{"${URL_OF_ONE}": {"name": "x"}}`],
    ['a context that is bundled', '{"https://www.w3.org/ns/credentials/v2": {"@context": {}}}'],
  ])('is refused with %s', async (_what, content) => {
    const refused = expect.objectContaining({ code: 'context_file_invalid', faults: [expect.anything()] });
    await expect(readContextFile(await fileOf(content))).rejects.toThrow(refused);
  });

  it('is refused with a number that no double has, at its place', async () => {
    const file = await fileOf(`{"${URL_OF_ONE}":{"@context":{"@version":1.10000000000000000001}}}`);
    const faults = [expect.objectContaining({ path: `["${URL_OF_ONE}"]["@context"]["@version"]` })];
    await expect(readContextFile(file)).rejects.toThrow(expect.objectContaining({ faults }));
  });

  it('is refused when its file is missing', async () => {
    const file = path.join(folder, 'missing.json');
    const faults = [{ path: file, message: 'cannot be read (ENOENT)' }];
    await expect(readContextFile(file)).rejects.toThrow(expect.objectContaining({ faults }));
    await expect(readContextFile(file)).rejects.toThrow('JSON_LD_CONTEXTS_FILE');
  });
});
