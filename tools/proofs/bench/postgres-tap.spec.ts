import { PostgresTap, type Statement } from './postgres-tap';

const length = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const message = (type: string, ...parts: readonly string[]) => {
  const body = Buffer.from(parts.map((part) => `${part}\0`).join(''));
  return Buffer.concat([Buffer.from(type), length(body.length + 4), body]);
};
const startup = Buffer.concat([length(8), length(196_608)]);
const ready = Buffer.concat([Buffer.from('Z'), length(5), Buffer.from('I')]);
const parse = (name: string, text: string) => message('P', name, text);
const bind = (portal: string, name: string) => message('B', portal, name);
const execute = (portal = '') => message('E', portal, '');
const sync = message('S');
const done = (tag: string) => message('C', tag);

function tapped(): { tap: PostgresTap; told: Statement[] } {
  const told: Statement[] = [];
  const tap = new PostgresTap(7, (statement) => told.push(statement));
  tap.fromClient(startup);
  tap.fromServer(ready);
  return { tap, told };
}

describe('the tap on a connection to Postgres', () => {
  it('tells a prepared statement each time that it is executed, with its rows', () => {
    const { tap, told } = tapped();
    tap.fromClient(Buffer.concat([parse('one', 'SELECT\n  1'), bind('', 'one'), execute(), sync]));
    tap.fromServer(Buffer.concat([done('SELECT 1'), ready]));
    tap.fromClient(Buffer.concat([bind('', 'one'), execute(), sync]));
    tap.fromServer(Buffer.concat([done('SELECT 0'), ready]));
    expect(told).toEqual([
      { connection: 7, text: 'SELECT 1', rows: 1 },
      { connection: 7, text: 'SELECT 1', rows: 0 },
    ]);
  });

  it('tells the same whatever the pieces are in which the bytes arrive', () => {
    const client = Buffer.concat([parse('', 'DELETE FROM t'), bind('', ''), execute(), sync, message('Q', 'COMMIT')]);
    const server = Buffer.concat([done('DELETE 12'), ready, done('COMMIT'), ready]);
    for (let size = 1; size < 9; size += 1) {
      const { tap, told } = tapped();
      for (let at = 0; at < client.length; at += size) tap.fromClient(client.subarray(at, at + size));
      for (let at = 0; at < server.length; at += size) tap.fromServer(server.subarray(at, at + size));
      expect(told).toEqual([
        { connection: 7, text: 'DELETE FROM t', rows: 12 },
        { connection: 7, text: 'COMMIT' },
      ]);
    }
  });

  it('tells each statement of a simple query', () => {
    const { tap, told } = tapped();
    tap.fromClient(message('Q', 'BEGIN; INSERT INTO t VALUES (1)'));
    tap.fromServer(Buffer.concat([done('BEGIN'), done('INSERT 0 1'), ready]));
    expect(told.map(({ rows }) => rows)).toEqual([undefined, 1]);
  });

  it('tells a statement that failed once, and nothing of what was skipped after it', () => {
    const { tap, told } = tapped();
    tap.fromClient(Buffer.concat([parse('', 'BAD'), bind('', ''), execute(), execute(), sync]));
    tap.fromServer(Buffer.concat([message('E', 'SERROR'), ready]));
    tap.fromClient(message('Q', 'ROLLBACK'));
    tap.fromServer(Buffer.concat([done('ROLLBACK'), ready]));
    expect(told.map(({ text }) => text)).toEqual(['BAD', 'ROLLBACK']);
  });

  it('tells nothing of a server that reports an error outside of a statement', () => {
    const { tap, told } = tapped();
    tap.fromServer(message('E', 'SFATAL'));
    expect(told).toEqual([]);
  });

  it('refuses a connection that it cannot read', () => {
    const encrypted = new PostgresTap(1, () => undefined);
    expect(() => encrypted.fromClient(Buffer.concat([length(8), length(80_877_103)]))).toThrow(TypeError);
    const nonsense = new PostgresTap(1, () => undefined);
    expect(() => nonsense.fromClient(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toThrow(TypeError);
  });
});
