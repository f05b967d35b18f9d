import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { printedJson } from '@vestibule/testkit';
import { readManagementCallers } from './management-callers';

const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-callers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const digest = createHash('sha256').update('key').digest('base64url');

describe('the file of callers that docs/management.md prints', () => {
  it('is read, with a digest in its place', () => {
    const [sample = ''] = printedJson('management.md');
    const file = path.join(folder, 'callers.json');
    writeFileSync(file, sample.replace('<SHA-256 of the key, base64url>', digest));
    const { keys, scopesOfClient } = readManagementCallers(file);
    expect(keys).toMatchObject([{ name: 'shop', scopes: ['present', 'offer'] }]);
    expect(scopesOfClient).toBeDefined();
  });
});
