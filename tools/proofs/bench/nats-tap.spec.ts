import { BusNames, NatsTap } from './nats-tap';

describe('the tap on connections to NATS', () => {
  it('tells questions and answers of all clients by the subject of the question', () => {
    const told: string[] = [];
    const names = new BusNames();
    const [gateway, service] = [0, 1].map(() => new NatsTap(names, (name) => told.push(name))) as [NatsTap, NatsTap];
    gateway.fromClient(Buffer.from('CONNECT {"verbose":false}\r\nPING\r\nSUB _INBOX.a.* 1\r\n'));
    gateway.fromClient(Buffer.from('PUB issuer.nonce _INBOX.a.1 2\r\n{}\r\nPUB issuer.nonce _INBOX.a.2 2\r\n'));
    gateway.fromClient(Buffer.from('{}\r\n'));
    service.fromClient(Buffer.from('HPUB _INBOX.a.2 12 14\r\nNATS/1.0\r\n\r\n{}\r\nPUB _INBOX.a.1 2\r\n{}\r\n'));
    service.fromClient(Buffer.from('PUB issuer.event 2\r\n{}\r\n'));
    expect(told).toEqual([
      'issuer.nonce',
      'issuer.nonce',
      'issuer.nonce (answer)',
      'issuer.nonce (answer)',
      'issuer.event',
    ]);
  });
});
