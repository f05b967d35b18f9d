import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { localCommand } from './local-command';
import { forgetRunning, writeRunning } from './running-stack';

let folder: string;
let server: Server;
let managementUrl: string;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "vestibule-it's-"));
  server = createServer((_, response) => response.writeHead(503).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  managementUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  mkdirSync(path.join(folder, 'config'));
  const secrets = { apiKey: 'key', callbackSecret: 'whsec_x' };
  writeFileSync(path.join(folder, 'config/secrets.json'), JSON.stringify(secrets));
  writeRunning(folder, { managementUrl, baseUrl: 'http://b', issuerUrl: 'http://i', backendUrl: 'http://e' });
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(options: Readonly<Record<string, string>> = {}) {
  const [printed, reported] = [[] as string[], [] as string[]];
  const print = (line: string) => void printed.push(line);
  const report = (line: string) => void reported.push(line);
  const host = { environment: { DATA_FOLDER: folder }, print, report };
  const code = await localCommand.actions[0]?.run({ options, host });
  return { code, printed: printed.join('\n'), reported: reported.join('\n') };
}

describe('21.7 vestibule local', () => {
  it('prints what a shell takes over, whatever the folder is called', async () => {
    const { code, printed } = await ask();
    expect(code).toBe(0);
    const shown = `${printed}\nprintf '%s|%s|%s' "$VESTIBULE_URL" "$VESTIBULE_API_KEY" "$VESTIBULE_CONFIG"`;
    const told = execFileSync('sh', ['-c', shown], { encoding: 'utf8' });
    expect(told).toBe(`${managementUrl}|key|${path.join(folder, 'config')}`);
    expect(JSON.parse((await ask({ json: '' })).printed)).toMatchObject({ BACKEND_URL: 'http://e' });
  });

  it('says in one sentence that no stack was started, or that it has ended', async () => {
    await new Promise((resolve) => server.close(resolve));
    expect(await ask()).toMatchObject({
      code: 1,
      printed: '',
      reported: expect.stringContaining('has ended') as string,
    });
    forgetRunning(folder);
    expect((await ask()).reported).toContain('npm start');
  });
});
