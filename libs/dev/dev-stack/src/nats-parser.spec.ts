import { type ClientOperation, MAX_CONTROL_LINE_BYTES, NatsParser, NatsProtocolError } from './nats-parser';

const parse = (text: string): ClientOperation[] => [...new NatsParser().feed(Buffer.from(text))];

function refusal(text: string): string | undefined {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof NatsProtocolError) return error.reason;
    throw error;
  }
  return undefined;
}

describe('NatsParser', () => {
  it('reads every operation of a client, in any case, with any blanks and line end', () => {
    expect(
      parse('CONNECT {"verbose":false}\r\nping\nPONG\r\nSUB a.b 1\r\nsub\ta  q\t 2\r\nUNSUB 1\r\nUNSUB 2 5\r\n'),
    ).toEqual([
      { name: 'connect', options: { verbose: false } },
      { name: 'ping' },
      { name: 'pong' },
      { name: 'subscribe', subject: 'a.b', sid: '1' },
      { name: 'subscribe', subject: 'a', queue: 'q', sid: '2' },
      { name: 'unsubscribe', sid: '1', max: 0 },
      { name: 'unsubscribe', sid: '2', max: 5 },
    ]);
  });

  it('reads publications with and without reply subject and headers, and takes line ends in the payload as payload', () => {
    const header = 'NATS/1.0\r\nA: b\r\n\r\n';
    expect(parse(`PUB a 4\r\n\r\n\r\n\r\nPUB a r 0\r\n\r\nHPUB a r 18 20\r\n${header}hi\r\n`)).toEqual([
      { name: 'publish', subject: 'a', headerBytes: 0, payload: Buffer.from('\r\n\r\n') },
      { name: 'publish', subject: 'a', replyTo: 'r', headerBytes: 0, payload: Buffer.from('') },
      { name: 'publish', subject: 'a', replyTo: 'r', headerBytes: 18, payload: Buffer.from(`${header}hi`) },
    ]);
  });

  it.each([
    '\r\n',
    'FOO\r\n',
    'POST / HTTP/1.1\r\n',
    'CONNECT nope\r\n',
    'CONNECT []\r\n',
    'SUB a\r\n',
    'SUB a b c d\r\n',
    'UNSUB\r\n',
    'UNSUB 1 x\r\n',
    'PUB a\r\n',
    'PUB a -1\r\n',
    'PUB a 0x10\r\n',
    'PUB a b c 1\r\n',
    'HPUB a 2\r\n',
    'HPUB a 3 2\r\n',
    'PUB a 1\r\nxyz',
    'PUB a 1\r\nx\nz',
  ])('refuses %j', (text) => {
    expect(refusal(text)).toBe('Unknown Protocol Operation');
  });

  it('refuses a payload beyond 2 MiB by its announced size, before it is sent', () => {
    expect(refusal('PUB a 1048576\r\n')).toBeUndefined();
    expect(refusal('PUB a 2097153\r\n')).toBe('Maximum Payload Violation');
    expect(refusal('HPUB a 1 2097153\r\n')).toBe('Maximum Payload Violation');
  });

  it('refuses a control line that never ends, without keeping it', () => {
    expect(refusal('A'.repeat(MAX_CONTROL_LINE_BYTES + 1))).toBe('maximum control line exceeded');
  });
});
