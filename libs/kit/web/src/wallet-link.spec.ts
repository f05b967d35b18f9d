import { isWalletLink } from './wallet-link';

describe('the link of the element', () => {
  it.each(['openid4vp://?client_id=x', 'haip-vci://', 'eu.example.app://x', 'https://wallet.example/open', 'EUDIW://'])(
    'leads to %s',
    (address) => expect(isWalletLink(address)).toBe(true),
  );

  it.each([
    'javascript:alert(1)',
    'javascript://%0aalert(1)',
    'JavaScript://wallet.example/%0Aalert(1)',
    'vbscript://x',
    'data://text/html,<script>alert(1)</script>',
    'blob://x',
    'file:///etc/passwd',
    'filesystem://x',
    'view-source://x',
    'about://blank',
    ' javascript://%0aalert(1)',
    'java\tscript://%0aalert(1)',
    'java\nscript://%0aalert(1)',
    '\u0001javascript://%0aalert(1)',
    '//wallet.example',
    'openid4vp:x',
    '',
  ])('is not made for %j', (address) => expect(isWalletLink(address)).toBe(false));

  it('is made for no address that a browser reads as a script', () => {
    for (const before of ['', ' ', '\t', '\n', '\u0000', 'x'])
      for (const within of ['', '\t', '\r', '\n']) {
        const address = `${before}java${within}script://%0aalert(1)`;
        const isScript = URL.canParse(address) && new URL(address).protocol === 'javascript:';
        if (isScript) expect([address, isWalletLink(address)]).toEqual([address, false]);
      }
  });
});
